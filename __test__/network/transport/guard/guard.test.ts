/** What a stranger sends below the record protocol, by real TCP and noise, to a node that it dials or that dials it. */
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node } from '../../../../src/network/libp2p.ts'
import { registryProtocol } from '../../../../src/network/wire/messages.ts'
import { HALF_OPEN } from '../../../../src/network/transport/half-open.ts'
import { ask } from '../../../../src/network/wire/exchange.ts'
import { answering, startBareNode } from '../../bare-node.ts'
import { labProfile } from '../../lab.ts'
import { dataFrame, frame, HELLO, line, RawPeer, WINDOW, type RawConnection } from '../../raw-peer.ts'
import { attacksOn, repeat, zeros } from '../../stranger-attacks.ts'
import { waitFor } from '../../../wait-for.ts'

const KIB = 1024
const MIB = 1024 * KIB
const REGISTRY = registryProtocol(labProfile())

let victim: Node
let honest: Node
const peers: RawPeer[] = []
let key = 0

beforeAll(async () => {
  victim = await startBareNode(key++)
  honest = await startBareNode(key++)
  await answering(victim, labProfile(), { time: () => new Promise(() => undefined) })
})

afterAll(async () => {
  for (const peer of peers) await peer.stop()
  await Promise.all([victim.stop(), honest.stop()])
})

async function rawPeer(options?: Parameters<typeof RawPeer.start>[0]): Promise<RawPeer> {
  const peer = await RawPeer.start(options)
  peers.push(peer)
  return peer
}

const portOf = (node: Node): string => addressOf(node).split('/')[4]!
const addressOf = (node: Node): string => node.getMultiaddrs()[0]!.toString()

/** Of a stranger: the first stream of one that dials is odd. */
interface Place {
  readonly connection: RawConnection
  readonly stream: number
}

const DIRECTIONS: Record<'dials' | 'is dialled', () => Promise<Place>> = {
  async dials() {
    const peer = await rawPeer()
    return { connection: await peer.dial(addressOf(victim)), stream: 1 }
  },
  async 'is dialled'() {
    const peer = await rawPeer()
    void victim.dial(multiaddr(peer.address)).catch(() => undefined)
    return { connection: await peer.accept(), stream: 2 }
  }
}

describe.each(Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[])('a stranger that %s', (direction) => {
  it.each(attacksOn(labProfile()))('is cut off at $what', async ({ bytes }) => {
    const { connection, stream } = await DIRECTIONS[direction]()
    await connection.flood(bytes(stream), 8 * MIB)
    await waitFor(() => expect(connection.isOpen).toBe(false))
    // What the buffers of two sockets hold, and what a window lets in.
    expect(connection.sent).toBeLessThan(8 * MIB)
  })
})

describe('a stranger', () => {
  it.each([
    ['a list', line('ls')],
    ['a thousand names', repeat(1_000, () => line('/nothing'))],
    ['hello a thousand times', repeat(1_000, () => HELLO)],
    ['an endless handshake', Buffer.concat([line('/noise'), repeat(10_000, () => Uint8Array.of(0, 0))])]
  ])('is cut off at %s before encryption', async (_what, bytes) => {
    const socket = connect(Number(portOf(victim)), '127.0.0.1')
    let answered = 0
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (answered += chunk.length))
    socket.write(Buffer.concat([HELLO, bytes]))
    await closed
    expect(answered).toBeLessThan(200)
  })

  it('is cut off when it sends more than a chunk before its turn', async () => {
    const silent = Array.from({ length: HALF_OPEN.begun }, () => connect(Number(portOf(victim)), '127.0.0.1'))
    const waiting = connect(Number(portOf(victim)), '127.0.0.1')
    const sockets = [...silent, waiting]
    for (const socket of sockets) socket.on('error', () => undefined)
    let sent = 0
    for (; !waiting.destroyed && sent < 4 * MIB; sent += 64 * KIB) {
      await new Promise((resolve) => waiting.write(zeros(64 * KIB), resolve))
      await setImmediate()
    }
    for (const socket of sockets) socket.destroy()
    expect(sent).toBeLessThan(4 * MIB)
  })

  it.each([
    ['a list', line('ls')],
    ['a thousand names', repeat(1_000, () => line('/nothing'))]
  ])('is cut off when it asks for %s after encryption, before yamux', async (_what, bytes) => {
    const peer = await rawPeer({ agreesEarly: false })
    const connection = await peer.dial(addressOf(victim))
    await connection.send(Buffer.concat([HELLO, bytes]))
    await waitFor(() => expect(connection.isOpen).toBe(false))
    expect(connection.receivedBytes).toBeLessThan(200)
  })

  it('has little kept for it when it reads nothing', async () => {
    const peer = await rawPeer()
    const dialled = victim.dial(multiaddr(peer.address))
    const connection = await peer.accept()
    const opened = (await dialled).newStream(REGISTRY)
    // The first one is for identify.
    await waitFor(() => expect(Buffer.concat(connection.received).toString()).toContain(REGISTRY))
    connection.pause()
    const ACK = 2
    await connection.send(
      // As much as a window can say.
      Buffer.concat([dataFrame(3, Buffer.concat([HELLO, line(REGISTRY)]), ACK), frame(WINDOW, 0, 3, 2 ** 31)])
    )
    const stream = await opened
    let sent = 0
    for (; stream.status === 'open' && sent < 64 * MIB; sent += 128 * KIB) {
      stream.send(zeros(128 * KIB))
      await setImmediate()
    }
    expect(stream.status).toBe('aborted')
    connection.hangUp()
  })

  it('leaves others served, as many requests as they may have, each on a stream of its own', async () => {
    const connection = await honest.dial(multiaddr(addressOf(victim)))
    // The bursts of five seconds, as many together as libp2p allows streams.
    for (let wave = 0; wave < 5; wave++) {
      const asked = Array.from({ length: 60 }, () => ask(honest, victim.peerId, { type: 'commitments' }, labProfile()))
      for (const answer of await Promise.all(asked)) expect(answer).toEqual({ type: 'busy' })
    }
    expect(connection.status).toBe('open')
  })
})
