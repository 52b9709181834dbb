import { describe, expect, it } from 'vitest'
import {
  buildGenesis,
  buildNextVersion,
  signIdentityDocument,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import {
  decodeIdentityEnvelope,
  decodeIdentityRecord,
  encodeIdentityEnvelope,
  type IdentityRecordEnvelope,
  signIdentityBinding
} from '../../../src/protocol/identity/record.ts'
import { nameKey } from '../../../src/protocol/crypto/keys.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { firstLink } from '../../../src/protocol/claim/reveal.ts'
import { keys } from '../../../src/store/keys.ts'
import { until } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import { CREATED, update, recovery, stranger, clock, world, node, other, genesis, published, failure } from './scene.ts'

const ALICE = 'alice.chronym' as Name

function next(former: IdentityDocument): IdentityDocument {
  return signIdentityDocument(
    buildNextVersion(former, { alsoKnownAs: [`https://example.org/${String(former.version)}`] }),
    update!,
    CREATED,
    profile
  )
}

describe('identity documents', () => {
  it.each([
    ['wrapped', (document: IdentityDocument): unknown => ({ document })],
    ['bare', (document: IdentityDocument): unknown => document]
  ])('are published %s and resolved elsewhere', async (_form, wrap) => {
    const document = genesis()
    expect(await node.registry.publishKid(wrap(document))).toEqual({
      did: document.id,
      version: 1,
      stored_by: 5,
      of: 5
    })
    expect(await other.registry.resolveIdentity(document.id)).toEqual({
      kid_document: document,
      manifest_document: { capabilities: [] },
      manifest_answered: true
    })
  })

  it('grow by versions, each on top of the whole log', async () => {
    const first = genesis()
    const second = next(first)
    await node.registry.publishKid(first)
    expect(await other.registry.publishKid(second)).toMatchObject({ version: 2 })
    expect((await node.registry.resolveIdentity(first.id)).kid_document).toEqual(second)
    const record = decodeIdentityRecord(world.peers[0]!.identities.get(first.id)!, profile)
    expect(record.log.versions).toHaveLength(2)
    expect(record.stamp).toBeDefined()
  })

  it('may be published again without harm', async () => {
    const first = await published()
    await node.registry.publishKid(next(first))
    expect(await node.registry.publishKid(first)).toMatchObject({ version: 2 })
  })

  it('are not taken for the one that counts when only their proof is the same', async () => {
    const document = await published()
    const altered = {
      ...document,
      service: [{ id: `${document.id}#web`, type: 'LinkedDomains', serviceEndpoint: 'https://evil.example/' }]
    }
    expect((await failure(node.registry.publishKid(altered))).code).toBe('SVC-KID-001')
    expect((await node.registry.resolveIdentity(document.id)).kid_document).toEqual(document)
  })

  it('are replaced by a recovery key only', async () => {
    const first = await published()
    await node.registry.publishKid(next(first))
    const unsigned = buildNextVersion(first, { alsoKnownAs: ['https://example.org/stolen'] })
    expect(
      (await failure(node.registry.publishKid(signIdentityDocument(unsigned, update!, CREATED, profile)))).code
    ).toBe('SVC-KID-001')
    expect(await node.registry.publishKid(signIdentityDocument(unsigned, recovery!, CREATED, profile))).toMatchObject({
      version: 2
    })
    expect((await node.registry.resolveIdentity(first.id)).kid_document['alsoKnownAs']).toEqual([
      'https://example.org/stolen'
    ])
  })

  it.each([
    ['nothing', undefined, /object is expected/],
    ['another shape', { document: { id: 'x' } }, /document/],
    [
      'a foreign signature',
      {
        document: signIdentityDocument(
          buildGenesis({ keys: [], updateKeys: [update!.publicKey] }, profile),
          stranger!,
          CREATED,
          profile
        )
      },
      /proof/
    ],
    ['a version without its predecessors', { document: next(genesis()) }, /version 1/],
    ['a signature without its name', { document: genesis(), name_signature: [1] }, /name/]
  ])('made of %s are SVC-KID-001 and say why', async (_what, input, reason) => {
    const error = await failure(node.registry.publishKid(input))
    expect(error.code).toBe('SVC-KID-001')
    expect(error.message).toMatch(reason)
  })

  it('with a wrong name say where the request has it', async () => {
    const error = await failure(node.registry.publishKid({ document: genesis(), name: 'no name' }))
    expect(error).toMatchObject({ code: 'SVC-NAM-001', errors: [{ path: 'authorized_kid/name' }] })
  })

  it('get a new stamp when half of its time is over, with what was published elsewhere meanwhile, and not before', async () => {
    const first = await published()
    const stampRound = (): number =>
      decodeIdentityRecord(world.peers[0]!.identities.get(first.id)!, profile).stamp!.round
    const round = stampRound()
    const second = next(first)
    await other.registry.publishKid(second)
    const halfMs = (profile.document_refresh / 2) * profile.beacon.period * 1000
    clock.set(clock.now() + halfMs - 120_000)
    await clock.advance(60_000)
    expect(stampRound()).toBe(round)
    await clock.advance(120_000)
    await until(() => stampRound() > round)
    expect((await other.registry.resolveIdentity(first.id)).kid_document).toEqual(second)
    expect(stampRound()).toBeLessThanOrEqual(node.beacon.latest()!.round)
  })

  it('get their new stamp although nobody can be asked then: it goes out with the next republishing', async () => {
    const document = await published()
    const own = (): number => decodeIdentityRecord(node.store.get(keys.ownIdentity(document.id))!, profile).stamp!.round
    const round = own()
    node.network.mode = 'offline'
    clock.set(clock.now() + profile.document_refresh * profile.beacon.period * 1000)
    await clock.advance(60_000)
    await until(() => own() > round)
  })

  it('are stamped with a round that has been, though the clock is ahead', async () => {
    const round = node.beacon.latest()!.round
    node.beacon.silent = true
    clock.set(clock.now() + 3600_000)
    const document = await published()
    expect(decodeIdentityRecord(world.peers[0]!.identities.get(document.id)!, profile).stamp!.round).toBe(round)
  })

  it('say how many peers hold them when those are too few', async () => {
    for (const peer of world.peers) peer.refuses = 'busy'
    expect(await failure(node.registry.publishKid(genesis()))).toMatchObject({
      code: 'SVC-PUB-002',
      extensions: { stored_by: 0, of: 5 }
    })
  })
})

describe('a name bound to an identity', () => {
  async function register(): Promise<number> {
    const { task_id } = await node.registry.register(ALICE, {})
    const view = () => node.tasks.get(task_id)!
    while (view().status === 'running') {
      await until(() => view().phase !== 'evaluate' && view().phase !== 'prove')
      if (view().status === 'running') await clock.advance(1000)
    }
    return firstLink((await node.registry.resolve(ALICE)).reveal).p
  }

  it('is signed for by the daemon that owns it', async () => {
    const firstRound = await register()
    const document = genesis()
    await node.registry.publishKid({ document, name: ALICE })
    expect(decodeIdentityRecord(world.peers[0]!.identities.get(document.id)!, profile).binding).toMatchObject({
      name: ALICE,
      firstRound
    })
    expect(await failure(other.registry.publishKid({ document, name: ALICE }))).toMatchObject({ code: 'SVC-OWN-001' })
  })

  it('stays bound when its stamp is renewed, though peers show a newer version without the binding', async () => {
    await register()
    const first = genesis()
    await node.registry.publishKid({ document: first, name: ALICE })
    const shown = (): IdentityRecordEnvelope =>
      decodeIdentityEnvelope(world.peers[0]!.identities.get(first.id)!, profile)
    const { stamp } = shown()
    const versions = [first, next(first)].map(canonicalJsonBytes)
    for (const peer of world.peers) peer.identities.set(first.id, encodeIdentityEnvelope({ versions, stamp: stamp! }))
    clock.set(clock.now() + (profile.document_refresh / 2) * profile.beacon.period * 1000)
    await clock.advance(120_000)
    await until(() => shown().stamp!.round > stamp!.round)
    expect(shown()).toMatchObject({ versions, binding: { name: ALICE } })
  })

  it('is taken with a signature by its owner, as bytes or base64, and with no other', async () => {
    const firstRound = await register()
    const document = genesis()
    const hash = profileHash(profile)
    const sign = (seed: number) =>
      signIdentityBinding(
        ALICE,
        firstRound,
        document.id,
        nameKey(new Uint8Array(32).fill(seed), hash, ALICE).secretKey,
        hash
      ).signature
    await other.registry.publishKid({ document, name: ALICE, name_signature: [...sign(1)] })
    await other.registry.publishKid({
      document,
      name: ALICE,
      name_signature: Buffer.from(sign(1)).toString('base64url')
    })
    expect(
      await failure(other.registry.publishKid({ document, name: ALICE, name_signature: [...sign(9)] }))
    ).toMatchObject({ code: 'SVC-KID-001' })
  })
})
