/** Names and identities of the seed that are found in the network and taken up, as after a restore from the words. */
import { beforeEach, describe, expect, it } from 'vitest'
import { wantedRecords } from '../../../src/backup/restore.ts'
import { createIdentity } from '../../../src/protocol/identity/seed.ts'
import { buildRecovery } from '../../../src/cli/identity/recover.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { encodeAdoption } from '../../../src/registry/stored/owned-names.ts'
import { MAX_ADOPTIONS } from '../../../src/registry/upkeep/adoptions.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import { MemoryStore } from '../claims/fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, publish, SECOND, useWorkbench } from '../workbench.ts'

const SEED = new Uint8Array(32).fill(1)

describe('a name of the seed', () => {
  const bench = useWorkbench()
  let first: TestNode

  const pass = async (milliseconds: number): Promise<void> => {
    for (let left = milliseconds; left > 0; left -= SECOND) {
      await bench.clock.advance(SECOND)
      await settle()
    }
  }
  /** A daemon with the same seed whose directory is new, and what it looks for. */
  const restored = (ids: readonly string[] = []): Promise<TestNode> => {
    const store = new MemoryStore()
    store.batch([...wantedRecords(SEED, profile, { ids, sinceMs: 0 })].map(([key, value]) => ({ put: key, value })))
    return bench.start({ store, self: 'peer-2' })
  }
  const names = (node: TestNode): string[] => node.registry.ownedNames().map(({ name }) => name)

  beforeEach(async () => {
    first = await bench.start()
    await bench.registered()
    await first.close()
  })

  it('is taken up by itself once the network shows it, and renews and publishes from there', async () => {
    const node = await restored([ALICE])
    expect(node.registry.adoptions()).toMatchObject([{ id: ALICE, state: 'looking', looked_at: null }])
    await pass(6 * SECOND)
    expect(names(node)).toEqual([ALICE])
    expect(node.registry.adoptions()).toEqual([])
    expect(node.network.own.get(ALICE)).toBeDefined()
    expect(await publish(node, { records: {} })).toMatchObject({ serial: 2 })
    await bench.renewed(node)
  })

  it('is taken up at once where it is asked for, twice too, and is asked for by no name', async () => {
    const node = await restored()
    expect(await node.registry.adopt(ALICE)).toMatchObject({ id: ALICE, state: 'adopted' })
    expect(await node.registry.adopt(ALICE)).toMatchObject({ state: 'adopted' })
    expect(await node.registry.adopt('alice--7kq2mx.chronym'), 'as a link has it').toMatchObject({ id: ALICE })
    expect(names(node)).toEqual([ALICE])
    expect(node.network.sent.filter((sent) => sent.endsWith(ALICE))).toEqual([`probe ${ALICE}`])
  })

  it('is not taken up by another seed, which is told whose it is', async () => {
    const other = await bench.start({ seed: 9, self: 'peer-3' })
    expect(await other.registry.adopt(ALICE)).toMatchObject({
      state: 'other-owner',
      detail: expect.stringContaining('another key') as string
    })
    expect(names(other)).toEqual([])
    expect(other.registry.adoptions()).toHaveLength(1)
  })

  it('is looked for again, less and less often, until somebody shows it', async () => {
    const node = await restored()
    expect(await node.registry.adopt('later.chronym')).toMatchObject({ state: 'not-found' })
    const looks = (): number => node.network.sent.filter((sent) => sent === 'probe later.chronym').length
    await pass(9 * SECOND)
    expect(looks()).toBe(1)
    await pass(6 * SECOND)
    expect(looks()).toBe(2)
    await pass(10 * SECOND)
    expect(looks()).toBe(2)
    const owner = await bench.start({ self: 'peer-1' })
    await bench.registered(owner, 'later.chronym')
    await pass(80 * SECOND)
    expect(names(node)).toEqual(['later.chronym'])
  })

  it('is looked for again soon where nobody could be asked', async () => {
    const node = await restored()
    node.network.mode = 'offline'
    expect(await node.registry.adopt(ALICE)).toMatchObject({ state: 'looking', detail: 'No peer can be asked yet.' })
    await pass(60 * SECOND)
    node.network.mode = 'full'
    await pass(15 * SECOND)
    expect(names(node)).toEqual([ALICE])
  })

  it('is given up where that is asked for, and no more than the limit are looked for', async () => {
    const node = await restored()
    await node.registry.adopt('none.chronym')
    node.registry.stopAdopting('none.chronym')
    expect(node.registry.adoptions()).toEqual([])
    expect(() => node.registry.stopAdopting('none.chronym')).toThrow(code('SVC-WNT-002'))
    for (let index = node.store.count(prefixes.wanted); index < MAX_ADOPTIONS; index++)
      node.store.put(keys.wanted(`n${index}.chronym`), encodeAdoption({ sinceMs: 0, isGuess: false }))
    await expect(node.registry.adopt('more.chronym')).rejects.toThrow(code('SVC-WNT-001'))
    await expect(node.registry.adopt('Not a name')).rejects.toThrow(code('SVC-NAM-001'))
    await expect(node.registry.adopt('did:web:example')).rejects.toThrow(code('SVC-REQ-001'))
  })
})

describe('an identity of the seed', () => {
  const bench = useWorkbench()
  const identity = (index: number, alsoKnownAs: string[] = []) =>
    createIdentity(SEED, { index, services: [], alsoKnownAs }, '2026-01-01T00:00:00.000Z', profile)

  const kept = (node: TestNode): string[] => [...node.store.keys(prefixes.ownIdentities)]
  const start = (): Promise<TestNode> => {
    const store = new MemoryStore()
    store.batch([...wantedRecords(SEED, profile, { ids: [], sinceMs: 0 })].map(([key, value]) => ({ put: key, value })))
    return bench.start({ store, self: 'peer-2' })
  }

  it('is found by its index alone, and guesses that nobody shows are given up', async () => {
    const first = await bench.start()
    const { did } = await first.registry.publishKid({ document: identity(5) })
    const node = await start()
    for (let seconds = 0; seconds < 400; seconds++) {
      await bench.clock.advance(SECOND)
      await settle()
    }
    expect(kept(node)).toEqual([keys.ownIdentity(did)])
    expect(node.registry.adoptions()).toEqual([])
    expect(node.store.count(prefixes.wanted)).toBe(0)
  })

  it('is found by its DID where more than the seed made it, and is not taken up by another seed', async () => {
    const first = await bench.start()
    const { did } = await first.registry.publishKid({ document: identity(0, ['https://alice.example']) })
    const other = await bench.start({ seed: 9, self: 'peer-3' })
    expect(await other.registry.adopt(did)).toMatchObject({ state: 'other-owner' })
    expect(kept(other)).toEqual([])
    const node = await start()
    expect(await node.registry.adopt(did)).toMatchObject({ id: did, state: 'adopted' })
    expect(kept(node)).toEqual([keys.ownIdentity(did)])
  })

  it('is taken up by the seed that a recovery gave it to, though another one made it', async () => {
    const first = await bench.start({ seed: 9 })
    const recoveryKey = keyPairFromSeed(new Uint8Array(32).fill(7))
    const genesis = createIdentity(
      new Uint8Array(32).fill(9),
      { index: 0, services: [], alsoKnownAs: [], recoveryKeys: [recoveryKey.publicKey] },
      '2026-01-01T00:00:00.000Z',
      profile
    )
    await first.registry.publishKid({ document: genesis })
    const log = verifyIdentityLog([genesis], profile)
    const { unsigned } = buildRecovery(log, { keysOf: { seed: SEED, index: 2 } }, profile)
    await first.registry.publishKid({
      document: signIdentityDocument(unsigned, recoveryKey, '2026-01-02T00:00:00.000Z', profile)
    })
    const node = await start()
    expect(await node.registry.adopt(genesis.id)).toMatchObject({ state: 'adopted' })
    expect(kept(node)).toEqual([keys.ownIdentity(genesis.id)])
  })
})
