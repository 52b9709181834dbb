/** Lists of names that earlier releases sealed into the zone of one name: what they bring back, and what replaces them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { wantedRecords } from '../../../src/backup/restore.ts'
import { createIdentity } from '../../../src/protocol/identity/seed.ts'
import { nameListKey } from '../../../src/protocol/crypto/keys.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { sealedPart } from '../../../src/protocol/zone/zone.ts'
import { createContext } from '../../../src/registry/context.ts'
import { revealWithPayload } from '../../../src/registry/publication/publishing.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import { payloadWithList, sealedList } from '../../protocol/zone/sealed-list.ts'
import { MemoryStore } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, copyOf, publish, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const BOB = 'bob.chronym'
const SEED = new Uint8Array(32).fill(1)

const bench = useWorkbench()
let node: TestNode

const names = (at: TestNode): string[] => at.registry.ownedNames().map(({ name }) => name)

/** What a daemon of 88cfa41c with this seed published: ALICE with a list, sealed for the name `at`. */
async function publishListed(ids: readonly string[], at = ALICE): Promise<void> {
  const sealed = sealedList(nameListKey(SEED, profileHash(profile), at as Name), ids)
  const reveal = revealWithPayload(createContext(node.dependencies), bench.held(), payloadWithList(9, sealed))
  await node.network.putReveal(reveal)
}

/** A daemon with the same seed whose directory is new, and what it looks for. */
const restored = (ids: readonly string[], self = 'peer-2'): Promise<TestNode> => {
  const store = new MemoryStore()
  store.batch([...wantedRecords(SEED, profile, { ids, sinceMs: 0 })].map(([put, value]) => ({ put, value })))
  return bench.start({ store, self })
}

const until60s = async (isThere: () => boolean): Promise<void> => {
  for (let seconds = 0; seconds < 60 && !isThere(); seconds++) await bench.clock.advance(SECOND)
  expect(isThere()).toBe(true)
}

beforeEach(async () => {
  node = await bench.start()
  await bench.registered()
})

describe('a list of names of an earlier release', () => {
  it('brings back all others, from the words and that name, and by `adopt`', async () => {
    const { did } = await node.registry.publishKid({
      document: createIdentity(SEED, { index: 20, services: [], alsoKnownAs: [] }, '2026-01-01T00:00:00.000Z', profile)
    })
    await bench.registered(node, BOB)
    await publishListed([BOB, did])
    await bench.closeAll()
    const first = await restored([ALICE])
    await until60s(() => names(first).length === 2 && first.store.count(prefixes.ownIdentities) === 1)
    expect(names(first)).toEqual([ALICE, BOB])
    expect(first.store.get(keys.ownIdentity(did))).toBeDefined()

    const second = await restored([], 'peer-3')
    await second.registry.adopt(ALICE)
    await until60s(() => names(second).length === 2)
  })

  it('is read too where a daemon takes up a newer record of its own name', async () => {
    const other = await bench.start({ store: copyOf(node), self: 'peer-2' })
    await bench.registered(node, BOB)
    await publishListed([BOB])
    await until60s(() => names(other).length === 2)
  })

  it('is ignored where the seed does not open it', async () => {
    await publishListed([BOB], BOB)
    await bench.closeAll()
    const other = await restored([ALICE])
    await until60s(() => names(other).length === 1)
    expect(other.registry.adoptions()).toEqual([])
  })

  it('is gone with the next zone of its name: no release keeps it up to date any longer', async () => {
    await publishListed([BOB])
    await until60s(() => node.registry.ownedNames()[0]!.serial === 9)
    expect(sealedPart(bench.held().payload, profile)).toBeDefined()
    await publish(node, ZONE)
    expect(sealedPart(bench.held().payload, profile)).toBeUndefined()
  })
})
