import { describe, expect, it } from 'vitest'
import {
  decodeReceipt,
  encodeReceipt,
  signReceipt,
  verifyReceipt,
  claimRound
} from '../../../src/protocol/claim/commitment.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { isWitnessed } from '../../../src/protocol/admission/witness.ts'
import { bareClaim, bytesOf, keyOf, LOCAL, MAIN, TEST, timeAt } from '../fixtures.ts'

const HASH = profileHash(LOCAL)

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
    const { peer } = signReceipt(bytesOf('C'), 77, keyOf('other'), HASH)
    for (const change of [{ seen: 78 }, { commitment: bytesOf('D') }, { peer }, { peer: receipt.peer.subarray(1) }])
      expect(verifyReceipt({ ...receipt, ...change }, HASH)).toBe(false)
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

  it('[one lying receipt] does not move p by more than the slack of honest clocks, whatever round it names', () => {
    const facts = { sentRound: 1000, now: 1001 }
    const honest = Array.from({ length: 11 }, () => 1001)
    const latest = facts.now + MAIN.receipt_slack
    for (const lie of [0, 997, latest, latest + 1, 5000, Number.MAX_SAFE_INTEGER]) {
      const p = 1021 + (lie === latest ? MAIN.receipt_slack : 0)
      expect(claimRound([...honest, lie], 20, facts, MAIN).round).toBe(p)
      const most = [...honest.slice(1), ...Array.from({ length: 10 }, () => lie)]
      expect(claimRound(most, 21, facts, MAIN).round).toBe(lie === latest ? p : undefined)
    }
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
      // The last is a witness whose clock is ahead by the slack.
      for (const seen of [100, 101, 103, 103 + Math.min(receipt_slack, min_commit - 1)])
        expect(
          isWitnessed(bareClaim({ firstRound: p }), { seen }, timeAt(p), profile),
          `${min_commit}, ${receipt_slack}: s ${seen}`
        ).toBe(true)
    }
  })
})
