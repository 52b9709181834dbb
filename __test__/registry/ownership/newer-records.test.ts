/**
 * A daemon that lacks what was published with its keys since: restored from a backup, or beside another one with the
 * same seed.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { linksOf } from '../../../src/protocol/claim/reveal.ts'
import { OwnedNames } from '../../../src/registry/stored/owned-names.ts'
import { keys } from '../../../src/store/keys.ts'
import { MemoryStore, until } from '../claims/fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, copyOf, DAY, publish, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const LATER = { records: { '@': [{ type: 'A', value: '192.0.2.2' }] } }

describe('a daemon restored from a backup of before its last zone', () => {
  let restored: TestNode

  beforeEach(async () => {
    const node = await bench.start()
    await bench.registered(node)
    const backup = copyOf(node)
    for (const zone of [ZONE, LATER]) {
      await publish(node, zone)
    }
    await bench.closeAll()
    restored = await bench.start({ store: backup })
    expect(restored.registry.ownedNames()).toMatchObject([{ serial: 1 }])
  })

  it('takes the newer record up by itself: what it renews and sends again is that', async () => {
    await bench.clock.advance(40 * SECOND)
    await until(() => restored.registry.ownedNames()[0]!.published_serial === 3)
    expect(restored.network.own.get(ALICE)).toEqual(bench.held())
    await bench.renewed(restored)
    expect((await restored.registry.publicZone(ALICE)).zone).toEqual({ serial: 3, ...LATER })
  })

  it('does not say that a zone is published whose serial was used before; the next attempt goes above it', async () => {
    restored.registry.saveZone(ALICE, { records: {} })
    await expect(restored.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-PUB-001'))
    expect((await restored.registry.publicZone(ALICE)).zone).toEqual({ serial: 3, ...LATER })
    expect(await restored.registry.publishZone(ALICE)).toMatchObject({ serial: 4 })
    expect((await restored.registry.publicZone(ALICE)).zone).toEqual({ serial: 4, records: {} })
  })
})

describe('a daemon restored from a backup with the zone of then', () => {
  let restored: TestNode

  beforeEach(async () => {
    const node = await bench.start()
    await bench.registered(node)
    await publish(node, ZONE)
    const backup = copyOf(node)
    await publish(node, LATER)
    await bench.closeAll()
    restored = await bench.start({ store: backup })
    expect(restored.registry.localZone(ALICE)?.zone).toEqual({ serial: 2, ...ZONE })
  })

  const takenUp = async (): Promise<void> => {
    await bench.clock.advance(40 * SECOND)
    await until(() => restored.registry.ownedNames()[0]!.published_serial === 3)
  }

  it('shows the newer zone as its own, and does not publish the old one over it', async () => {
    await takenUp()
    expect(restored.registry.localZone(ALICE)?.zone).toEqual({ serial: 3, ...LATER })
    expect(await restored.registry.publishZone(ALICE)).toMatchObject({ serial: 3 })
    expect((await restored.registry.publicZone(ALICE)).zone).toEqual({ serial: 3, ...LATER })
  })

  it('keeps a zone that was edited since', async () => {
    restored.registry.saveZone(ALICE, { records: {} })
    await takenUp()
    expect(restored.registry.localZone(ALICE)?.zone.records).toEqual({})
  })
})

it('an edited zone is kept and shown as unpublished, however often a daemon with the same seed publishes', async () => {
  const other = await bench.start()
  await bench.registered(other)
  const copy = copyOf(other)
  const node = await bench.start({ store: copy })
  node.registry.saveZone(ALICE, { records: {} })
  for (const serial of [2, 3, 4]) {
    expect(await publish(other, LATER)).toMatchObject({ serial })
    await bench.clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.published_serial === serial)
    expect(node.registry.localZone(ALICE)?.zone).toEqual({ serial: serial + 1, records: {} })
    expect(node.registry.ownedNames()[0]!.serial).toBe(serial + 1)
  }
})

it('a renewal of this daemon that some peers hold already is no newer record of somebody else', async () => {
  const node = await bench.start()
  await bench.registered(node)
  await bench.clock.advance(SECOND)
  for (const peer of bench.world.peers.slice(0, 3)) peer.refuses = 'busy'
  const { task_id } = await node.registry.renew(ALICE, {})
  await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
  const lease = node.registry.ownedNames()[0]!.lease_end
  const looks = (): number => node.network.sent.filter((message) => message === `get ${ALICE}`).length
  node.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })
  await until(() => looks() > 0)
  await settle()
  expect(node.registry.ownedNames()[0]!.lease_end).toBe(lease)
  bench.refuseEverywhere(undefined)
  expect(await bench.finish(node, task_id)).toMatchObject({ status: 'completed' })
  expect(node.registry.ownedNames()[0]!.lease_end > lease).toBe(true)
})

it.each([true, false])(
  'the claim that the peers have settled on is taken up, of two that daemons with one seed have made (older: %s)',
  async (isOlder) => {
    const [one, two] = [await bench.start(), await bench.start({ self: 'peer-1', store: new MemoryStore() })]
    await bench.registered(one)
    const older = bench.held()
    bench.holdEverywhere(undefined)
    await bench.clock.advance(10 * SECOND)
    await bench.registered(two)
    const newer = bench.held()
    const [loser, winning, losing] = isOlder ? [two, older, newer] : [one, newer, older]
    const showAt = (state: 'fresh' | 'settled'): void => {
      for (const peer of bench.world.peers) peer.reveals.set(ALICE, { state, reveal: winning })
    }
    expect(loser.network.own.get(ALICE)).toEqual(losing)
    showAt('fresh')
    await bench.clock.advance(40 * SECOND)
    await settle()
    expect(loser.network.own.get(ALICE), 'a contest may still end otherwise').toEqual(losing)
    showAt('settled')
    let timesWithoutIt = 0
    loser.store.onWritten = () => {
      if (loser.store.get(keys.ownedName(ALICE)) === undefined) timesWithoutIt++
    }
    await bench.clock.advance(40 * SECOND)
    await until(() => loser.network.own.get(ALICE)!.drand_pulse === winning.drand_pulse)
    await bench.renewed(loser)
    expect(linksOf(bench.held())[0]!.p).toBe(winning.drand_pulse)
    expect(timesWithoutIt, 'a crash between two writes would lose the name').toBe(0)
  }
)

const readOwned = (node: TestNode) => new OwnedNames(node.store, profile).get(ALICE)!

describe('two daemons with one seed', () => {
  const NOTICED = [{ code: 'other-daemon' }]
  let one: TestNode
  let two: TestNode

  beforeEach(async () => {
    one = await bench.start()
    await bench.registered(one)
    const copy = copyOf(one)
    two = await bench.start({ store: copy, self: 'peer-1' })
  })

  it.each([ZONE, LATER, { records: {} }])(
    'that publish one after the other: the second looks first, is refused, keeps its draft and comes after (%j)',
    async (other) => {
      one.registry.saveZone(ALICE, { records: { '@': [{ type: 'TXT', value: '"one"' }] } })
      two.registry.saveZone(ALICE, other)
      expect(await one.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
      const served = bench.held()
      const sent = two.network.sent.length
      await expect(two.registry.publishZone(ALICE)).rejects.toThrow(
        expect.objectContaining({
          code: 'SVC-PUB-001',
          message: expect.stringMatching(/serial 2 .* Another daemon has this seed.*zone diff alice/) as string
        })
      )
      expect(two.network.sent.slice(sent).filter((message) => message.startsWith('reveal'))).toEqual([])
      expect(bench.held()).toEqual(served)
      expect(two.registry.ownedNames()[0]!.warnings).toMatchObject(NOTICED)
      expect(two.registry.localZone(ALICE)).toMatchObject({ state: 'draft', zone: { serial: 3, ...other } })
      expect(await two.registry.publishZone(ALICE)).toMatchObject({ serial: 3 })
    }
  )

  // Some of these hashes are below that of the other zone, some above.
  it.each(['a', 'b', 'c', 'd', 'e', 'f'])(
    'that publish what too few peers took, while the other published with its serial, are refused too (%s)',
    async (text) => {
      const records = { '@': [{ type: 'TXT', value: `"${text}"` }] }
      one.registry.saveZone(ALICE, { records })
      bench.refuseEverywhere('busy')
      await expect(one.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-PUB-002'))
      bench.refuseEverywhere(undefined)
      expect(await publish(two, LATER)).toMatchObject({ serial: 2 })
      await expect(one.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-PUB-001'))
      expect(one.registry.ownedNames()[0]!.warnings).toMatchObject(NOTICED)
      expect(await one.registry.publishZone(ALICE)).toMatchObject({ serial: 3 })
      expect((await two.registry.publicZone(ALICE)).zone.records).toEqual(records)
    }
  )

  it.each([ZONE, LATER, { records: {} }])(
    'that publish with one serial at one moment: only who is read back says so, and the other is warned (%j)',
    async (other) => {
      const events: string[] = []
      for (const node of [one, two])
        node.registry.subscribe(({ type, detail }) => events.push(`${type} ${detail.warning ?? ''}`))
      one.registry.saveZone(ALICE, { records: { '@': [{ type: 'TXT', value: '"one"' }] } })
      two.registry.saveZone(ALICE, other)
      const [first, second] = await Promise.all(
        [one, two].map((node) =>
          node.registry.publishZone(ALICE).then(
            ({ serial }) => serial,
            (error: unknown) => (error as { code: string }).code
          )
        )
      )
      const served = (await two.registry.publicZone(ALICE)).zone
      expect([first, served.serial]).toEqual([2, 2])
      if (second === 2) expect(served.records).toEqual(other.records)
      else expect([second, served.records]).toEqual(['SVC-PUB-001', { '@': [{ type: 'TXT', value: '"one"' }] }])
      await bench.clock.advance(40 * SECOND)
      const loser = second === 2 ? one : two
      await until(() => loser.registry.ownedNames()[0]!.warnings.length > 0)
      expect(loser.registry.ownedNames()[0]!.warnings).toMatchObject(NOTICED)
      await bench.clock.advance(40 * SECOND)
      await until(() => events.includes('name:warning other-daemon'))
    }
  )

  it('are noticed by the daemon whose zone is served, where a peer has noted the other', async () => {
    await publish(one, ZONE)
    const ours = claimOf(bench.held(), ALICE as Name, profile)
    one.network.noted.set(ALICE, {
      equivocation: { round: ours.newestRound, serial: 2, payloadHashes: [ours.payloadHash, new Uint8Array(32)] }
    })
    one.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })
    await until(() => one.registry.ownedNames()[0]!.warnings.length > 0)
    expect(one.registry.ownedNames()[0]!.warnings).toMatchObject(NOTICED)
  })

  it('are warned of for a week after the other was last seen', async () => {
    await publish(two, ZONE)
    await bench.clock.advance(40 * SECOND)
    await until(() => one.registry.ownedNames()[0]!.warnings.length > 0)
    const { foreign } = readOwned(one)
    expect(foreign).toMatchObject({ serial: 2 })
    bench.clock.set(bench.clock.now() + 7 * DAY)
    expect(one.registry.ownedNames()[0]!.warnings.map(({ code: warned }) => warned)).not.toContain('other-daemon')
  })
})
