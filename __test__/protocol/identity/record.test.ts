import { describe, expect, it } from 'vitest'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import { IdentityError } from '../../../src/protocol/identity/document.ts'
import {
  signIdentityBinding,
  verifyIdentityBinding,
  decodeIdentityRecord,
  documentStampSubject,
  encodeIdentityRecord,
  isKept
} from '../../../src/protocol/identity/record.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { stampHolds } from '../../../src/protocol/crypto/domain.ts'
import { keyOf, LOCAL, TEST, timeAt } from '../fixtures.ts'
import { chain, GENESIS, log, THIEF, UPDATE } from './scene.ts'

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

  it('[a binding of a former owner] ends with its claim: the key of a name binds one claim and one DID', () => {
    expect(verifyIdentityBinding(binding, GENESIS.id, claim, hash)).toBe(true)
    expect(verifyIdentityBinding(binding, GENESIS.id, { ...claim, firstRound: 1001 }, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, GENESIS.id, { ...claim, pubkey: THIEF.publicKey }, hash)).toBe(false)
    const bob = parseName('bob.chronym', LOCAL)
    expect(verifyIdentityBinding(binding, GENESIS.id, { ...claim, name: bob }, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, 'did:chronym:zother', claim, hash)).toBe(false)
    expect(verifyIdentityBinding(binding, GENESIS.id, claim, profileHash(TEST))).toBe(false)
  })

  it('[work done once that counts for years] is none: a live name keeps it, or a stamp that is renewed, not dated ahead', () => {
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
