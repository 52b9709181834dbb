/** Attacks on commitments and receipts, each under the name that docs/protocol/ gives it. */
import { describe, expect, it } from 'vitest'
import { leastWorthy, sentAgain, type OpenCommitment } from '../../../src/protocol/admission/holder.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { claimRound, signReceipt, verifyReceipt } from '../../../src/protocol/claim/commitment.ts'
import {
  blindedKey,
  blindedPrefixBits,
  recordKey,
  sharesPrefix
} from '../../../src/protocol/neighbourhood/key-space.ts'
import { stampHolds, stampWork } from '../../../src/protocol/crypto/domain.ts'
import { isWitnessed } from '../../../src/protocol/admission/witness.ts'
import { bareClaim, bytesOf, keyOf, LOCAL, MAIN, timeAt } from '../../protocol/fixtures.ts'

const HASH = profileHash(MAIN)
const C = bytesOf('C')

describe('commitments', () => {
  it('[resetting the stamp] changes nothing: s stays that of the first sight', () => {
    const known: OpenCommitment = { commitment: C, seen: 1000, lastSent: 1000, prefix: 'a', work: 22 }
    const again = sentAgain(known, { now: 5000 })
    expect(again).toEqual({ ...known, lastSent: 5000 })
    // Neither does the first s make way for a later p, nor a later s for an earlier claim.
    expect(isWitnessed(bareClaim({ firstRound: 5010 }), { seen: again.seen }, timeAt(5010), MAIN)).toBe(false)
    expect(isWitnessed(bareClaim({ firstRound: 1020 }), { seen: again.seen }, timeAt(5010), MAIN)).toBe(true)
  })

  it('[a pulse that was known before the commitment] makes no witnessed claim: p must follow s, not too late', () => {
    for (const profile of [MAIN, LOCAL]) {
      const witnessed = (seen: number, p: number): boolean =>
        isWitnessed(bareClaim({ firstRound: p }), { seen }, timeAt(p + 10), profile)
      const latest = 1000 - Math.max(1, profile.min_commit - profile.receipt_slack)
      expect([
        witnessed(latest, 1000),
        witnessed(latest + 1, 1000),
        witnessed(1000, 1000),
        witnessed(1001, 1000)
      ]).toEqual([true, false, false, false])
      expect([witnessed(1000 - profile.pulse_window, 1000), witnessed(999 - profile.pulse_window, 1000)]).toEqual([
        true,
        false
      ])
    }
  })

  it('[one lying receipt] does not move p by more than the slack of honest clocks, whatever round it names', () => {
    const facts = { sentRound: 1000, now: 1001 }
    const honest = Array.from({ length: 11 }, () => 1001)
    const latest = facts.now + MAIN.receipt_slack
    for (const lie of [0, 997, latest, latest + 1, 5000, Number.MAX_SAFE_INTEGER]) {
      const p = 1021 + (lie === latest ? MAIN.receipt_slack : 0)
      expect(claimRound([...honest, lie], 20, facts, MAIN).round).toBe(p)
      expect(claimRound([...honest.slice(1), ...Array.from({ length: 10 }, () => lie)], 21, facts, MAIN).round).toBe(
        lie === latest ? p : undefined
      )
    }
    const receipt = signReceipt(C, 1000, keyOf('peer'), HASH)
    expect(verifyReceipt(receipt, HASH)).toBe(true)
    for (const forged of [
      { ...receipt, seen: 999 },
      { ...receipt, commitment: bytesOf('other') },
      { ...receipt, peer: signReceipt(C, 1000, keyOf('other'), HASH).peer }
    ])
      expect(verifyReceipt(forged, HASH)).toBe(false)
    expect(verifyReceipt(receipt, profileHash(LOCAL))).toBe(false)
  })

  it('[looking a name up announces it] so only a prefix is shown, of some thirty peers and any name', () => {
    const K = recordKey('reveal', parseName('secret.chronym', MAIN), HASH)
    for (const size of [1, 20, 63, 64, 1000, 10_000, 1_000_000]) {
      const bits = blindedPrefixBits(size)
      const underPrefix = size / 2 ** bits
      expect(underPrefix, `${size} peers`).toBeGreaterThanOrEqual(Math.min(size, 32))
      expect(underPrefix).toBeLessThan(64)
      const shown = [1, 2, 3].map((n) => blindedKey(K, bits, bytesOf(`${size} ${n}`)))
      for (const key of shown)
        expect([sharesPrefix(key, K, bits), sharesPrefix(key, K, bits + 24)]).toEqual([true, false])
      expect(new Set(shown.map(String)).size).toBe(3)
    }
  })

  it('[a flood of commitments] costs its own prefix its places first, the least work of it before the rest', () => {
    const open = (prefix: string, index: number, work: number): OpenCommitment => ({
      commitment: bytesOf(`${prefix} ${index}`),
      seen: 1000 + index,
      lastSent: 1000 + index,
      prefix,
      work
    })
    const honest = open('honest', 0, 22)
    let table = [honest]
    for (let index = 1; index <= 200; index++) {
      table = [...table, open(`flood ${index % 2}`, index, 22 + (index % 9))]
      if (table.length > 50) table = table.filter((each) => each !== leastWorthy(table))
    }
    expect(table).toContain(honest)
    expect(table).toHaveLength(50)
  })

  it('[a stamp of another commitment] does no work for this one', () => {
    let nonce = bytesOf('nonce 0', 8)
    for (let n = 1; !stampHolds(C, nonce, LOCAL.stamp_bits, profileHash(LOCAL)); n++) nonce = bytesOf(`nonce ${n}`, 8)
    expect(stampHolds(bytesOf('other'), nonce, LOCAL.stamp_bits, profileHash(LOCAL))).toBe(false)
    expect(stampHolds(C, nonce, LOCAL.stamp_bits, HASH)).toBe(false)
    expect(stampHolds(C, Uint8Array.from([...nonce, 0]), 0, profileHash(LOCAL))).toBe(false)
    expect(stampWork(C, nonce, profileHash(LOCAL))).toBeGreaterThanOrEqual(LOCAL.stamp_bits)
  })
})
