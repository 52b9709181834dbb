import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { decodeOwnCbor, encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import {
  decodeReceipt,
  encodeReceipt,
  signReceipt,
  stampHolds,
  stampWork,
  verifyReceipt
} from '../../../src/protocol/claim/commitment.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { claimRound } from '../../../src/protocol/claim/receipt.ts'
import {
  blindedKey,
  blindedPrefixBits,
  recordKey,
  recordKeyPreimage,
  sharesPrefix
} from '../../../src/protocol/claim/record-key.ts'
import {
  decodeReveal,
  decodeVdfProof,
  encodeReveal,
  encodeVdfProof,
  firstLink,
  newestLink,
  proofShape
} from '../../../src/protocol/claim/reveal.ts'
import { linkValue } from '../../../src/protocol/claim/vdf-proof.ts'
import { leadingZeroBits } from '../../../src/protocol/crypto/stamp.ts'
import { encodeStub, MAX_STUB_BYTES, stubOf } from '../../../src/protocol/admission/stub.ts'
import { isWitnessed } from '../../../src/protocol/admission/witness.ts'
import { bareClaim, bytesOf, keyOf, LOCAL, MAIN, makeReveal, TEST, timeAt } from '../fixtures.ts'

const HASH = profileHash(LOCAL)

describe('stamps', () => {
  it('count the zero bits in front', () => {
    expect(leadingZeroBits(Uint8Array.of(0x80))).toBe(0)
    expect(leadingZeroBits(Uint8Array.of(0, 0x1f))).toBe(11)
    expect(leadingZeroBits(new Uint8Array(4))).toBe(32)
  })

  it('hold for enough bits and a nonce of eight bytes only', () => {
    const commitment = bytesOf('C')
    let nonce = new Uint8Array(8)
    for (let n = 0; stampWork(commitment, nonce, HASH) < 8; n++)
      nonce = new Uint8Array(Uint8Array.from([n >> 8, n & 255, 0, 0, 0, 0, 0, 0]))
    const work = stampWork(commitment, nonce, HASH)
    expect(stampHolds(commitment, nonce, work, HASH)).toBe(true)
    expect(stampHolds(commitment, nonce, work + 1, HASH)).toBe(false)
    expect(stampHolds(commitment, nonce.subarray(0, 7), 0, HASH)).toBe(false)
  })
})

describe('receipts', () => {
  const node = keyOf('node')
  const receipt = signReceipt(bytesOf('C'), 77, node, HASH)

  it('verify after a round trip, in their network only', () => {
    const decoded = decodeReceipt(encodeReceipt(receipt))
    expect(decoded).toEqual(receipt)
    expect(verifyReceipt(decoded, HASH)).toBe(true)
    expect(verifyReceipt(decoded, profileHash(TEST))).toBe(false)
  })

  it('bind commitment, round and peer', () => {
    expect(verifyReceipt({ ...receipt, seen: 78 }, HASH)).toBe(false)
    expect(verifyReceipt({ ...receipt, commitment: bytesOf('D') }, HASH)).toBe(false)
    expect(verifyReceipt({ ...receipt, peer: signReceipt(bytesOf('C'), 77, keyOf('other'), HASH).peer }, HASH)).toBe(
      false
    )
    expect(verifyReceipt({ ...receipt, peer: receipt.peer.subarray(1) }, HASH)).toBe(false)
  })

  it('suffice when more than half of those asked saw it in time: not before it was sent, not after now, but for two rounds', () => {
    const facts = { sentRound: 100, now: 105 }
    expect(claimRound([98, 100, 107], 5, facts, MAIN)).toEqual({ timely: 3, round: 127 })
    expect(claimRound([97, 100, 107], 5, facts, MAIN)).toEqual({ timely: 2, round: undefined })
    expect(claimRound([98, 100, 108], 5, facts, MAIN)).toEqual({ timely: 2, round: undefined })
    expect(claimRound([100, 100], 4, facts, MAIN)).toEqual({ timely: 2, round: undefined })
    expect(claimRound([100], 1, facts, MAIN)).toEqual({ timely: 1, round: 120 })
    expect(claimRound([], 0, facts, MAIN)).toEqual({ timely: 0, round: undefined })
  })

  it('set p by the latest s, so that it lies above every s that counts, whatever the profile', () => {
    expect(claimRound([130, 100], 3, { sentRound: 100, now: 130 }, MAIN).round).toBe(150)
    for (const [min_commit, receipt_slack] of [
      [1, 0],
      [1, 5],
      [2, 2],
      [20, 2]
    ] as const) {
      const profile = { ...MAIN, min_commit, receipt_slack }
      const p = claimRound([100, 101, 103], 3, { sentRound: 100, now: 103 }, profile).round!
      for (const seen of [100, 101, 103])
        expect(
          isWitnessed(bareClaim({ firstRound: p }), { seen }, timeAt(p), profile),
          `${min_commit}, ${receipt_slack}: s ${seen}`
        ).toBe(true)
      // A witness whose clock is ahead by the slack.
      expect(
        isWitnessed(
          bareClaim({ firstRound: p }),
          { seen: 103 + Math.min(receipt_slack, min_commit - 1) },
          timeAt(p),
          profile
        )
      ).toBe(true)
    }
  })
})

describe('record keys', () => {
  it('are the SHA-256 of the preimage that kad-dht is given, one for each kind', () => {
    const keys = (['reveal', 'kid', 'manifest'] as const).map((kind) => {
      expect(recordKey(kind, 'x', HASH)).toEqual(sha256(recordKeyPreimage(kind, 'x', HASH)))
      return toHex(recordKey(kind, 'x', HASH))
    })
    expect(new Set(keys).size).toBe(3)
  })

  it.each([
    [0, 0],
    [1, 0],
    [63, 0],
    [64, 1],
    [127, 1],
    [128, 2],
    [1_000_000, 14],
    [2 ** 21, 16],
    [2 ** 40, 16]
  ])('of a network of %i show %i bits', (size, bits) => {
    expect(blindedPrefixBits(size)).toBe(bits)
  })

  it('are hidden behind a random key that shares exactly the blinded bits at least', () => {
    const key = recordKey('reveal', 'alice.chronym', HASH)
    for (const bits of [0, 1, 7, 8, 10]) {
      const blinded = blindedKey(key, bits, bytesOf(`random ${bits}`))
      expect(sharesPrefix(key, blinded, bits)).toBe(true)
      expect(
        sharesPrefix(
          bytesOf(`random ${bits}`),
          blinded.map((byte, index) => byte ^ key[index]! ^ bytesOf(`random ${bits}`)[index]!),
          bits
        )
      ).toBe(true)
    }
    expect(sharesPrefix(Uint8Array.of(0xff, 0x00), Uint8Array.of(0xff, 0x01), 15)).toBe(true)
    expect(sharesPrefix(Uint8Array.of(0xff, 0x00), Uint8Array.of(0xff, 0x01), 16)).toBe(false)
  })
})

describe('the proof of a Reveal', () => {
  it('has one shape for each number of squarings', () => {
    expect(proofShape(2 ** 22 - 1, LOCAL)).toEqual({ depth: 0, split: null, length: 200 })
    expect(proofShape(2 ** 22, LOCAL)).toEqual({ depth: 1, split: 2 ** 22 - Math.floor(2 ** 22 / 10), length: 341 })
    expect(proofShape(10_000_000_009, MAIN).split).toBe(9_000_000_009)
  })

  it('is read back as it was written, with and without a chain', () => {
    for (const renewals of [[], [2000, 3000]]) {
      const { vdf_proof } = makeReveal({ renewals })
      expect(encodeVdfProof(decodeVdfProof(vdf_proof))).toEqual(vdf_proof)
    }
  })

  it('refuses an empty chain, another version, unknown members and wrong lengths', () => {
    const parts = { v: 1, pulse: new Uint8Array(48), proof: new Uint8Array(200), salt: new Uint8Array(32) }
    expect(decodeVdfProof(encodeCbor(parts))).toEqual({ pulse: parts.pulse, proof: parts.proof, salt: parts.salt })
    const unsalted = { v: parts.v, pulse: parts.pulse, proof: parts.proof }
    for (const bad of [
      { ...parts, chain: [] },
      { ...parts, v: 2 },
      { ...parts, extra: 1 },
      { ...parts, pulse: new Uint8Array(47) },
      { ...parts, salt: 'text' },
      { ...parts, chain: [1] },
      unsalted,
      [parts],
      null
    ]) {
      expect(() => decodeVdfProof(encodeCbor(bad))).toThrow(EncodingError)
    }
  })
})

describe('the Reveal', () => {
  it('is read back as it was written', () => {
    const reveal = makeReveal({ renewals: [2000, 3000] })
    expect(decodeReveal(encodeReveal(reveal))).toEqual(reveal)
    expect(firstLink(reveal).p).toBe(1000)
    expect(newestLink(reveal)).toMatchObject({ p: 3000, iterations: 250_000 })
  })

  it('refuses members of a wrong kind and bytes in another order', () => {
    const reveal = makeReveal()
    for (const bad of [
      { ...reveal, pubkey: new Uint8Array(31) },
      { ...reveal, name: 1 },
      { ...reveal, payload: 'text' },
      { ...reveal, drand_pulse: 'x' },
      { ...reveal, more: 1 }
    ]) {
      expect(() => decodeReveal(encodeCbor(bad))).toThrow(EncodingError)
    }
    const bytes = encodeReveal(reveal)
    expect(() => decodeReveal(Uint8Array.from([...bytes, 0]))).toThrow(EncodingError)
  })

  it('decodes from arbitrary bytes or throws EncodingError', () => {
    const bytes = encodeReveal(makeReveal())
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (position, value) => {
        const changed = Uint8Array.from(bytes)
        changed[position] = value
        try {
          expect(encodeReveal(decodeReveal(changed))).toEqual(changed)
        } catch (error) {
          if (!(error instanceof EncodingError)) throw error
        }
      }),
      { numRuns: 1000 }
    )
  })
})

describe('stubs', () => {
  it('keep the first and the newest link', () => {
    for (const renewals of [[], [2000, 3000]]) {
      const stub = stubOf(makeReveal({ renewals }))
      const { name, pubkey, first, newest } = stub
      expect(decodeOwnCbor(encodeStub(stub))).toEqual({
        name,
        pubkey,
        first: linkValue(first),
        ...(renewals.length > 0 && { newest: linkValue(newest) })
      })
      expect(stub.newest.p).toBe(renewals.at(-1) ?? 1000)
    }
  })

  it('are about 1 KB at their longest', () => {
    const renewal = stubOf(
      makeReveal({
        name: `${'a'.repeat(63)}.chronym`,
        profile: { ...MAIN, two_segment_from: 20 },
        p: 2 ** 40,
        renewals: [2 ** 40 + 1]
      })
    )
    expect(encodeStub(renewal).length).toBeLessThanOrEqual(MAX_STUB_BYTES)
  })
})
