/** Which connections a node closes that has too many, with real nodes, each in a place of 127.0.0.0/8. */
import { multiaddr } from '@multiformats/multiaddr'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { Connection } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepPlaces } from '../../../src/network/routing/keep-places.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { readFrame, writeFrame } from '../../../src/network/wire/frame.ts'
import { encodeMessage, registryProtocol, type Request } from '../../../src/network/wire/messages.ts'
import { positionOf } from '../../../src/network/table.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import { offer, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const PROFILE = labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 })
/** Six for strangers: two /16s fill them. */
const PLACES = { all: 8, kept: 2, peer: 2, prefix: 2, widePrefix: 3 }
const LONG_MS = 60_000

const nodes: Node[] = []
let nowMs = 0
let victim: Node
let end: () => void

beforeEach(async () => {
  victim = await start('127.0.0.1')
  end = keepPlaces(victim, PROFILE, { now: () => nowMs, places: PLACES })
})

afterEach(async () => {
  end()
  for (const node of nodes.splice(0)) await node.stop()
})

async function start(place: string): Promise<Node> {
  const node = await startBareNode(nodes.length, PROFILE, place)
  nodes.push(node)
  return node
}

/**
 * A peer that answers no look-ups, so that it enters no table. Its connection to the victim is open there, and no
 * longer young.
 */
async function stranger(place: string): Promise<Connection> {
  const node = await start(place)
  await node.unhandle(registryProtocol(PROFILE))
  const connection = await node.dial(victim.getMultiaddrs())
  await waitFor(() => expect(victim.getConnections(node.peerId)).not.toHaveLength(0))
  nowMs += LONG_MS
  return connection
}

const isOpen = ({ status }: Connection): boolean => status === 'open'

it('closes an idle one of the fullest prefix for a newcomer, not a neighbour or a busy one', async () => {
  const neighbour = await start('127.7.0.1')
  const toNeighbour = await neighbour.dial(victim.getMultiaddrs())
  await waitFor(() => expect(victim.services.table.size).toBe(1))
  const asks = await stranger('127.1.0.1')
  await asks.newStream(registryProtocol(PROFILE))
  const idle = [await stranger('127.1.1.1'), await stranger('127.1.2.1')]
  const others = [await stranger('127.2.1.1'), await stranger('127.2.2.1'), await stranger('127.3.0.1')]
  expect([toNeighbour, asks, ...idle, ...others].every(isOpen)).toBe(true)
  const newcomers = [await stranger('127.4.0.1'), await stranger('127.5.0.1')]
  // Of 127.1 there were three, then of 127.1 and of 127.2 two each.
  await waitFor(() => expect(idle.map(isOpen)).toEqual([false, false]))
  expect([toNeighbour, asks, ...others, ...newcomers].every(isOpen)).toBe(true)
})

it('a connection is idle once its only stream rests', async () => {
  const asks = await stranger('127.1.0.1')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    const stream = await asks.newStream(registryProtocol(PROFILE))
    const question: Request = { type: 'get', kind: 'reveal', key: new Uint8Array(32) }
    await Promise.all([readFrame(stream), writeFrame(stream, encodeMessage(question))])
    vi.advanceTimersByTime(31_000)
  } finally {
    vi.useRealTimers()
  }
  const others = [await stranger('127.1.1.1'), await stranger('127.1.2.1')]
  expect([asks, ...others].every(isOpen)).toBe(true)
  others.push(await stranger('127.1.3.1'))
  await waitFor(() => expect([asks, ...others].map(isOpen)).toEqual([false, true, true, true]))
})

it('closes the third of a peer, and what is beyond the places of a prefix', async () => {
  const node = await start('127.1.0.1')
  await node.unhandle(registryProtocol(PROFILE))
  for (let count = 0; count < 4; count++) await node.dial(victim.getMultiaddrs(), { force: true })
  await waitFor(() => expect(victim.getConnections(node.peerId)).toHaveLength(PLACES.peer))
  nowMs += LONG_MS
  for (let host = 2; host < 5; host++) await stranger(`127.1.0.${host}`)
  await waitFor(() =>
    expect(
      victim.getConnections().filter(({ remoteAddr }) => remoteAddr.toString().includes('/127.1.0.'))
    ).toHaveLength(PLACES.prefix)
  )
})

it('takes a connection over what it dials itself for what it is', async () => {
  const dialled = await start('127.9.0.1')
  await dialled.unhandle(registryProtocol(PROFILE))
  await victim.dial(multiaddr(dialled.getMultiaddrs()[0]!.toString()))
  nowMs += LONG_MS
  for (let net = 1; net < 10; net++) await stranger(`127.${10 + net}.0.1`)
  expect(victim.getConnections(dialled.peerId)).toHaveLength(1)
  await waitFor(() => expect(victim.getConnections()).toHaveLength(PLACES.all - PLACES.kept + 1))
})

it('keeps the neighbour though hundreds of ids in the table are nearer [a crowd around one node]', async () => {
  const neighbour = await start('127.7.0.1')
  const toNeighbour = await neighbour.dial(victim.getMultiaddrs())
  await waitFor(() => expect(victim.services.table.size).toBe(1))
  nowMs += LONG_MS
  const own = positionOf(victim.peerId)
  const ids = Array.from({ length: 20_000 }, (_, index) =>
    peerIdFromPublicKey(publicKeyFromRaw(sha256(utf8(`crowd ${index}`))))
  )
  const crowd = ids
    .sort((left, right) => distance(own, positionOf(left)) - distance(own, positionOf(right)))
    .slice(0, 200)
  for (const id of crowd) await offer(victim, id)
  expect(victim.services.table.nearest(own).findIndex(({ id }) => id.equals(neighbour.peerId))).toBeGreaterThan(
    4 * PROFILE.k
  )
  for (let net = 1; net < 10; net++) await stranger(`127.${10 + net}.0.1`)
  await waitFor(() => expect(victim.getConnections()).toHaveLength(PLACES.all - PLACES.kept + 1))
  expect(isOpen(toNeighbour)).toBe(true)
})
