import { describe, expect, it } from 'vitest'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { withoutMember } from '../../../src/protocol/identity/data-integrity.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import type {
  IdentityChanges,
  IdentityDocument,
  UnsignedIdentityDocument
} from '../../../src/protocol/identity/document.ts'
import {
  buildGenesis,
  buildNextVersion,
  identityDid,
  IdentityError,
  parseIdentityDocument,
  signIdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { signIdentityBinding, verifyIdentityBinding } from '../../../src/protocol/identity/binding.ts'
import { mergeIdentityLogs, verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import {
  decodeIdentityRecord,
  documentStampSubject,
  encodeIdentityRecord,
  isKept
} from '../../../src/protocol/identity/record.ts'
import type { UnsignedManifest } from '../../../src/protocol/identity/manifest.ts'
import {
  compareManifests,
  decodeManifestRecord,
  encodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  signManifest,
  verifyManifest
} from '../../../src/protocol/identity/manifest.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { stampHolds } from '../../../src/protocol/crypto/stamp.ts'
import { keyOf, LOCAL, TEST, timeAt } from '../fixtures.ts'

const UPDATE = keyOf('update')
const THIEF = keyOf('thief')
const RECOVERY = keyOf('recovery')
const ASSERTION = keyOf('assertion')
const CREATED = '2026-01-01T00:00:00Z'

const GENESIS = signIdentityDocument(
  buildGenesis(
    {
      keys: [ASSERTION.publicKey],
      services: [{ id: '#files', type: 'Files', serviceEndpoint: 'https://files.example/' }],
      updateKeys: [UPDATE.publicKey],
      recoveryKeys: [RECOVERY.publicKey]
    },
    LOCAL
  ),
  UPDATE,
  CREATED,
  LOCAL
)

function next(former: IdentityDocument, changes: IdentityChanges = {}, key = UPDATE): IdentityDocument {
  return signIdentityDocument(buildNextVersion(former, changes), key, CREATED, LOCAL)
}

/** Chain of a genesis and versions that each change something, signed by these keys. */
function chain(...keys: (typeof UPDATE)[]): IdentityDocument[] {
  const documents = [GENESIS]
  keys.forEach((key, index) =>
    documents.push(next(documents.at(-1)!, { alsoKnownAs: [`https://${index}.example`] }, key))
  )
  return documents
}

const log = (documents: IdentityDocument[]) => verifyIdentityLog(documents, LOCAL)

describe('an identity document', () => {
  it('has the DID of its genesis, whatever its proof', () => {
    expect(GENESIS.id).toBe(identityDid(GENESIS, LOCAL))
    expect(signIdentityDocument(GENESIS, UPDATE, '2027-01-01T00:00:00Z', LOCAL).id).toBe(GENESIS.id)
    expect(buildGenesis({ keys: [ASSERTION.publicKey], updateKeys: [THIEF.publicKey] }, LOCAL).id).not.toBe(GENESIS.id)
  })

  it('says which member is missing or not known', () => {
    expect(() => parseIdentityDocument(withoutMember(GENESIS, 'updateKeys'), LOCAL)).toThrow(
      'updateKeys: this member is missing'
    )
    expect(() => parseIdentityDocument({ ...GENESIS, colour: 'red' }, LOCAL)).toThrow('colour: there is no such member')
  })

  it('passes its own schema after a round trip through JSON', () => {
    expect(parseIdentityDocument(JSON.parse(JSON.stringify(GENESIS)), LOCAL)).toEqual(GENESIS)
  })

  it.each<[string, object]>([
    ['an unknown member', { extra: 1 }],
    ['another context first', { '@context': ['https://www.w3.org/ns/credentials/v2'] }],
    ['a DID of another method', { id: 'did:web:example.com' }],
    ['a key that is no Multikey', { updateKeys: ['abc'] }],
    ['no update key', { updateKeys: [] }],
    ['an id of another DID', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, id: 'did:x:y#key-1' }] }],
    ['a relative id', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, id: '#key-1' }] }],
    ['another controller', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, controller: 'did:x:y' }] }],
    [
      'two ids that are the same',
      { verificationMethod: [GENESIS.verificationMethod[0]!, GENESIS.verificationMethod[0]!] }
    ],
    ['a reference to nothing', { authentication: [`${GENESIS.id}#none`] }],
    ['a service without a URI', { service: [{ id: `${GENESIS.id}#s`, type: 'x', serviceEndpoint: 'not a uri' }] }],
    ['version 0', { version: 0 }],
    ['a prev that is no hash', { prev: 'abc' }],
    ['deactivated: false', { deactivated: false }],
    ['a proof of another network', { proof: { ...GENESIS.proof, domain: 'ab'.repeat(32) } }],
    ['a proof without a domain', { proof: { ...GENESIS.proof, domain: undefined } }],
    ['a proof at an impossible date', { proof: { ...GENESIS.proof, created: '2026-13-01T00:00:00Z' } }],
    ['a proof for another purpose', { proof: { ...GENESIS.proof, proofPurpose: 'authentication' } }]
  ])('is refused with %s', (_, change) =>
    expect(() => parseIdentityDocument({ ...GENESIS, ...change }, LOCAL)).toThrow(IdentityError)
  )
})

describe('the log of an identity', () => {
  it('grows by versions that an update key signs', () => {
    const second = next(GENESIS, { updateKeys: [encodeMultikey(THIEF.publicKey)] })
    expect(log([GENESIS, second, next(second, {}, THIEF)]).versions.map(({ signer }) => signer)).toEqual([
      'update',
      'update',
      'update'
    ])
    expect(() => log([GENESIS, second, next(second, {}, UPDATE)])).toThrow(/no update or recovery key/)
  })

  it.each<[string, () => IdentityDocument[], RegExp]>([
    ['no genesis', () => [next(GENESIS)], /begins with version 1/],
    ['nothing', () => [], /at least one/],
    ['a gap', () => [GENESIS, chain(UPDATE, UPDATE)[2]!], /cannot follow/],
    [
      'a wrong prev',
      () => [
        GENESIS,
        signIdentityDocument({ ...buildNextVersion(GENESIS, {}), prev: 'ab'.repeat(32) }, UPDATE, CREATED, LOCAL)
      ],
      /prev/
    ],
    [
      'a genesis under another DID',
      () => [
        signIdentityDocument(
          { ...GENESIS, id: chain(UPDATE)[1]!.id.replace(/.$/, 'x') as IdentityDocument['id'] },
          UPDATE,
          CREATED,
          LOCAL
        )
      ],
      /not the DID/
    ],
    [
      'a genesis signed by another key',
      () => [signIdentityDocument(GENESIS, THIEF, CREATED, LOCAL)],
      /its own update keys/
    ],
    ['a version signed by another key', () => [GENESIS, next(GENESIS, {}, THIEF)], /no update or recovery key/],
    [
      'a proof that names the right key and is not its',
      () => [
        GENESIS,
        {
          ...next(GENESIS, {}, THIEF),
          proof: { ...next(GENESIS).proof, proofValue: next(GENESIS, {}, THIEF).proof.proofValue }
        }
      ],
      /no update or recovery key/
    ],
    [
      'recovery keys changed by an update key',
      () => [GENESIS, next(GENESIS, { recoveryKeys: [encodeMultikey(THIEF.publicKey)] })],
      /only a recovery key/
    ],
    [
      'an update after a deactivation',
      () => [GENESIS, next(GENESIS, { deactivated: true }), next(next(GENESIS, { deactivated: true }))],
      /only a recovery key/
    ]
  ])('is refused with %s', (_, documents, message) => expect(() => log(documents())).toThrow(message))

  it('lets a recovery key change the recovery keys and undo a deactivation', () => {
    const dead = next(GENESIS, { deactivated: true })
    const alive = withoutMember(
      buildNextVersion(dead, { recoveryKeys: [encodeMultikey(keyOf('recovery 2').publicKey)] }),
      'deactivated'
    ) as unknown as UnsignedIdentityDocument
    expect(log([GENESIS, dead, signIdentityDocument(alive, RECOVERY, CREATED, LOCAL)]).versions.at(-1)).toMatchObject({
      signer: 'recovery'
    })
  })

  it('has at most 64 versions and 100 KiB', () => {
    const profile = { ...LOCAL, limits: { ...LOCAL.limits, kid_versions: 2, kid_bytes: 4000 } }
    expect(() => verifyIdentityLog(chain(UPDATE, UPDATE), profile)).toThrow(/at most 2 versions/)
    const long = next(GENESIS, { alsoKnownAs: [`https://${'x'.repeat(1500)}.example`] })
    expect(() => verifyIdentityLog([GENESIS, long], profile)).toThrow(/at most 4000 bytes/)
  })
})

describe('two logs of one identity', () => {
  const main = chain(UPDATE, UPDATE)
  const standing = log(main)

  it('are extended, or stale', () => {
    expect(mergeIdentityLogs(log(main.slice(0, 2)), standing)).toEqual({ kind: 'extend', log: standing })
    expect(mergeIdentityLogs(standing, log(main.slice(0, 2)))).toEqual({ kind: 'stale', log: standing })
    expect(mergeIdentityLogs(standing, standing)).toEqual({ kind: 'stale', log: standing })
  })

  it('keep the first seen when keys of equal rank signed both, and show it', () => {
    const other = log([GENESIS, next(GENESIS, { alsoKnownAs: ['https://other.example'] })])
    expect(mergeIdentityLogs(standing, other)).toMatchObject({
      kind: 'stale',
      log: standing,
      equivocation: { version: 2 }
    })
    expect(mergeIdentityLogs(other, standing)).toMatchObject({
      kind: 'stale',
      log: other,
      equivocation: { version: 2 }
    })
  })

  it('are recovered by the branch whose first version a recovery key signed, at any time, however long the other', () => {
    const recovered = log([GENESIS, next(GENESIS, { updateKeys: [encodeMultikey(keyOf('new').publicKey)] }, RECOVERY)])
    expect(mergeIdentityLogs(standing, recovered)).toEqual({ kind: 'recover', log: recovered })
    expect(mergeIdentityLogs(recovered, standing)).toEqual({ kind: 'stale', log: recovered })
  })

  it('are not recovered by a recovery key that was taken out since', () => {
    const rotated = log([
      ...main,
      next(main[2]!, { recoveryKeys: [encodeMultikey(keyOf('recovery 2').publicKey)] }, RECOVERY)
    ])
    const old = log([GENESIS, next(GENESIS, { alsoKnownAs: ['https://stolen.example'] }, RECOVERY)])
    expect(mergeIdentityLogs(rotated, old)).toMatchObject({ kind: 'stale', log: rotated, equivocation: { version: 2 } })
  })
})

describe('the record of an identity', () => {
  const hash = profileHash(LOCAL)
  const name = parseName('alice.chronym', LOCAL)
  const alice = keyOf('alice')
  const binding = signIdentityBinding(name, 1000, GENESIS.id, alice.secretKey, hash)
  const claim = { name, pubkey: alice.publicKey, firstRound: 1000 }

  it('is read back as it was written', () => {
    const record = { log: log(chain(UPDATE)), binding, stamp: { round: 5, nonce: new Uint8Array(8) } }
    expect(decodeIdentityRecord(encodeIdentityRecord(record), LOCAL)).toEqual(record)
    expect(decodeIdentityRecord(encodeIdentityRecord({ log: record.log }), LOCAL)).toEqual({ log: record.log })
  })

  it('is refused when it is not canonical, of another network, or no log', () => {
    const document = canonicalJsonBytes(GENESIS)
    expect(() => decodeIdentityRecord(encodeIdentityRecord({ log: log([GENESIS]) }), TEST)).toThrow(IdentityError)
    for (const value of [
      { v: 2, log: [document] },
      { v: 1, log: [1] },
      { v: 1, log: [utf8(JSON.stringify(GENESIS))] },
      { v: 1 },
      { v: 1, log: [document], stamp: { round: 1, nonce: new Uint8Array(7) } }
    ]) {
      expect(() => decodeIdentityRecord(encodeCbor(value), LOCAL)).toThrow(EncodingError)
    }
    expect(() => decodeIdentityRecord(encodeCbor({ v: 1, log: [] }), LOCAL)).toThrow(IdentityError)
  })

  it('is bound by the key of a name, for one claim and one DID', () => {
    expect(verifyIdentityBinding(binding, GENESIS.id, claim, hash)).toBe(true)
    expect(verifyIdentityBinding(binding, GENESIS.id, { ...claim, firstRound: 1001 }, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, GENESIS.id, { ...claim, pubkey: THIEF.publicKey }, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, 'did:chronym:zother', claim, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, GENESIS.id, claim, profileHash(TEST))).toBe(false)
  })

  it('is kept with a live name or with a stamp that is renewed', () => {
    const subject = documentStampSubject(GENESIS.id, 1000, hash)
    let nonce = new Uint8Array(8)
    for (let n = 0; !stampHolds(subject, nonce, LOCAL.stamp_bits, hash); n++)
      nonce = new Uint8Array(sha256(utf8(`${n}`)).subarray(0, 8))
    const record = { log: log([GENESIS]), stamp: { round: 1000, nonce } }
    const kept = (round: number, isBoundToLiveName = false, held = record) =>
      isKept(held, { time: timeAt(round), isBoundToLiveName }, LOCAL)
    expect(kept(1000)).toBe(true)
    expect(kept(1000 + LOCAL.document_refresh)).toBe(true)
    expect(kept(1001 + LOCAL.document_refresh)).toBe(false)
    expect(kept(999)).toBe(false)
    expect(kept(5000, true, { ...record, stamp: { round: 1, nonce: new Uint8Array(8) } })).toBe(true)
    expect(kept(1000, false, { ...record, stamp: { round: 999, nonce } })).toBe(false)
  })
})

describe('a manifest', () => {
  const unsigned: UnsignedManifest = {
    id: GENESIS.id,
    kid_version: 1,
    version: 1,
    capabilities: [
      { id: 'chat', type: 'Chat', protocol: 'matrix', endpoint: 'https://chat.example/', description: 'a room' }
    ],
    validFrom: '2026-01-01T00:00:00Z',
    validUntil: '2027-02-05T00:00:00Z'
  }
  const method = `${GENESIS.id}#key-1`
  const signedBy = (manifest: UnsignedManifest, key = ASSERTION, by = method) =>
    signManifest(manifest, by, key.secretKey, CREATED, LOCAL)
  const manifest = signedBy(unsigned)

  it('is signed by an assertion key and read back', () => {
    expect(decodeManifestRecord(encodeManifestRecord(manifest), LOCAL)).toEqual(manifest)
    expect(() => verifyManifest(manifest, log(chain(UPDATE)))).not.toThrow()
  })

  it.each<[string, object]>([
    ['more than 400 days', { validUntil: '2027-02-06T00:00:00Z' }],
    ['an end before its begin', { validUntil: '2025-01-01T00:00:00Z' }],
    [
      '51 capabilities',
      { capabilities: Array.from({ length: 51 }, (_, index) => ({ ...unsigned.capabilities[0]!, id: `${index}` })) }
    ],
    ['two capabilities of one id', { capabilities: [unsigned.capabilities[0]!, unsigned.capabilities[0]!] }],
    ['an unknown member', { more: 1 }],
    ['an endpoint that is no URI', { capabilities: [{ ...unsigned.capabilities[0]!, endpoint: 'x' }] }],
    ['another network', { proof: { ...manifest.proof, domain: 'x' } }],
    ['another DID method', { id: 'did:web:example.com' }]
  ])('is refused with %s', (_, change) =>
    expect(() => parseManifest({ ...manifest, ...change }, LOCAL)).toThrow(IdentityError)
  )

  it('is refused over 64 KiB', () => {
    const capabilities = Array.from({ length: 50 }, (_, index) => ({
      ...unsigned.capabilities[0]!,
      id: `${index}`,
      description: 'x'.repeat(2000)
    }))
    expect(() => parseManifest({ ...manifest, capabilities }, LOCAL)).toThrow(/at most 65536 bytes/)
  })

  it('counts only with a key that the version it names and the newest one list', () => {
    const removed = log([GENESIS, next(GENESIS, { assertionMethod: [] })])
    const replaced = log([
      GENESIS,
      next(GENESIS, {
        verificationMethod: [{ ...GENESIS.verificationMethod[0]!, publicKeyMultibase: encodeMultikey(THIEF.publicKey) }]
      })
    ])
    expect(() => verifyManifest(manifest, removed)).toThrow(/any more/)
    expect(() => verifyManifest(manifest, replaced)).toThrow(/any more/)
    expect(() => verifyManifest(signedBy({ ...unsigned, kid_version: 2 }), log([GENESIS]))).toThrow(/no version 2/)
    expect(() => verifyManifest(signedBy(unsigned, THIEF), log([GENESIS]))).toThrow(/does not verify/)
    expect(() => verifyManifest(signedBy(unsigned, UPDATE, `${GENESIS.id}#other`), log([GENESIS]))).toThrow(
      /no assertion key/
    )
    expect(() => verifyManifest(manifest, log([GENESIS, next(GENESIS, { deactivated: true })]))).toThrow(/deactivated/)
  })

  it('is ordered by (kid_version, version) and then some hash', () => {
    const later = signedBy({ ...unsigned, version: 2 })
    expect(compareManifests(later, manifest)).toBeGreaterThan(0)
    expect(compareManifests(signedBy({ ...unsigned, kid_version: 2 }), later)).toBeGreaterThan(0)
    const twin = signedBy({ ...unsigned, capabilities: [] })
    expect(Math.sign(compareManifests(twin, manifest))).toBe(-Math.sign(compareManifests(manifest, twin)))
    expect(compareManifests(manifest, manifest)).toBe(0)
  })

  it('is current from validFrom to validUntil', () => {
    expect(isManifestCurrent(manifest, Date.parse('2026-01-01T00:00:00Z'))).toBe(true)
    expect(isManifestCurrent(manifest, Date.parse('2025-12-31T23:59:59Z'))).toBe(false)
    expect(isManifestCurrent(manifest, Date.parse('2027-02-05T00:00:01Z'))).toBe(false)
  })
})
