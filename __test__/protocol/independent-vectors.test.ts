/**
 * Our vectors against those of another implementation (independent.py: Python, its standard library alone), made from
 * docs/protocol/wire.md.
 */
import { describe, expect, it } from 'vitest'
import {
  decodeAnswer,
  decodeRequest,
  encodeMessage,
  type Answer,
  type Request
} from '../../src/network/wire/messages.ts'
import { fromHex, lp, sha256, toHex } from '../../src/protocol/encoding/bytes.ts'
import { tieHash, highestSerial } from '../../src/protocol/claim/claim.ts'
import {
  commitmentHash,
  decodeReceipt,
  encodeReceipt,
  receiptMessage,
  signReceipt,
  verifyReceipt
} from '../../src/protocol/claim/commitment.ts'
import {
  DOMAIN_WORDS,
  type DomainWord,
  stampDigest,
  stampHolds,
  stampPrefix
} from '../../src/protocol/crypto/domain.ts'
import { keyPairFromSeed, verifyStrict } from '../../src/protocol/crypto/ed25519.ts'
import {
  type ChangeKeyOf,
  changePoint,
  changePublicKey,
  signAsChangeKey
} from '../../src/protocol/crypto/change-keys.ts'
import { changeMessage, changeOf, nextHash } from '../../src/protocol/claim/changes.ts'
import { parseCanonicalJson } from '../../src/protocol/encoding/jcs.ts'
import { didAssertionKey, didRecoveryKey, didUpdateKey, nameKey, nameListKey } from '../../src/protocol/crypto/keys.ts'
import { identityDid, parseIdentityDocument } from '../../src/protocol/identity/document.ts'
import type { Did } from '../../src/protocol/identity/did.ts'
import {
  identityBindingMessage,
  signIdentityBinding,
  verifyIdentityBinding,
  decodeIdentityRecord,
  documentStampSubject,
  encodeIdentityRecord
} from '../../src/protocol/identity/record.ts'
import { decodeManifestRecord, verifyManifest } from '../../src/protocol/identity/manifest.ts'
import { checkCode } from '../../src/protocol/claim/check-code.ts'
import { parseName } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles, type BuiltInProfileId } from '../../src/protocol/profile/built-in.ts'
import { proofCacheKey, encodeVdfProof, type Link, type VdfProof, vdfSeed } from '../../src/protocol/claim/proof.ts'
import { pulseRandomness } from '../../src/protocol/time.ts'
import { recordKey, recordKeyPreimage, type RecordKind } from '../../src/protocol/neighbourhood/key-space.ts'
import { claimId, decodeReveal, encodeReveal, revealSigningBytes, signReveal } from '../../src/protocol/claim/reveal.ts'
import { encodeStub, stubOf } from '../../src/protocol/admission/holder.ts'
import { listMessage, signedUntil, signList } from '../../src/protocol/bootstrap-list.ts'
import { openNameList } from '../../src/protocol/zone/name-list.ts'
import { parseZonePayload, sealedPart, serializeZone } from '../../src/protocol/zone/zone.ts'
import vectors from '../vectors/chronym/independent.json' with { type: 'json' }

const MAIN = builtInProfiles.main

/** One vector: its inputs by name, texts and numbers as they are, bytes in hex. */
class Vector {
  readonly hash: Uint8Array
  readonly profile
  readonly #fields: Record<string, unknown>

  constructor(fields: Record<string, unknown>) {
    this.#fields = fields
    this.profile = builtInProfiles[this.text('profile') as BuiltInProfileId]
    this.hash = profileHash(this.profile)
  }

  text(field: string): string {
    const value = this.#fields[field]
    if (typeof value !== 'string') throw new Error(`${field}: no text`)
    return value
  }

  bytes(field: string): Uint8Array {
    return fromHex(this.text(field))
  }

  list(field: string): string[] {
    return this.#fields[field] as string[]
  }

  number(field: string): number {
    return Number(this.#fields[field])
  }

  links(): Link[] {
    const links = this.#fields['links'] as Record<'p' | 'pulse' | 'iterations' | 'proof' | 'salt', string>[]
    return links.map(({ p, pulse, iterations, proof, salt }) => ({
      p: Number(p),
      pulse: fromHex(pulse),
      iterations: Number(iterations),
      proof: fromHex(proof),
      salt: fromHex(salt)
    }))
  }

  /** 0 where it is left out. */
  optionalNumber(field: string): number {
    return Number(this.#fields[field] ?? 0)
  }

  flag(field: string): boolean {
    return this.#fields[field] === true
  }

  changeKeyOf(): ChangeKeyOf {
    return { name: parseName(this.text('name'), this.profile), index: this.number('index'), profileHash: this.hash }
  }

  /** `next`, `first` and `changes` of a Reveal, where it has them. */
  keys(): Pick<VdfProof, 'next' | 'first' | 'changes'> {
    if (this.#fields['changes'] === undefined) return {}
    const changes = (this.#fields['changes'] as Record<string, string>[]).map((change) =>
      changeOf(Object.fromEntries(Object.entries(change).map(([member, hex]) => [member, fromHex(hex)])))
    )
    return { next: this.bytes('next'), first: this.bytes('first'), changes }
  }

  /** What is derived is an Ed25519 seed. */
  expectKey({ publicKey, secretKey }: { publicKey: Uint8Array; secretKey: Uint8Array }): void {
    expect([toHex(secretKey.subarray(0, 32)), toHex(publicKey)]).toEqual([this.text('output'), this.text('public_key')])
  }

  expectRecordKey(kind: RecordKind): void {
    const id = this.text('id')
    this.expectHash(recordKeyPreimage(kind, id, this.hash), recordKey(kind, id, this.hash))
  }

  expectHash(preimage: Uint8Array | undefined, output: Uint8Array): void {
    expect(toHex(output)).toBe(this.text('output'))
    if (preimage !== undefined) expect(toHex(preimage)).toBe(this.text('preimage'))
    else expect(toHex(sha256(this.bytes('preimage')))).toBe(this.text('output'))
  }
}

/**
 * How each domain is checked. A new word of the protocol does not compile without its entry here, and fails without a
 * vector.
 */
const CHECKS: Record<DomainWord, (vector: Vector) => void> = {
  commitment: (v) =>
    v.expectHash(
      undefined,
      commitmentHash(v.text('name'), v.bytes('pubkey'), v.bytes('salt'), v.hash, v.bytes('next'))
    ),
  stamp: (v) => {
    expect(toHex(stampPrefix(v.bytes('subject'), v.hash)) + v.text('nonce')).toBe(v.text('preimage'))
    v.expectHash(undefined, stampDigest(v.bytes('subject'), v.bytes('nonce'), v.hash))
    expect(stampHolds(v.bytes('subject'), v.bytes('nonce'), v.number('bits'), v.hash)).toBe(true)
  },
  receipt: (v) => {
    const receipt = signReceipt(v.bytes('commitment'), v.number('seen'), keyPairFromSeed(v.bytes('node_seed')), v.hash)
    expect(toHex(receiptMessage(receipt.commitment, receipt.seen, receipt.peer, v.hash))).toBe(v.text('preimage'))
    expect([toHex(receipt.peer), toHex(receipt.signature), toHex(encodeReceipt(receipt))]).toEqual([
      v.text('peer'),
      v.text('output'),
      v.text('record')
    ])
    expect(verifyReceipt(decodeReceipt(v.bytes('record')), v.hash)).toBe(true)
  },
  key: (v) => v.expectRecordKey('reveal'),
  coded: (v) => v.expectRecordKey('coded'),
  'kid-key': (v) => v.expectRecordKey('kid'),
  'manifest-key': (v) => v.expectRecordKey('manifest'),
  'vdf-seed': (v) => {
    const [commitment, round, randomness] = [
      v.bytes('commitment'),
      v.number('round'),
      pulseRandomness(v.bytes('pulse'))
    ]
    const before = v.text('before') === '' ? undefined : v.bytes('before')
    v.expectHash(undefined, vdfSeed({ commitment, round, randomness, before }, v.hash))
  },
  reveal: (v) => {
    const links = v.links()
    const { p, iterations, ...newest } = links.at(-1)!
    const vdf_proof = encodeVdfProof({ ...newest, chain: links.slice(0, -1), ...v.keys() })
    expect(toHex(vdf_proof)).toBe(v.text('vdf_proof'))
    const reveal = signReveal(
      { name: v.text('name'), drand_pulse: p, iterations, vdf_proof, payload: v.bytes('payload') },
      keyPairFromSeed(v.bytes('owner_seed')),
      v.hash
    )
    expect([toHex(revealSigningBytes(reveal, v.hash)), toHex(reveal.signature)]).toEqual([
      v.text('preimage'),
      v.text('output')
    ])
    expect([toHex(encodeReveal(reveal)), toHex(encodeStub(stubOf(reveal)))]).toEqual([v.text('record'), v.text('stub')])
    expect(encodeReveal(decodeReveal(v.bytes('record')))).toEqual(v.bytes('record'))
  },
  claim: (v) =>
    v.expectHash(undefined, claimId(v.text('name'), v.bytes('commitment'), v.number('first_round'), v.hash)),
  tie: (v) => v.expectHash(undefined, tieHash(v.bytes('commitment'), v.bytes('proof').subarray(0, 100), v.hash)),
  'check-code': (v) =>
    expect(checkCode(v.text('name'), v.bytes('proof').subarray(0, 100), v.hash)).toBe(v.text('code')),
  'kid-binding': (v) => {
    const [name, did, owner] = [
      parseName(v.text('name'), v.profile),
      v.text('did') as Did,
      keyPairFromSeed(v.bytes('owner_seed'))
    ]
    const binding = signIdentityBinding(name, v.number('first_round'), did, owner.secretKey, v.hash)
    expect([toHex(identityBindingMessage(name, binding.firstRound, did, v.hash)), toHex(binding.signature)]).toEqual([
      v.text('preimage'),
      v.text('output')
    ])
    expect(
      verifyIdentityBinding(binding, did, { name, pubkey: owner.publicKey, firstRound: binding.firstRound }, v.hash)
    ).toBe(true)
  },
  'document-stamp': (v) =>
    v.expectHash(undefined, documentStampSubject(v.text('did') as Did, v.number('round'), v.hash)),
  'owner-key': (v) =>
    v.expectKey(
      nameKey(v.bytes('master_seed'), v.hash, parseName(v.text('name'), v.profile), v.optionalNumber('index'))
    ),
  'did-update-key': (v) => v.expectKey(didUpdateKey(v.bytes('master_seed'), v.hash, v.number('index'))),
  'did-recovery-key': (v) => v.expectKey(didRecoveryKey(v.bytes('master_seed'), v.hash, v.number('index'))),
  'did-assertion-key': (v) => v.expectKey(didAssertionKey(v.bytes('master_seed'), v.hash, v.number('index'))),
  'next-key': (v) => v.expectHash(undefined, nextHash(v.bytes('change_key'), v.hash)),
  change: (v) => {
    const terms = { pubkey: v.bytes('change_pubkey'), next: v.bytes('change_next'), consented: v.flag('consented') }
    const place = { name: v.text('name'), claimId: v.bytes('claim'), before: v.bytes('before') }
    v.expectHash(changeMessage(place, terms, v.hash), sha256(changeMessage(place, terms, v.hash)))
    expect(verifyStrict(v.bytes('change_signature'), v.bytes('preimage'), v.bytes('change_key'))).toBe(true)
  },
  'change-key': (v) => expect(toHex(changePoint(v.bytes('entropy'), v.hash))).toBe(v.text('point')),
  'change-tweak': (v) => expect(toHex(changePublicKey(v.bytes('point'), v.changeKeyOf()))).toBe(v.text('public_key')),
  'change-nonce': (v) => {
    const signature = signAsChangeKey(v.bytes('entropy'), v.changeKeyOf(), v.bytes('message'))
    expect(toHex(signature)).toBe(v.text('signature'))
  },
  'name-list-key': (v) => {
    const key = nameListKey(v.bytes('master_seed'), v.hash, parseName(v.text('name'), v.profile))
    expect(toHex(key)).toBe(v.text('output'))
    expect(openNameList(key, v.bytes('sealed'), v.profile)).toEqual(v.list('ids'))
  },
  'bootstrap-list': (v) => {
    const list = { name: v.text('list'), expires: v.number('expires'), addresses: v.list('addresses') }
    expect(toHex(listMessage(list, v.hash))).toBe(v.text('preimage'))
    expect(signList(list, keyPairFromSeed(v.bytes('key_seed')), v.hash)).toBe(v.text('text'))
    expect(signedUntil(list, ['other', v.text('text')], v.bytes('public_key'), v.hash)).toBe(list.expires)
  }
}

describe('vectors of another implementation', () => {
  it('are there for every word that separates one use of a hash, signature or key from another', () => {
    expect([...new Set(vectors.vectors.map(({ domain }) => domain))].sort()).toEqual([...DOMAIN_WORDS].sort())
  })

  it.each(vectors.vectors.map((fields, index) => [fields.domain as DomainWord, fields.profile, index] as const))(
    '%s on %s (%i)',
    (word, _profile, index) => {
      const vector = new Vector(vectors.vectors[index]!)
      CHECKS[word](vector)
      const framed = `${toHex(lp(`chronym/${word}/v3`))}${toHex(vector.hash)}`
      expect(vector.text('preimage').startsWith(framed), 'the domain comes once in front').toBe(true)
    }
  )

  it('of profile hashes', () => {
    expect(
      Object.fromEntries(Object.entries(builtInProfiles).map(([id, profile]) => [id, toHex(profileHash(profile))]))
    ).toEqual(vectors.profiles)
  })

  it('of the key that a verdict is remembered under', () => {
    const { seed, iterations, proof, key } = vectors.proof_cache_key
    expect(proofCacheKey(fromHex(seed), iterations, fromHex(proof))).toBe(key)
  })

  it('of an identity: its DID, the hash of a version, proofs, record and manifest', () => {
    const { genesis, did, versions, signers, prev, record, manifest } = vectors.identity
    const documents = versions.map((text) =>
      parseIdentityDocument(parseCanonicalJson(new TextEncoder().encode(text), { maxBytes: 10_000 }), MAIN)
    )
    expect(identityDid(documents[0]!, MAIN)).toBe(did)
    expect(JSON.parse(genesis)).not.toHaveProperty('id')
    expect(documents[1]!.prev).toBe(prev)
    const decoded = decodeIdentityRecord(fromHex(record), MAIN)
    expect(decoded.log.versions.map(({ document, signer }) => [document, signer])).toEqual(
      documents.map((document, index) => [document, signers[index]])
    )
    expect(toHex(encodeIdentityRecord(decoded))).toBe(record)
    expect(
      stampHolds(
        documentStampSubject(decoded.log.did, decoded.stamp!.round, profileHash(MAIN)),
        decoded.stamp!.nonce,
        8,
        profileHash(MAIN)
      )
    ).toBe(true)
    const parsed = decodeManifestRecord(new TextEncoder().encode(manifest), MAIN)
    expect(() => verifyManifest(parsed, decoded.log)).not.toThrow()
  })

  it('of a zone', () => {
    const { bytes, serial } = vectors.zone
    const zone = parseZonePayload(fromHex(bytes), MAIN)
    expect(zone.serial).toBe(serial)
    expect(toHex(serializeZone(zone, serial, MAIN))).toBe(bytes)
    expect(zone.records['@']).toEqual(vectors.zone.records['@'])
    const { sealed, with_list } = vectors.zone
    expect(toHex(sealedPart(fromHex(with_list), MAIN)!)).toBe(sealed)
    expect(parseZonePayload(fromHex(with_list), MAIN)).toEqual(zone)
  })

  it.each(vectors.serials)('of the highest serial on $network after round $verified', (vector) => {
    expect(highestSerial(vector, builtInProfiles[vector.network as BuiltInProfileId])).toBe(vector.highest)
  })

  it.each(vectors.messages.map((each) => [each.message.type, each] as const))(
    'of a message: %s',
    (_type, { message, frame, ...rest }) => {
      const value = bytesOf(message)
      const body = fromHex(frame).subarray(4)
      expect(toHex(lp(encodeMessage(value as Request | Answer)))).toBe(frame)
      expect('to' in rest ? decodeAnswer(bytesOf(rest.to) as Request, body) : decodeRequest(body)).toEqual(value)
    }
  )

  it('of messages: one of each kind at least', () => {
    const kinds: Record<(Request | Answer)['type'], true> = {
      commit: true,
      put: true,
      get: true,
      list: true,
      commitments: true,
      find: true,
      found: true,
      reach: true,
      reached: true,
      received: true,
      stored: true,
      stale: true,
      refused: true,
      busy: true,
      none: true,
      document: true,
      digest: true,
      entry: true,
      listed: true,
      time: true
    }
    expect([...new Set(vectors.messages.map(({ message }) => message.type))].sort()).toEqual(Object.keys(kinds).sort())
  })
})

/** `{"hex": ...}` as bytes, at any depth. */
function bytesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesOf)
  if (typeof value !== 'object' || value === null) return value
  if ('hex' in value) return fromHex(String(value.hex))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bytesOf(item)]))
}
