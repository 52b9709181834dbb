/** The sealed list that one name carries: when it is published, what else it leaves alone, and what it brings back. */
import { beforeEach, describe, expect, it } from 'vitest'
import { wantedRecords } from '../../../src/backup/restore.ts'
import { createIdentity } from '../../../src/protocol/identity/seed.ts'
import { nameListKey } from '../../../src/protocol/crypto/keys.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { openNameList, sealNameList } from '../../../src/protocol/zone/name-list.ts'
import { sealedPart, serializeZone } from '../../../src/protocol/zone/zone.ts'
import { createContext } from '../../../src/registry/context.ts'
import { revealWithPayload } from '../../../src/registry/publication/publishing.ts'
import { encodeAdoption } from '../../../src/registry/stored/owned-names.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import { MemoryStore, until } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode, TestNodeOptions } from '../test-node.ts'
import { ALICE, copyOf, publish, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const BOB = 'bob.chronym'
const SEED = new Uint8Array(32).fill(1)
const LATER = { records: { '@': [{ type: 'A', value: '192.0.2.2' }] } }
/** A draw. */
const TICK = 900 * SECOND

const bench = useWorkbench()
let listIn: string
let drawn: number
let node: TestNode

const start = (options: Partial<TestNodeOptions> = {}): Promise<TestNode> =>
  bench.start({ listIn: () => listIn, random: () => drawn, ...options })
/** What others see, opened with the seed. */
const listed = (name = ALICE): string[] | undefined => {
  const sealed = sealedPart(bench.held(name).payload, profile)
  return sealed && openNameList(nameListKey(SEED, profileHash(profile), name as Name), sealed, profile)
}
const state = (at = node): string | undefined => at.registry.nameList()?.state
const names = (at: TestNode): string[] => at.registry.ownedNames().map(({ name }) => name)
const publishHere = (zone: unknown, name = ALICE): Promise<unknown> => publish(node, zone, name)
const drawnAndKept = async (): Promise<void> => {
  await bench.clock.advance(TICK)
  await until(() => state() === 'kept')
}
const bothRegistered = async (): Promise<void> => {
  await bench.registered()
  await bench.registered(node, BOB)
}

beforeEach(async () => {
  listIn = ALICE
  drawn = 0
  node = await start()
})

describe('a list of names', () => {
  it('is published with the name that carries it, and again some hours after others came', async () => {
    expect(state()).toBe('not-owned')
    await bench.registered()
    expect(listed()).toEqual([])
    expect(state()).toBe('kept')
    await bench.registered(node, BOB)
    const { did } = await node.registry.publishKid({
      document: createIdentity(SEED, { index: 3, services: [], alsoKnownAs: [] }, '2026-01-01T00:00:00.000Z', profile)
    })
    drawn = 0.05
    await bench.clock.advance(2 * TICK)
    expect(listed()).toEqual([])
    expect(state()).toBe('waiting')
    drawn = 0.04
    await drawnAndKept()
    expect(listed()).toEqual([BOB, did])
    const { payload } = bench.held()
    await bench.clock.advance(TICK)
    expect(bench.held().payload).toEqual(payload)
  })

  it('is tried again at the next draw, whatever is drawn, where nobody could be asked', async () => {
    await bothRegistered()
    node.network.mode = 'offline'
    await bench.clock.advance(TICK)
    node.network.mode = 'full'
    node.network.fail('reveal')
    drawn = 0.99
    await bench.clock.advance(TICK)
    const signed = node.network.own.get(ALICE)!
    expect(state()).toBe('waiting')
    node.network.before = () => undefined
    await drawnAndKept()
    expect(listed()).toEqual([BOB])
    expect(bench.held().payload).toEqual(signed.payload)
  })

  it('does not publish a draft, which stays one above it and carries the list later', async () => {
    await bench.registered()
    await publishHere(ZONE)
    node.registry.saveZone(ALICE, LATER)
    await bench.registered(node, BOB)
    await drawnAndKept()
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 4, ...ZONE })
    expect(node.registry.localZone(ALICE)).toEqual({ zone: { serial: 5, ...LATER }, source: 'local', state: 'draft' })
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 5 })
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 5, ...LATER })
    expect(listed()).toEqual([BOB])
  })

  it('goes with the next publication at once, which is not a second change where nothing changed', async () => {
    await bench.registered()
    await node.registry.adopt('carol.chronym')
    // There is no zone of its own yet.
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
    expect(listed()).toEqual(['carol.chronym'])
    node.registry.stopAdopting('carol.chronym')
    await bench.registered(node, BOB)
    expect(node.registry.nameList()?.detail).toContain(`chronym zone publish ${ALICE}`)
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 3 })
    expect(listed()).toEqual([BOB])
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 3 })
    expect(node.registry.drafts()).toEqual([])
    await node.registry.adopt('carol.chronym')
    await drawnAndKept()
    await node.registry.adopt('dave.chronym')
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 5 })
    expect(listed()).toEqual([BOB, 'carol.chronym', 'dave.chronym'])
  })

  it('leaves no draft behind a zone that was signed with it and reached nobody', async () => {
    await bench.registered()
    node.network.fail('reveal')
    await expect(publishHere(ZONE)).rejects.toThrow('nobody takes it')
    expect(node.registry.drafts()).toEqual([])
  })

  it('goes with each renewal, with and without a zone', async () => {
    await bothRegistered()
    await drawnAndKept()
    for (const request of [{}, { zone: LATER }]) {
      await bench.clock.advance(60 * SECOND)
      const { task_id } = await node.registry.renew(ALICE, request)
      expect(await bench.finish(node, task_id)).toMatchObject({ status: 'completed' })
      expect(listed()).toEqual([BOB])
    }
    expect((await node.registry.publicZone(ALICE)).zone).toMatchObject(LATER)
  })

  it('has neither released names nor what is only guessed, but what is still looked for', async () => {
    await bothRegistered()
    await node.registry.adopt('carol.chronym')
    node.store.put(keys.wanted('guess.chronym'), encodeAdoption({ sinceMs: 0, isGuess: true }))
    node.registry.release(BOB)
    await publishHere(ZONE)
    expect(listed()).toEqual(['carol.chronym'])
    node.registry.release(ALICE)
    expect(state()).toBe('not-owned')
  })

  it('waits for a locked seed', async () => {
    await bothRegistered()
    node.seed.lock()
    await bench.clock.advance(TICK)
    expect(node.registry.nameList()).toMatchObject({
      state: 'waiting',
      detail: expect.stringContaining('unlocked') as string
    })
    node.unlock()
    await drawnAndKept()
    expect(listed()).toEqual([BOB])
  })
})

describe('the zone of the name that carries a list', () => {
  const zoneOf = (size: number): unknown => ({
    records: {
      '@': Array.from({ length: size }, (_, index) => ({ type: 'TXT', value: `${index}`.padStart(200, '.') }))
    }
  })

  it('comes first: where both have no room, the list is left out, until they have', async () => {
    await bench.registered()
    await publishHere(zoneOf(70))
    expect(listed()).toBeUndefined()
    expect(node.registry.nameList()).toMatchObject({
      state: 'no-room',
      detail: expect.stringContaining('512 bytes') as string
    })
    await publishHere(ZONE)
    expect(listed()).toEqual([])
  })

  it('keeps the list of before where there are more names than the longest holds', async () => {
    await bench.registered()
    for (let index = 0; index < 700; index++)
      node.store.put(keys.wanted(`name-${index}.chronym`), encodeAdoption({ sinceMs: 0, isGuess: false }))
    expect(state()).toBe('no-room')
    await publishHere(ZONE)
    expect(listed()).toEqual([])
  })

  it('keeps it as it is without the setting, and loses it where another name has it, or none', async () => {
    await bothRegistered()
    await publishHere(ZONE)
    expect(listed()).toEqual([BOB])
    listIn = ''
    expect(state()).toBe('not-updated')
    await publishHere(LATER)
    expect(listed()).toEqual([BOB])
    listIn = BOB
    await publishHere(ZONE)
    await publishHere(ZONE, BOB)
    expect(listed()).toBeUndefined()
    expect(listed(BOB)).toEqual([ALICE])
    listIn = 'none'
    expect(node.registry.nameList()).toBeNull()
    await publishHere(LATER, BOB)
    expect(listed(BOB)).toBeUndefined()
  })
})

describe('a daemon that takes up the name with the list', () => {
  const wanting = (ids: readonly string[]): MemoryStore => {
    const store = new MemoryStore()
    store.batch([...wantedRecords(SEED, profile, { ids, sinceMs: 0 })].map(([put, value]) => ({ put, value })))
    return store
  }
  const until60s = async (isThere: () => boolean): Promise<void> => {
    for (let seconds = 0; seconds < 60 && !isThere(); seconds++) await bench.clock.advance(SECOND)
    expect(isThere()).toBe(true)
  }

  it('finds all others by itself, from the words and that name, and by `adopt`', async () => {
    const { did } = await node.registry.publishKid({
      document: createIdentity(SEED, { index: 20, services: [], alsoKnownAs: [] }, '2026-01-01T00:00:00.000Z', profile)
    })
    await bench.registered(node, BOB)
    await bench.registered()
    await bench.closeAll()
    listIn = ''
    const restored = await start({ store: wanting([ALICE]), self: 'peer-2' })
    const isThere = (): boolean => names(restored).length === 2 && restored.store.count(prefixes.ownIdentities) === 1
    await until60s(isThere)
    expect(names(restored)).toEqual([ALICE, BOB])
    expect(restored.store.get(keys.ownIdentity(did))).toBeDefined()
    expect(state(restored)).toBe('not-updated')

    const second = await start({ store: wanting([]), self: 'peer-3' })
    await second.registry.adopt(ALICE)
    await until60s(() => names(second).length === 2)
  })

  it.each(['unlocked', 'locked'])(
    'after a daemon with the same seed, finds what that one listed before it lists its own (%s)',
    async (seed) => {
      await bench.registered()
      const other = await start({ store: copyOf(node), self: 'peer-2' })
      if (seed === 'locked') other.seed.lock()
      await bench.registered(node, BOB)
      await publishHere(ZONE)
      await until60s(() => other.registry.ownedNames()[0]!.published_serial === 2)
      if (seed === 'locked') {
        expect(names(other)).toEqual([ALICE])
        other.unlock()
      }
      // At once: the list is not read yet.
      await publish(other, LATER)
      expect(listed()).toEqual([BOB])
      await until60s(() => names(other).length === 2)
    }
  )

  it('ignores a list that its seed does not open', async () => {
    await bench.registered()
    const key = nameListKey(SEED, profileHash(profile), BOB as Name)
    const foreign = serializeZone({ records: {} }, 9, profile, sealNameList(key, [BOB], new Uint8Array(24)))
    await node.network.putReveal(revealWithPayload(createContext(node.dependencies), bench.held(), foreign))
    await bench.closeAll()
    listIn = ''
    const restored = await start({ store: wanting([ALICE]), self: 'peer-2' })
    await until60s(() => names(restored).length === 1)
    expect(restored.registry.adoptions()).toEqual([])
  })
})
