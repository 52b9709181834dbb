/** Whether many nodes of one machine pass for a crowd, with real nodes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFinder, createLookUps } from '../../../src/network/routing/look-ups.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { createPeers, type Peers } from '../../../src/network/peers.ts'
import { createPrefixes } from '../../../src/network/routing/prefixes.ts'
import { createPatience } from '../../../src/network/wire/patience.ts'
import { sha256 } from '../../../src/protocol/encoding/bytes.ts'
import { placing, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const PROFILE = labProfile({ answers_per_prefix: 2 })
const OTHERS = 5

const nodes: Node[] = []
let asker: Node
let peers: Peers

function peersOf(node: Node): Peers {
  const prefixes = placing(node, createPrefixes(node, PROFILE))
  const patience = createPatience(node)
  const finder = createFinder(
    node,
    PROFILE,
    prefixes,
    () => Promise.resolve(),
    () => false,
    patience
  )
  const lookUps = createLookUps(node, finder, PROFILE, prefixes)
  return createPeers(
    node,
    PROFILE,
    { lookUps, prefixes, acquaintances: { met: () => undefined, isLongKnown: () => false }, patience },
    () => undefined
  )
}

async function start(): Promise<Node> {
  const node = await startBareNode(nodes.length, PROFILE)
  nodes.push(node)
  return node
}

beforeAll(async () => {
  asker = await start()
  peers = peersOf(asker)
  for (let index = 0; index < OTHERS; index++) await asker.dial((await start()).getMultiaddrs())
  await waitFor(() => expect(asker.services.table.size).toBe(OTHERS))
})

afterAll(async () => {
  for (const node of nodes) await node.stop()
})

const counted = (): number => peers.diverse(peers.nearest(sha256())).length

it('count as two while they are connected, and no more when they hang up', async () => {
  expect(counted()).toBe(2)
  for (const other of nodes.slice(1)) await asker.hangUp(other.peerId)
  expect(asker.getConnections()).toEqual([])
  expect(asker.services.table.size).toBe(OTHERS)
  expect(counted()).toBe(2)
})

it('say where they are once they have answered, though nothing was known before', async () => {
  const again = peersOf(asker)
  const known = again.nearest(sha256())
  expect(again.diverse(known), 'who has never been connected may be anywhere').toHaveLength(OTHERS)
  for (const { id } of known) {
    await asker.dial(id)
    await asker.hangUp(id)
  }
  expect(again.diverse(known)).toHaveLength(2)
})
