import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
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
  type IdentityRecordEnvelope
} from '../../../src/protocol/identity/record.ts'
import { signIdentityBinding } from '../../../src/protocol/identity/binding.ts'
import { nameKey } from '../../../src/protocol/crypto/keys.ts'
import {
  encodeManifestRecord,
  signManifest,
  type Manifest,
  type UnsignedManifest
} from '../../../src/protocol/identity/manifest.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { firstLink } from '../../../src/protocol/claim/reveal.ts'
import { keys } from '../../../src/store/keys.ts'
import { until } from '../../tasks/fakes.ts'
import { ManualClock } from '../../time/manual-clock.ts'
import { FakeWorld, profile, startNode, type TestNode } from '../fakes.ts'

const ALICE = 'alice.chronym' as Name
const CREATED = '2026-01-01T00:00:00Z'
const [update, recovery, assertion, stranger] = [1, 2, 3, 4].map((byte) =>
  keyPairFromSeed(new Uint8Array(32).fill(byte))
)

let dataDir: string
let clock: ManualClock
let world: FakeWorld
let node: TestNode
let other: TestNode

function genesis(): IdentityDocument {
  const parts = { keys: [assertion!.publicKey], updateKeys: [update!.publicKey], recoveryKeys: [recovery!.publicKey] }
  return signIdentityDocument(buildGenesis(parts, profile), update!, CREATED, profile)
}

function next(former: IdentityDocument, key = update!): IdentityDocument {
  return signIdentityDocument(
    buildNextVersion(former, { alsoKnownAs: [`https://example.org/${String(former.version)}`] }),
    key,
    CREATED,
    profile
  )
}

function manifest(document: IdentityDocument, changes: Partial<UnsignedManifest> = {}, key = assertion!): Manifest {
  const unsigned: UnsignedManifest = {
    id: document.id,
    kid_version: document.version,
    version: 1,
    capabilities: [{ id: 'files', type: 'storage', protocol: 'https', endpoint: 'https://files.example.org/' }],
    validFrom: '2025-12-01T00:00:00Z',
    validUntil: '2026-06-01T00:00:00Z',
    ...changes
  }
  return signManifest(unsigned, document.verificationMethod[0]!.id, key.secretKey, CREATED, profile)
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error as ServiceError
  )
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chronym-identities-'))
  clock = new ManualClock()
  world = new FakeWorld(clock, 5)
  node = await startNode({ world, clock, dataDir: join(dataDir, 'a'), self: 'peer-0', seed: 1 })
  other = await startNode({ world, clock, dataDir: join(dataDir, 'b'), self: 'peer-1', seed: 2 })
})

afterEach(async () => {
  await Promise.all([node.close(), other.close()])
  await rm(dataDir, { recursive: true, force: true })
})

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
      manifest_document: null
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
    const first = genesis()
    await node.registry.publishKid(first)
    await node.registry.publishKid(next(first))
    expect(await node.registry.publishKid(first)).toMatchObject({ version: 2 })
  })

  it('do not pass for the stored one when only their proof is the same', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    const altered = {
      ...document,
      service: [{ id: `${document.id}#web`, type: 'LinkedDomains', serviceEndpoint: 'https://evil.example/' }]
    }
    expect((await failure(node.registry.publishKid(altered))).code).toBe('SVC-KID-001')
    expect((await node.registry.resolveIdentity(document.id)).kid_document).toEqual(document)
  })

  it('are replaced by a recovery key only', async () => {
    const first = genesis()
    await node.registry.publishKid(first)
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

  it('get a new stamp after half of its time, not before, with what was published elsewhere meanwhile', async () => {
    const first = genesis()
    await node.registry.publishKid(first)
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
    const document = genesis()
    await node.registry.publishKid(document)
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
    const document = genesis()
    await node.registry.publishKid(document)
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

describe('manifests', () => {
  it('are published and resolved with their identity, the newest one', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    expect(await node.registry.publishManifest({ manifest: manifest(document) })).toEqual({
      did: document.id,
      version: 1,
      stored_by: 5,
      of: 5
    })
    world.peers[2]!.manifests.set(document.id, Buffer.from('garbage'))
    const newer = manifest(document, { version: 2 })
    world.peers[3]!.manifests.set(document.id, Buffer.from(world.peers[0]!.manifests.get(document.id)!))
    await other.registry.publishManifest(newer)
    world.peers[4]!.manifests.set(document.id, encodeManifestRecord(manifest(document, { version: 99 }, stranger)))
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toEqual(newer)
  })

  it('older than the stored one are SVC-PUB-001, from here and elsewhere, and leave it', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    const newer = manifest(document, { version: 2 })
    await node.registry.publishManifest(newer)
    for (const at of [node, other]) {
      const error = await failure(at.registry.publishManifest(manifest(document)))
      expect(error).toMatchObject({
        code: 'SVC-PUB-001',
        extensions: { rule: 'stale' },
        message: expect.stringContaining('version 2 of kid_version 1') as string
      })
    }
    expect(node.network.sent.filter((message) => message.startsWith('manifests '))).toHaveLength(1)
    expect(other.network.sent.filter((message) => message.startsWith('manifests '))).toEqual([])
    expect(await node.registry.publishManifest(newer), 'itself again').toMatchObject({ version: 2, stored_by: 5 })
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toEqual(newer)
  })

  it('that are overtaken while they are sent are SVC-PUB-001 too', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    const newer = encodeManifestRecord(manifest(document, { version: 2 }))
    node.network.before = (kind) => {
      if (kind === 'manifests') for (const peer of world.peers.slice(0, 3)) peer.manifests.set(document.id, newer)
    }
    expect(await failure(node.registry.publishManifest(manifest(document)))).toMatchObject({
      code: 'SVC-PUB-001',
      extensions: { rule: 'stale' }
    })
  })

  it('that have expired are not given out', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    await node.registry.publishManifest(manifest(document, { validUntil: '2026-01-02T00:00:00Z' }))
    clock.set(Date.parse('2026-01-03T00:00:00Z'))
    expect((await node.registry.resolveIdentity(document.id)).manifest_document).toBeNull()
  })

  it.each([
    ['have expired', { validUntil: '2025-12-31T00:00:00Z' }],
    ['are of later', { validFrom: '2026-03-01T00:00:00Z' }]
  ])('that %s are SVC-KID-001, and asked of nobody', async (_which, validity) => {
    const document = genesis()
    await node.registry.publishKid(document)
    const error = await failure(node.registry.publishManifest(manifest(document, validity)))
    expect(error).toMatchObject({
      code: 'SVC-KID-001',
      extensions: { rule: 'manifest' },
      message: expect.stringContaining('validUntil has passed, or validFrom is still to come') as string
    })
    expect(world.peers.map(({ manifests }) => manifests.size)).toEqual([0, 0, 0, 0, 0])
  })

  it('of an unknown identity, or by another key, are SVC-KID-001', async () => {
    const document = genesis()
    expect((await failure(node.registry.publishManifest(manifest(document)))).message).toMatch(/no identity document/)
    await node.registry.publishKid(document)
    expect((await failure(node.registry.publishManifest(manifest(document, {}, stranger)))).code).toBe('SVC-KID-001')
    expect((await failure(node.registry.publishManifest({ manifest: 7 }))).code).toBe('SVC-KID-001')
  })
})

describe('resolving identities', () => {
  it('of an unknown DID is SVC-RES-002', async () => {
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-002')
  })

  it('of what is not a DID of this network is SVC-REQ-001', async () => {
    expect((await failure(node.registry.resolveIdentity('did:web:example.org'))).code).toBe('SVC-REQ-001')
  })

  it('without anybody to ask is SVC-RES-001', async () => {
    for (const peer of world.peers) peer.away = true
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-001')
  })

  it('is SVC-RES-001 where only this node itself could be asked', async () => {
    for (const peer of world.peers.slice(1)) peer.away = true
    expect((await failure(node.registry.resolveIdentity(genesis().id))).code).toBe('SVC-RES-001')
  })

  it('ignores what peers sent that does not verify', async () => {
    const document = genesis()
    await node.registry.publishKid(document)
    world.peers[0]!.identities.set(document.id, Buffer.from('garbage'))
    expect((await other.registry.resolveIdentity(document.id)).kid_document).toEqual(document)
  })
})
