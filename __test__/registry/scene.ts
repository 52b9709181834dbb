/** Two nodes, of which one owns a name, and what the other explains of it. */
import * as v from 'valibot'
import { beforeEach, expect } from 'vitest'
import { type Explanation, ExplanationSchema } from '../../src/views/explanation.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { nameKey } from '../../src/protocol/crypto/keys.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { type Reveal } from '../../src/protocol/claim/reveal.ts'
import { FakeWorld } from './fake-world.ts'
import { profile } from './test-profile.ts'
import type { TestNode } from './test-node.ts'
import { ALICE, useWorkbench } from './workbench.ts'

export const KEY = toHex(nameKey(new Uint8Array(32).fill(1), profileHash(profile), ALICE as Name).publicKey)
export const RIVAL_KEY = toHex(nameKey(new Uint8Array(32).fill(3), profileHash(profile), ALICE as Name).publicKey)

export const bench = useWorkbench()

export let owner: TestNode
export let asker: TestNode

export const start = (self: string | undefined, seed: number, world = bench.world): Promise<TestNode> =>
  bench.start({ world, seed, self, registry: { automaticRenewal: () => false } })

export async function registered(node: TestNode, world = bench.world): Promise<Reveal> {
  await bench.registered(node)
  return world.peers[0]!.reveals.get(ALICE)!.reveal
}

/** The same name registered by another key in another network of the same profile. */
export async function rival(): Promise<Reveal> {
  const elsewhere = new FakeWorld(bench.clock, 1)
  return registered(await start('peer-0', 3, elsewhere), elsewhere)
}

/** What the HTTP interface would send: it has to fit the schema. */
export async function explained(node: TestNode, options?: { withOwn: boolean }): Promise<Explanation> {
  const explanation = await node.registry.explain(ALICE, options)
  expect(v.parse(ExplanationSchema, explanation)).toEqual(explanation)
  return explanation
}

beforeEach(async () => {
  owner = await start('peer-0', 1)
  asker = await start(undefined, 2)
})
