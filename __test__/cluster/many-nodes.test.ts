/**
 * A network in one process in which no node knows all others and most hold nothing of a name. CLUSTER_NODES says how
 * many (24; `npm run test:long` takes 50), CLUSTER_SEED which of them vanish.
 */
import { peerIdFromString } from '@libp2p/peer-id'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../scripts/crash/random.ts'
import { positionOf } from '../../src/network/table.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { distance, isWithin, radius, recordKey } from '../../src/protocol/neighbourhood/key-space.ts'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import { Lab, labProfile, type LabNode } from '../network/lab.ts'
import { waitFor } from '../wait-for.ts'

const NODES = Number(process.env['CLUSTER_NODES'] ?? 24)
const SEED = Number(process.env['CLUSTER_SEED'] ?? 1)
/** Holders of a name: a small part of all, as in a large network. */
const K = 8
const NAMES = 4
/** Past the jitter of the hourly round, in rounds of a second. */
const HOUR_AND_HALF = 5_500

const random = seededRandom(SEED)
const lab = new Lab(labProfile({ k: K, lease: 10_000_000 }))
const reveals: Reveal[] = []

beforeAll(async () => {
  process.stdout.write(`${NODES} nodes, seed ${SEED}\n`)
  for (let index = 0; index < NODES; index++) {
    const node = await lab.addNode()
    // One after the other: handshakes that all begin at once time out on one event loop.
    await waitFor(() => expect(index === 0 || node.network.knownPeers() > 0).toBe(true))
  }
  await waitFor(() => {
    for (const { network } of lab.nodes) expect(network.knownPeers()).toBeGreaterThanOrEqual(K)
  })
})

afterAll(() => lab.close())

const keyOf = (name: string): Uint8Array => recordKey('reveal', name, lab.hash)
const position = ({ network }: LabNode): Uint8Array => positionOf(peerIdFromString(network.status().peer_id))

/** Nearest to the name first. */
function byDistance(name: string): LabNode[] {
  const away = new Map(lab.nodes.map((node) => [node, distance(keyOf(name), position(node))]))
  return [...lab.nodes].sort((left, right) => away.get(left)! - away.get(right)!)
}

/** Whether a node itself holds the name. */
async function holds({ network }: LabNode, name: string): Promise<boolean> {
  const own = (await network.getReveals(name)).answers.find(({ self }) => self)
  return own !== undefined && own.state !== 'none'
}

/** Whether a node, by its own estimate of the network's size, is one of those that should hold the name. */
async function shouldHold(node: LabNode, name: string): Promise<boolean> {
  const { networkSize } = await node.network.getReveals(name)
  return isWithin(keyOf(name), position(node), radius(K, networkSize))
}

/**
 * The farthest node from a name that does not hold it. Its owner keeps it if it underestimates the network: with k
 * known peers the estimate is off by a third.
 */
async function farFrom(name: string): Promise<LabNode> {
  for (const node of byDistance(name).slice(K).reverse()) if (!(await holds(node, name))) return node
  throw new Error(`all hold ${name}`)
}

/** Asked by one that is far from it, more than half of those who should know name the one owner. */
async function isResolved({ name, pubkey }: Reveal): Promise<void> {
  const asker = await farFrom(name)
  const { answers, asked } = await asker.network.getReveals(name)
  const agreeing = answers.filter(({ reveal }) => reveal !== undefined && toHex(reveal.pubkey) === toHex(pubkey))
  expect(agreeing.length * 2).toBeGreaterThan(asked)
}

/**
 * 30% of all nodes, of which no name has more than 2 among its 8 closest. Half of all draws take 4 of some name's, and
 * then no majority is left until the next round.
 */
function drawGone(): LabNode[] {
  const closest = reveals.map(({ name }) => byDistance(name).slice(0, K))
  for (;;) {
    const left = [...lab.nodes]
    const gone = new Set(
      Array.from({ length: Math.ceil(0.3 * NODES) }, () => left.splice(random.between(0, left.length - 1), 1)[0]!)
    )
    if (closest.every((nodes) => nodes.filter((node) => gone.has(node)).length <= K / 4)) return [...gone]
  }
}

describe(`${NODES} nodes, of which ${K} hold a name`, () => {
  it('store names at the closest and resolve them from afar', async () => {
    for (let index = 0; index < NAMES; index++) {
      const at = random.pick(lab.nodes)
      const reveal = await lab.claim(at, `many-${index}.chronym`, lab.owner(`owner ${index}`))
      const { storedBy, of } = await at.network.putReveal(reveal)
      expect(storedBy * 2).toBeGreaterThan(of)
      reveals.push(reveal)
    }
    for (const reveal of reveals) await isResolved(reveal)
  })

  it('resolve them when 30% vanish, and hold them at the closest remaining peers after the next round', async () => {
    const gone = drawGone()
    await Promise.all(gone.map((node) => lab.stopNode(node)))
    for (const reveal of reveals) await isResolved(reveal)
    await waitFor(async () => {
      // Estimates of the network's size follow those who vanished, so each try is a round later.
      lab.advance(HOUR_AND_HALF)
      for (const { name } of reveals) {
        const closest = byDistance(name).slice(0, K)
        for (const node of closest) if (await shouldHold(node, name)) expect(await holds(node, name)).toBe(true)
        expect((await Promise.all(closest.map((node) => holds(node, name)))).filter(Boolean).length).toBeGreaterThan(
          K / 2
        )
      }
    })
  })
})
