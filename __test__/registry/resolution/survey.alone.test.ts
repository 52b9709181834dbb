/** A daemon that no peer answers. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Name } from '../../../src/protocol/name/names.ts'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import type { Pin, SeenClaim } from '../../../src/protocol/resolution/pin.ts'
import { Memory } from '../../../src/registry/stored/memory.ts'
import { Pins } from '../../../src/registry/stored/pins.ts'
import { settle } from '../../time/manual-clock.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, DAY, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const OTHER: SeenClaim = { claim: new Uint8Array(32).fill(8), pubkey: new Uint8Array(32).fill(9) }
const HOUR = 3600 * SECOND

let owner: TestNode
let holder: TestNode

const start = (self: string | undefined, seed: number): Promise<TestNode> =>
  bench.start({ self, seed, registry: { automaticRenewal: () => false } })
const refused = (node: TestNode): Promise<void> =>
  expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-001'))

beforeEach(async () => {
  owner = await start('peer-0', 1)
  holder = await start('peer-1', 2)
  const { task_id } = await owner.registry.register(ALICE, { zone: ZONE })
  await bench.finish(owner, task_id)
})

describe('a daemon in mode offline', () => {
  beforeEach(async () => {
    await owner.registry.setMode('offline')
    await holder.registry.setMode('offline')
  })

  it.each(['own', 'held'] as const)(
    'answers for a name from its %s record, as thin, and pins nothing',
    async (source) => {
      const node = source === 'own' ? owner : holder
      const pinned = node.registry.pins()
      expect(await node.registry.resolve(ALICE)).toMatchObject({ source, confidence: 'thin', reveal: { name: ALICE } })
      expect(await node.registry.lookUp(ALICE)).toMatchObject({ resolved: { source }, freshMs: 5 * SECOND })
      expect(await node.registry.publicZone(ALICE)).toMatchObject({ source, state: 'published', zone: ZONE })
      expect(node.registry.networkStatus()).toMatchObject({ alone: true })
      const explained = await node.registry.explain(ALICE, { withOwn: true })
      expect(explained).toMatchObject({
        rule: 'nobody-answers',
        state: 'unconfirmed',
        resolves: 'thin',
        source,
        error: null,
        verdict: expect.stringMatching(
          source === 'own' ? /its own record.* this daemon;/ : /it holds.* the key /
        ) as string
      })
      expect(node.registry.pins()).toEqual(pinned)
    }
  )

  it('[an isolated resolver] knows nothing of other names', async () => {
    await expect(owner.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-001'))
    await expect(owner.registry.explain('bob.chronym')).rejects.toThrow(code('SVC-RES-001'))
  })

  it('gives the answer of the network once that is there', async () => {
    await owner.registry.resolve(ALICE)
    await owner.registry.setMode('full')
    expect(await owner.registry.resolve(ALICE)).toMatchObject({ source: 'network', confidence: 'settled' })
    expect(owner.registry.networkStatus()).toMatchObject({ alone: false })
  })

  it('answers no longer than the lease runs', async () => {
    bench.clock.set(bench.clock.now() + 7.5 * DAY)
    await refused(owner)
    await refused(holder)
  })

  it('logs an outage once', async () => {
    const warn = vi.spyOn(owner.dependencies.log, 'warn')
    for (let number = 0; number < 3; number++) {
      await owner.registry.resolve(ALICE)
      await bench.clock.advance(10 * SECOND)
      await settle()
    }
    expect(warn.mock.calls.filter(([, message]) => message.startsWith('no peer answers'))).toHaveLength(1)
    warn.mockRestore()
  })
})

describe('a name that all peers deny', () => {
  beforeEach(() => bench.holdEverywhere(undefined))

  it('is answered by its owner from the own record, as thin, and denied by others', async () => {
    expect(await owner.registry.resolve(ALICE)).toMatchObject({ source: 'own', confidence: 'thin' })
    expect(await owner.registry.explain(ALICE, { withOwn: true })).toMatchObject({
      rule: 'nobody-holds-it',
      resolves: 'thin',
      source: 'own',
      error: null
    })
    await expect(holder.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002', { extensions: {} }))
  })

  it.each([
    ['has no lease but its grace, by its owner', 7.5, 'SVC-RES-003', {}],
    ['has lapsed', 8.5, 'SVC-RES-002', {}]
  ] as const)('is not answered once it %s', async (_when, days, refusal, extensions) => {
    bench.clock.set(bench.clock.now() + days * DAY)
    await expect(owner.registry.resolve(ALICE)).rejects.toThrow(code(refusal, { extensions }))
  })

  it('is denied without a word that binds where it is looked for after a restore from the words', async () => {
    const restored = await start(undefined, 1)
    await expect(restored.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002', { extensions: {} }))
    await restored.registry.adopt(ALICE)
    await expect(restored.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002', { extensions: { thin: true } }))
  })
})

const ours = (): SeenClaim => {
  const { id, pubkey } = claimOf(bench.held(), ALICE as Name, profile)
  return { claim: id, pubkey }
}

describe('what is known speaks against the record that is held:', () => {
  const pinned = (pin: (round: number) => Pin): void => {
    const { drand_pulse: round } = bench.held()
    new Pins(holder.store, profile).set(ALICE, { ...pin(round), code: '7kq2mx' })
  }

  it('a firm pin of another owner', async () => {
    pinned((round) => ({ state: 'firm', ...OTHER, newestRound: round, firstRound: round, firmRound: round }))
    await holder.registry.setMode('offline')
    await refused(holder)
  })

  it.each([
    ['the other owner', (): SeenClaim => OTHER],
    ['another claim of the same key', () => ({ ...ours(), claim: OTHER.claim })],
    ['two owners, one after the other', () => ({ ...ours(), rival: OTHER })]
  ])('most peers have named %s', async (_what, owners) => {
    pinned((round) => ({
      state: 'tentative',
      newestRound: round,
      firstRound: round,
      lookRound: round + profile.pin_after,
      ...owners()
    }))
    await holder.registry.setMode('offline')
    await refused(holder)
  })

  it('a newer record of the key was seen', async () => {
    const reveal = bench.held()
    const claim = claimOf(reveal, ALICE as Name, profile)
    new Memory(holder.store).see({ ...claim, serial: claim.serial + 1 })
    await holder.registry.setMode('offline')
    await refused(holder)
  })

  it('nobody has confirmed it', async () => {
    bench.world.peers[1]!.reveals.get(ALICE)!.state = 'provisional'
    await holder.registry.setMode('offline')
    await refused(holder)
  })
})

it('peers have settled on another key: the own record is not an answer', async () => {
  const other = await start('peer-2', 3)
  bench.holdEverywhere(undefined)
  owner.network.mode = 'offline'
  await bench.registered(other)
  owner.network.mode = 'full'
  await bench.clock.advance(40 * SECOND)
  await vi.waitUntil(() => owner.registry.ownedNames()[0]!.state === 'lost')
  bench.world.peers[0]!.reveals.delete(ALICE)
  await owner.registry.setMode('offline')
  await refused(owner)
})

describe('a daemon whose peers do not answer', () => {
  it('answers after the failed look-up, then at once while it asks again, and with what they say once they do', async () => {
    const light = await bench.start({ self: undefined, seed: 1, store: owner.store })
    for (const peer of bench.world.peers) peer.silent = 'no-answer'
    expect(await light.registry.resolve(ALICE)).toMatchObject({ source: 'own', confidence: 'thin' })
    for (const peer of bench.world.peers) peer.silent = undefined
    await bench.clock.advance(6 * SECOND)
    expect(await light.registry.resolve(ALICE)).toMatchObject({ source: 'own' })
    await settle()
    expect(await light.registry.resolve(ALICE)).toMatchObject({ source: 'network', confidence: 'settled' })
  })

  it('is thin and pins nothing by the vote of its own store, where that votes', async () => {
    for (const peer of bench.world.peers) if (peer.id !== 'peer-1') peer.silent = 'no-answer'
    expect(await holder.registry.resolve(ALICE)).toMatchObject({ source: 'held', confidence: 'thin' })
    expect(holder.registry.pins()).toEqual([])
  })

  it('prefers what they said before, as long as that may be given', async () => {
    expect(await holder.registry.resolve(ALICE)).toMatchObject({ source: 'network', confidence: 'settled' })
    bench.clock.set(bench.clock.now() + HOUR)
    holder.network.mode = 'offline'
    for (let number = 0; number < 3; number++) {
      expect(await holder.registry.resolve(ALICE)).toMatchObject({ source: 'network', confidence: 'settled' })
      await settle()
      await bench.clock.advance(10 * SECOND)
    }
    bench.clock.set(bench.clock.now() + 24 * HOUR)
    expect(await holder.registry.resolve(ALICE)).toMatchObject({ source: 'held', confidence: 'thin' })
  })
})
