/**
 * Frames, multistream lines and identify messages with changes, by real TCP and noise, to a node. HOSTILE_PEER_MUTATIONS is
 * how many of all. Nothing may throw, nothing may stay.
 */
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Node } from '../../src/network/libp2p.ts'
import { ask } from '../../src/network/wire/exchange.ts'
import { encodeMessage, registryProtocol } from '../../src/network/wire/messages.ts'
import { lp } from '../../src/protocol/encoding/bytes.ts'
import { startBareNode } from '../network/bare-node.ts'
import { labProfile } from '../network/lab.ts'
import { dataFrame, frame, HELLO, line, opening, PING, RawPeer, SYN, WINDOW } from '../network/raw-peer.ts'
import { randomFrom } from '../properties/cases.ts'
import { waitFor } from '../wait-for.ts'
import { count, SEED } from './scene.ts'

const MUTATIONS = count('HOSTILE_PEER_MUTATIONS', 2_000)
/** As many go by one connection, though most end it sooner. */
const OF_A_CONNECTION = 64
const IDLE_MS = 1_000
const MIB = 2 ** 20

const REGISTRY = registryProtocol(labProfile())
const PUSH = '/ipfs/id/push/1.0.0'
const random = randomFrom(SEED)
const below = (limit: number): number => Math.floor(random() * limit)
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let victim: Node
let honest: Node
let early: RawPeer
let late: RawPeer

beforeAll(async () => {
  victim = await startBareNode(1)
  honest = await startBareNode(2)
  early = await RawPeer.start()
  late = await RawPeer.start({ agreesEarly: false })
})

afterAll(async () => {
  for (const each of [early, late, honest, victim]) await each.stop()
})

const address = (): string => victim.getMultiaddrs()[0]!.toString()

/** A field of a protobuf message that holds bytes. */
const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length & 0x7f]), bytes.subarray(0, 0x7f)])

/** After its length. */
function identifyMessage(): Buffer {
  const message = Buffer.concat([
    field(5, Buffer.from('ipfs/0.1.0')),
    field(6, Buffer.from('chronym')),
    ...Array.from({ length: below(8) }, () =>
      field(2, multiaddr(`/ip4/192.0.2.${below(256)}/tcp/${below(65_536)}`).bytes)
    ),
    ...[REGISTRY, PUSH].map((protocol) => field(3, Buffer.from(protocol))),
    ...(below(2) === 0 ? [field(8, Buffer.from(Array.from({ length: 100 }, () => below(256))))] : [])
  ])
  return Buffer.concat([Buffer.from([(message.length & 0x7f) | 0x80, message.length >> 7]), message])
}

function changed(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes)
  for (let changes = below(3); changes > 0; changes--)
    copy[below(copy.length)] = oneOf([0, 1, 0x7f, 0x80, 0xff, below(256)])
  return below(16) === 0 ? copy.subarray(0, below(copy.length)) : copy
}

const REQUEST = lp(encodeMessage({ type: 'time' }))

function aFrame(index: number): Buffer {
  const stream = 1 + 2 * below(8)
  return oneOf([
    () => frame(WINDOW, SYN, 1 + 2 * index, 0),
    () => opening(1 + 2 * index, REGISTRY, REQUEST),
    () => frame(WINDOW, below(16), stream, below(2 ** 20)),
    () => dataFrame(stream, REQUEST, below(16)),
    () => frame(PING, below(4), 0, index),
    () => frame(below(5), below(16), stream, below(64))
  ])()
}

const aLine = (): Buffer => oneOf([HELLO, line(REGISTRY), line('/noise'), line('/yamux/1.0.0'), line('ls'), line('na')])

/** Each kind: mutated pieces, sent by one connection. */
const KINDS: readonly ((pieces: number) => Promise<void>)[] = [
  async function frames(pieces) {
    const bytes = Buffer.concat(Array.from({ length: pieces }, (_, index) => changed(aFrame(index))))
    await toVictim(early, bytes)
  },
  async function identify(pieces) {
    const messages = Array.from({ length: pieces }, (_, index) =>
      opening(1 + 2 * index, PUSH, changed(identifyMessage()))
    )
    await toVictim(early, Buffer.concat(messages))
  },
  async function linesOfStreams(pieces) {
    const streams = Array.from({ length: pieces }, (_, index) => dataFrame(1 + 2 * index, changed(aLine()), SYN))
    await toVictim(early, Buffer.concat(streams))
  },
  async function linesAfterEncryption(pieces) {
    await toVictim(late, Buffer.concat(Array.from({ length: pieces }, () => changed(aLine()))))
  },
  async function linesBeforeEncryption(pieces) {
    const socket = connect(Number(address().split('/')[4]), '127.0.0.1')
    socket.on('error', () => undefined).on('data', () => undefined)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.end(Buffer.concat(Array.from({ length: pieces }, () => changed(aLine()))))
    await closed
  }
]

async function toVictim(peer: RawPeer, bytes: Uint8Array): Promise<void> {
  const connection = await peer.dial(address())
  await connection.send(bytes)
  connection.hangUp()
}

async function heldBytes(): Promise<number> {
  await waitFor(() => expect(victim.getConnections().length).toBeLessThanOrEqual(1))
  await setTimeout(IDLE_MS)
  for (let round = 0; round < 2; round++) {
    collect()
    await setTimeout(10)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

it(`strangers' bytes with changes, ${MUTATIONS} of them, crash nothing and leave nothing`, async () => {
  let sent = 0
  const send = async (until: number): Promise<void> => {
    for (; sent < until; sent += OF_A_CONNECTION) await oneOf(KINDS)(OF_A_CONNECTION)
  }
  // Caches fill, and V8 compiles.
  await send(MUTATIONS / 4)
  const before = await heldBytes()
  await send(MUTATIONS)
  const grown = (await heldBytes()) - before
  process.stdout.write(`${sent} mutations, seed ${SEED}: ${(grown / MIB).toFixed(1)} MiB more than after a quarter\n`)
  expect(grown).toBeLessThan(20 * MIB)
  await honest.dial(multiaddr(address()))
  expect(await ask(honest, victim.peerId, { type: 'time' }, labProfile())).toEqual({ type: 'busy' })
})
