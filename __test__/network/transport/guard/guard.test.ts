/** What a stranger sends below the record protocol, by real TCP and noise, to a node that it dials or that dials it. */
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node } from '../../../../src/network/libp2p.ts'
import { registryProtocol } from '../../../../src/network/wire/messages.ts'
import { HALF_OPEN } from '../../../../src/network/transport/half-open.ts'
import { ask } from '../../../../src/network/wire/exchange.ts'
import { answering, startBareNode } from '../../bare-node.ts'
import { labProfile } from '../../lab.ts'
import { DATA, dataFrame, frame, HELLO, line, RawPeer, SYN, WINDOW, type RawConnection } from '../../raw-peer.ts'
import { attacksOn, repeat, zeros } from '../../stranger-attacks.ts'
import { waitFor } from '../../../wait-for.ts'

const KIB = 1024
const MIB = 1024 * KIB
const REGISTRY = registryProtocol(labProfile())

const DOCUMENT = zeros(120 * KIB)

let victim: Node
let honest: Node
const peers: RawPeer[] = []
let key = 0

beforeAll(async () => {
  victim = await startBareNode(key++)
  honest = await startBareNode(key++)
  await answering(victim, labProfile(), {
    time: () => new Promise(() => undefined),
    get: () => ({ type: 'document', record: DOCUMENT })
  })
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

let places = 1
/** An address for each crowd: libp2p takes a hundred connections a second from one. */
const elsewhere = (): string => `127.0.1.${places++}`

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
  it.each(attacksOn(labProfile()))('is cut off at $what', async ({ bytes, most = 8 * MIB }) => {
    const { connection, stream } = await DIRECTIONS[direction]()
    await connection.flood(bytes(stream), most)
    await waitFor(() => expect(connection.isOpen).toBe(false))
    expect(connection.sent).toBeLessThan(most)
  })
})

/** Writes them again and again until the other side hangs up; how many it took. */
async function flooded(socket: Socket, bytes: Uint8Array, most = MIB): Promise<number> {
  let sent = 0
  for (; !socket.destroyed && sent < most; sent += bytes.length) {
    await new Promise((resolve) => socket.write(bytes, resolve))
    await setImmediate()
  }
  socket.destroy()
  return sent
}

describe('a stranger', () => {
  it.each([
    ['a list', Buffer.concat([HELLO, line('ls')])],
    ['a thousand names', repeat(1_000, () => line('/nothing'))],
    ['hello a thousand times', repeat(1_000, () => HELLO)],
    ['an endless handshake', Buffer.concat([HELLO, line('/noise'), zeros(16 * KIB)])]
  ])('is cut off at %s before encryption', async (_what, bytes) => {
    const socket = connect(Number(portOf(victim)), '127.0.0.1')
    const answers: Buffer[] = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => answers.push(chunk))
    expect(await flooded(socket, bytes)).toBeLessThan(MIB)
    expect(Buffer.concat(answers).length).toBeLessThan(200)
    if (bytes.includes('ls')) expect(Buffer.concat(answers).toString()).not.toContain('/noise')
  })

  it('is cut off when it sends more than a chunk before its turn', async () => {
    const from = { host: '127.0.0.1', port: Number(portOf(victim)), localAddress: elsewhere() }
    const silent = Array.from({ length: HALF_OPEN.begun }, () => connect(from))
    const waiting = connect(from)
    const sockets = [...silent, waiting]
    for (const socket of sockets) socket.on('error', () => undefined)
    expect(await flooded(waiting, zeros(64 * KIB), 4 * MIB)).toBeLessThan(4 * MIB)
    for (const socket of sockets) socket.destroy()
  })

  it.each([
    ['a list', line('ls')],
    ['a thousand names', repeat(1_000, () => line('/nothing'))]
  ])('is cut off when it asks for %s after encryption, before yamux', async (_what, bytes) => {
    const peer = await rawPeer({ agreesEarly: false })
    const connection = await peer.dial(addressOf(victim))
    await connection.flood(Buffer.concat([HELLO, bytes]), MIB)
    await waitFor(() => expect(connection.isOpen).toBe(false))
    expect(connection.sent).toBeLessThan(MIB)
    expect(connection.receivedBytes).toBeLessThan(200)
    if (bytes.includes('ls')) expect(Buffer.concat(connection.received).toString()).not.toContain('yamux')
  })

  it('is told no list on a stream', async () => {
    const connection = await (await rawPeer()).dial(addressOf(victim))
    await connection.send(dataFrame(1, Buffer.concat([HELLO, line('ls')]), SYN))
    await waitFor(() => expect(connection.isOpen).toBe(false))
    expect(Buffer.concat(connection.received).toString()).not.toContain(REGISTRY)
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

  it('has no connection opened for it that was cut off before', async () => {
    const opened: Connection['status'][] = []
    const onOpen = ({ detail }: CustomEvent<Connection>): unknown => opened.push(detail.status)
    victim.addEventListener('connection:open', onOpen)
    const peer = await rawPeer({ place: elsewhere() })
    for (let cut = 0; cut < 30; cut++) {
      const connection = await peer.dial(addressOf(victim))
      // Together with the end of the handshake.
      await connection.send(frame(DATA, 0, 0, KIB))
      connection.hangUp()
    }
    victim.removeEventListener('connection:open', onOpen)
    // Its multiplexer would ping it for as long as the node runs.
    expect(opened.filter((status) => status !== 'open')).toEqual([])
  })

  it('leaves others served, with more on one stream than a window and all that may be unread', async () => {
    const connection = await honest.dial(multiaddr(addressOf(victim)))
    const get = { type: 'get', kind: 'kid', key: zeros(32) } as const
    for (let asked = 0; asked < 12; asked++)
      expect(await ask(honest, victim.peerId, get, labProfile())).toEqual({ type: 'document', record: DOCUMENT })
    expect(connection.status).toBe('open')
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
