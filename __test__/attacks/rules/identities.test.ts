/** Attacks on identities and their manifests, each under the name that docs/protocol/ gives it. */
import { describe, expect, it } from 'vitest'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import {
  buildGenesis,
  buildNextVersion,
  parseIdentityDocument,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import {
  signIdentityBinding,
  verifyIdentityBinding,
  documentStampSubject,
  isKept
} from '../../../src/protocol/identity/record.ts'
import { mergeIdentityLogs, verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { signManifest, verifyManifest } from '../../../src/protocol/identity/manifest.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { stampHolds } from '../../../src/protocol/crypto/domain.ts'
import { bytesOf, keyOf, LOCAL, timeAt } from '../../protocol/fixtures.ts'

const [UPDATE, RECOVERY, RECOVERY_2, ASSERTION, THIEF] = ['update', 'recovery', 'recovery 2', 'assertion', 'thief'].map(
  keyOf
) as [KeyPair, KeyPair, KeyPair, KeyPair, KeyPair]
const CREATED = '2026-01-01T00:00:00Z'
const HASH = profileHash(LOCAL)

const GENESIS = signIdentityDocument(
  buildGenesis(
    { keys: [ASSERTION.publicKey], updateKeys: [UPDATE.publicKey], recoveryKeys: [RECOVERY.publicKey] },
    LOCAL
  ),
  UPDATE,
  CREATED,
  LOCAL
)

function next(former: IdentityDocument, changes: IdentityChanges, key: KeyPair): IdentityDocument {
  return signIdentityDocument(buildNextVersion(former, changes), key, CREATED, LOCAL)
}

const multikeys = (key: KeyPair): [string] => [encodeMultikey(key.publicKey)]
const log = (...documents: IdentityDocument[]) => verifyIdentityLog(documents, LOCAL)

describe('an identity', () => {
  it('[a stolen update key] changes all but the recovery keys, which undo it at any time', () => {
    const taken = next(GENESIS, { updateKeys: multikeys(THIEF), service: [] }, UPDATE)
    const stolen = [GENESIS, taken]
    while (stolen.length < 60)
      stolen.push(next(stolen.at(-1)!, { alsoKnownAs: [`https://${stolen.length}.example`] }, THIEF))
    expect(() => log(GENESIS, next(GENESIS, { recoveryKeys: multikeys(THIEF) }, UPDATE))).toThrow(/only a recovery key/)
    const recovered = log(GENESIS, next(GENESIS, { updateKeys: multikeys(keyOf('new')) }, RECOVERY))
    expect(mergeIdentityLogs(log(...stolen), recovered)).toEqual({ kind: 'recover', log: recovered })
    expect(mergeIdentityLogs(recovered, log(...stolen))).toEqual({ kind: 'stale', log: recovered })
  })

  it("[a recovery on top of another branch] reaches those too who were shown the thief's", () => {
    const own = next(GENESIS, { alsoKnownAs: ['https://own.example'] }, UPDATE)
    const thiefs = log(GENESIS, next(GENESIS, { updateKeys: multikeys(THIEF) }, UPDATE))
    const recovered = log(GENESIS, own, next(own, { updateKeys: multikeys(keyOf('new')) }, RECOVERY))
    for (const standing of [thiefs, log(GENESIS, own), log(GENESIS)])
      expect(mergeIdentityLogs(standing, recovered).log).toBe(recovered)
    expect(mergeIdentityLogs(recovered, thiefs)).toEqual({ kind: 'stale', log: recovered })
    // The thief cannot do as much: an update key neither signs as a recovery key nor makes one.
    expect(() =>
      log(
        ...thiefs.versions.map(({ document }) => document),
        next(thiefs.versions[1]!.document, { recoveryKeys: multikeys(THIEF) }, THIEF)
      )
    ).toThrow(/only a recovery key/)
  })

  it('[a recovery key that was taken out] recovers nothing any more where its successor has signed', () => {
    const rotated = log(GENESIS, next(GENESIS, { recoveryKeys: multikeys(RECOVERY_2) }, RECOVERY))
    const former = log(GENESIS, next(GENESIS, { updateKeys: multikeys(THIEF) }, RECOVERY))
    expect(mergeIdentityLogs(rotated, former)).toMatchObject({
      kind: 'stale',
      log: rotated,
      equivocation: { version: 2 }
    })
    expect(() =>
      log(GENESIS, rotated.versions[1]!.document, next(rotated.versions[1]!.document, {}, RECOVERY))
    ).toThrow(/no update or recovery key/)
  })

  it('[a genesis signed again by a key that was taken out] does not replace the held log', () => {
    const standing = log(GENESIS, next(GENESIS, { updateKeys: multikeys(keyOf('new')) }, UPDATE))
    const again = signIdentityDocument(GENESIS, UPDATE, '2026-02-02T00:00:00Z', LOCAL)
    const other = log(again, next(again, { updateKeys: multikeys(THIEF) }, UPDATE))
    expect(other.did).toBe(standing.did)
    expect(mergeIdentityLogs(standing, other)).toMatchObject({
      kind: 'stale',
      log: standing,
      equivocation: { version: 1 }
    })
  })

  it('[work done once that counts for years] is none: a stamp dated after now does not count', () => {
    const round = 1_000_000
    const subject = documentStampSubject(GENESIS.id, round, HASH)
    let nonce = bytesOf('0', 8)
    for (let n = 1; !stampHolds(subject, nonce, LOCAL.stamp_bits, HASH); n++) nonce = bytesOf(`${n}`, 8)
    const kept = (now: number) =>
      isKept({ log: log(GENESIS), stamp: { round, nonce } }, { time: timeAt(now), isBoundToLiveName: false }, LOCAL)
    expect([
      kept(1000),
      kept(round - 1),
      kept(round),
      kept(round + LOCAL.document_refresh),
      kept(round + LOCAL.document_refresh + 1)
    ]).toEqual([false, false, true, true, false])
  })

  it('[a binding of a former owner] ends with its claim: it names the first p', () => {
    const name = parseName('alice.chronym', LOCAL)
    const key = keyOf('alice')
    const binding = signIdentityBinding(name, 1000, GENESIS.id, key.secretKey, HASH)
    expect(verifyIdentityBinding(binding, GENESIS.id, { name, pubkey: key.publicKey, firstRound: 1000 }, HASH)).toBe(
      true
    )
    for (const claim of [
      { name, pubkey: key.publicKey, firstRound: 2000 },
      { name, pubkey: THIEF.publicKey, firstRound: 1000 },
      { name: parseName('bob.chronym', LOCAL), pubkey: key.publicKey, firstRound: 1000 }
    ]) {
      expect(verifyIdentityBinding(binding, GENESIS.id, claim, HASH)).toBe(false)
    }
  })
})

describe('documents that only some implementations would take', () => {
  const signed = (created: string): IdentityDocument =>
    signIdentityDocument(buildNextVersion(GENESIS, {}), UPDATE, created, LOCAL)

  it('[dates that only some engines know] are none: the calendar decides', () => {
    for (const created of [
      '2026-02-30T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2100-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-01-00T00:00:00Z'
    ]) {
      expect(() => parseIdentityDocument(signed(created), LOCAL), created).toThrow(/date that exists/)
    }
    for (const created of ['2028-02-29T23:59:59Z', '2000-02-29T00:00:00.123456789Z', '2026-12-31T00:00:00Z'])
      expect(() => parseIdentityDocument(signed(created), LOCAL)).not.toThrow()
  })

  it('[Unicode tables differ between versions] so a URI is ASCII: whether U+180E is a space has changed before', () => {
    for (const uri of [
      'https://a.example/\u180e',
      'https://a.example/\u00a0',
      'https://münchen.example/',
      'https://a.example/ b',
      'no-scheme'
    ]) {
      expect(() => parseIdentityDocument(next(GENESIS, { alsoKnownAs: [uri] }, UPDATE), LOCAL), uri).toThrow(
        /absolute URI/
      )
    }
    expect(() =>
      parseIdentityDocument(next(GENESIS, { alsoKnownAs: ['https://xn--mnchen-3ya.example/%20'] }, UPDATE), LOCAL)
    ).not.toThrow()
  })
})

describe('a manifest', () => {
  it('[a manifest by a key that was taken out] says nothing, though an old version lists it', () => {
    const unsigned = {
      id: GENESIS.id,
      kid_version: 1,
      version: 9,
      capabilities: [],
      validFrom: CREATED,
      validUntil: '2027-01-01T00:00:00Z'
    }
    const manifest = signManifest(unsigned, `${GENESIS.id}#key-1`, ASSERTION.secretKey, CREATED, LOCAL)
    expect(() => verifyManifest(manifest, log(GENESIS))).not.toThrow()
    expect(() => verifyManifest(manifest, log(GENESIS, next(GENESIS, { assertionMethod: [] }, UPDATE)))).toThrow(
      /any more/
    )
    const replaced = next(
      GENESIS,
      {
        verificationMethod: [{ ...GENESIS.verificationMethod[0]!, publicKeyMultibase: encodeMultikey(THIEF.publicKey) }]
      },
      UPDATE
    )
    expect(() => verifyManifest(manifest, log(GENESIS, replaced))).toThrow(/any more/)
  })
})
