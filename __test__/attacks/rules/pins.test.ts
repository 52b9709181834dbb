/**
 * Attacks on a resolver's memory, each under its name in docs/protocol/. The real registry, twenty peers, and the
 * test's own clock.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { PinView } from '../../../src/views/pin.ts'
import { FakeWorld } from '../../registry/fake-world.ts'
import { profile } from '../../registry/test-profile.ts'
import type { TestNode } from '../../registry/test-node.ts'
import { ALICE, code, SECOND, useWorkbench } from '../../registry/workbench.ts'
import { MemoryStore } from '../../registry/claims/fakes.ts'
import { settle } from '../../time/manual-clock.ts'

const SPAN_MS = profile.pin_after * profile.beacon.period * SECOND

const bench = useWorkbench()

let world: FakeWorld
let store: MemoryStore
let resolver: TestNode
let owners: Reveal
let thiefs: Reveal

async function registeredIn(network: FakeWorld, seed: number): Promise<Reveal> {
  const node = await bench.start({ world: network, seed, registry: { automaticRenewal: () => false } })
  await bench.registered(node)
  await node.close()
  return network.peers[0]!.reveals.get(ALICE)!.reveal
}

/** What a look-up of the resolver comes to from now on. */
function shown(reveal: Reveal, peers = world.peers.length): void {
  for (const peer of world.peers.slice(0, peers)) peer.reveals.set(ALICE, { state: 'settled', reveal })
}

/** Time passes in steps, so that services have their turns. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 30 * SECOND) {
    await bench.clock.advance(Math.min(left, 30 * SECOND))
    await settle()
  }
}

/** The owner that it resolves; otherwise the code. */
const resolved = (): Promise<string> =>
  resolver.registry.resolve(ALICE).then(
    ({ reveal }) => nameOf(reveal.pubkey),
    (error: unknown) => (error as ServiceError).code
  )
const nameOf = (pubkey: Uint8Array | string): string =>
  Buffer.from(owners.pubkey).equals(typeof pubkey === 'string' ? Buffer.from(pubkey, 'hex') : pubkey)
    ? 'owner'
    : 'thief'
const pin = (): (Pick<PinView, 'state'> & { of: string; isContested: boolean }) | undefined =>
  resolver.registry
    .pins()
    .map(({ state, owner, contested_until: until }) => ({ state, of: nameOf(owner!), isContested: until !== null }))[0]

beforeEach(async () => {
  world = new FakeWorld(bench.clock, 20)
  owners = await registeredIn(world, 1)
  thiefs = await registeredIn(new FakeWorld(bench.clock, 1), 3)
  store = new MemoryStore()
  resolver = await bench.start({ world, store, seed: 2, self: undefined })
})

describe('a resolver without a pin', () => {
  it('[a majority seen once] binds nobody: contested for a day, the owner resolves again', async () => {
    shown(thiefs)
    expect(await resolved()).toBe('thief')
    // However often anybody looks meanwhile.
    for (let looks = 0; looks < 5; looks++) {
      expect(await resolver.registry.explain(ALICE)).toMatchObject({ resolves: 'settled' })
      await pass(SPAN_MS / 10)
    }
    expect(pin()).toEqual({ state: 'tentative', of: 'thief', isContested: false })
    shown(owners)
    // Its own second look finds the owner, whatever was kept of the first one.
    await pass(SPAN_MS / 2 + 60 * SECOND)
    expect(pin()).toEqual({ state: 'tentative', of: 'owner', isContested: true })
    await expect(resolver.registry.resolve(ALICE)).rejects.toMatchObject({
      code: 'SVC-RES-004',
      extensions: { candidates: [{ votes: 20 }, { votes: 0 }] }
    })

    await pass(SPAN_MS + 60 * SECOND)
    expect(pin()).toEqual({ state: 'firm', of: 'owner', isContested: false })
    expect(await resolved()).toBe('owner')
    shown(thiefs)
    await expect(resolver.registry.explain(ALICE)).resolves.toMatchObject({
      rule: 'pin',
      error: { code: 'SVC-RES-004' }
    })
    shown(owners)
    expect((await resolver.registry.explain(ALICE)).resolves).toBe('settled')
  })

  it('[a majority seen once] after the owner makes the name contested for a day', async () => {
    expect(await resolved()).toBe('owner')
    shown(thiefs)
    await expect(resolver.registry.explain(ALICE)).resolves.toMatchObject({
      rule: 'two-majorities',
      owner: null,
      error: { code: 'SVC-RES-004' },
      pin: { state: 'tentative', rival: Buffer.from(owners.pubkey).toString('hex') }
    })
    for (let passed = 0; passed < SPAN_MS - 60 * SECOND; passed += 60 * SECOND) {
      expect(await resolved()).toBe('SVC-RES-004')
      await pass(60 * SECOND)
    }
  })

  it('[a majority seen once] is cleared by a command, and the next look decides', async () => {
    shown(thiefs)
    await resolved()
    shown(owners)
    await expect(resolver.registry.explain(ALICE)).resolves.toMatchObject({ rule: 'two-majorities' })
    expect(await resolved()).toBe('SVC-RES-004')
    resolver.registry.forgetPin(ALICE)
    expect(await resolved()).toBe('owner')
    resolver.registry.forgetPin(ALICE)
    expect(() => resolver.registry.forgetPin(ALICE)).toThrow(code('SVC-PIN-001'))
  })

  it('[a majority seen once] is told from an answer of a few, which makes nothing contested', async () => {
    expect(await resolved()).toBe('owner')
    for (const peer of world.peers.slice(8)) peer.silent = 'no-answer'
    shown(thiefs, 8)
    expect(await resolver.registry.explain(ALICE)).toMatchObject({
      rule: 'majority',
      resolves: 'thin',
      pin: { state: 'tentative', rival: null },
      notes: expect.arrayContaining([expect.stringMatching(/^Warning: seen as the settled owner/)])
    })
    expect(pin()).toEqual({ state: 'tentative', of: 'owner', isContested: false })
  })
})

describe('a resolver that has seen the owner once', () => {
  it('[another owner before the lease is dead] is not believed after the second look, or a restart', async () => {
    expect(await resolved()).toBe('owner')
    expect(pin()).toMatchObject({ state: 'tentative' })
    await resolver.close()
    resolver = await bench.start({ world, store, seed: 2, self: undefined })
    const before = resolver.network.breadths.length
    await pass(SPAN_MS - 60 * SECOND)
    expect(resolver.network.breadths.slice(before)).toEqual([])
    await pass(120 * SECOND)
    expect(resolver.network.breadths.slice(before)).toEqual(['everybody'])
    expect(pin()).toEqual({ state: 'firm', of: 'owner', isContested: false })
    shown(thiefs)
    await pass(SPAN_MS)
    await expect(resolver.registry.explain(ALICE)).resolves.toMatchObject({ rule: 'pin' })
  })
})
