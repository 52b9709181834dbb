/** Moves that look at more than names: each does no more than it may, and tries what it says. */
import { describe, expect, it } from 'vitest'
import { MOVES } from '../../../sim/moves/index.ts'
import { run } from '../../../sim/figures/run.ts'

/** Each with what its remark must tell, so that a move that tries nothing does not pass. */
const PLAYED: readonly (readonly [id: string, nodes: number, tells: RegExp])[] = [
  ['squatter-without-a-witness', 30, /^20 of 20 holders had the squatter's claim before the owner's$/],
  ['lone-vote', 30, /^19 of 19 holders have the owner as provisional; a look says contested$/],
  ['told-that-it-is-lost', 24, /^told 28 times of 28 .* has 2 links/],
  ['lying-receipts', 30, /^3 of 3 liars were asked; p is 22 rounds after/],
  ['divided-contest', 30, /^of 15 honest holders (0 and 15|15 and 0) have/],
  ['lapsed-owner', 24, /of renewals 0 have it, (19|20) the new owner's claim$/],
  ['slept-while-others-settled', 30, /^4 of 4 slept with the rival's claim; .* 0 have it$/],
  ['look-up-before-the-claim', 70, /they show 1 bits of K$/],
  ['last-moment-pages', 30, /^1 of 31 that are asked lie; a look before a claim takes 10 s at most$/],
  ['list-every-name', 30, /^16 of the 46 that answer list the name, 0 show it/],
  ['listed-to-learn-a-name', 30, /for 8 of the 101 names that they list; a second look has 8 of them in common$/],
  ['slow-neighbours', 30, /an hourly round takes [56] minutes at most$/],
  ['displaced-holders', 30, /^([5-9]|1\d) of 20 honest holders kept a stub only; 0 have another claim/],
  ['share-of-nodes-takes', 45, /^\d of the 20 around the name are the attacker's$/],
  ['clocks-off-among-liars', 30, /^$/],
  ['partition-in-the-contest', 30, /, 18 and 0 of 18 honest holders have .* sees the owner$/],
  ['stolen-update-key', 30, /^10 of 20 .* after the recovery 20 of 20 have the owner's$/],
  ['keys-taken-out', 30, /^9 of 9 .* 4 the thief; one that remembers saw the owner 4 times, and refused 0 times$/],
  ['older-identity-shown', 30, /^of 4 new resolvers 4 see the newest version and 0 an older one; one .* 4 times/],
  ['many-documents-of-a-name', 30, /^\d+ of 24 identities .* 30 honest nodes keep 1\d\d of their records, 4 at most$/],
  ['binding-of-a-former-owner', 24, /^(19|20) honest nodes had .* 30 h later 0 have it, and it is refused as unbound$/],
  ['stamped-for-years', 30, /^a stamp of today: 20 .* 20 until its 2 days end, 0 a day later; dated a year ahead: 0$/],
  ['manifest-by-an-old-key', 30, /^0 of 20 holders .* 4 see the owner's and 0 the thief's$/],
  ['sold-twice-at-once', 24, /^looks show the first [0-3], the second \d+, contested 0, none 0, never seen as final/],
  ['sold-twice-after-the-contest', 24, /the second 0, contested 0, none 0, 0 once it was seen as final, by (19|20)/],
  ['sold-twice-in-a-partition', 24, /, the second 0, contested \d, none [01], 0 once .* 20 and 0 of 20 honest holders/],
  ['sold-twice-among-dividers', 24, /, [1-9]\d* once it was seen as final, by 1[1-4] peers at most/],
  ['older-record-then-second-sale', 24, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['second-sale-to-newcomers', 24, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['longer-second-sale', 24, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['sale-turned-when-final', 24, /, the second 0, contested 0, none 0, .* 20 and 0 of 20 honest holders/],
  ['second-sale-at-the-code-first', 24, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['sold-twice-between-the-places', 40, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['sold-twice-in-a-young-network', 24, /, the second 0, contested 0, none 0, .* 17 and 0 of 17 honest holders/],
  ['sold-twice-to-sleepers', 24, /, the second 0, contested 0, none 0, .* 16 and 0 of 16 honest holders/],
  ['sold-twice-to-stubs', 24, /, the second 0, contested 0, none 0, .* 20 and 0 of 20 honest holders/],
  ['sold-twice-while-the-beacon-stands', 24, /, the second \d+, contested 0, none 0, never seen as final;/],
  ['former-owner-renews', 24, /^20 of 20 .* the name shows the next owner, the code of the claim before the seller$/],
  ['former-owner-renews-in-time', 24, /^20 of 20 .* the name shows the next owner, the code .* the seller$/],
  ['words-thief-in-a-partition', 24, /^two days after .* 20 and 0 of 20 honest holders/],
  ['seed-thief-uses-up-turns', 24, /^a minute after the owner's change 20 of 20 holders have it, and 20 of the code$/],
  ['names-that-fill-the-queue', 24, /^beside 257 names of the attacker, the owner's newest zone is taken in its turn$/],
  ['eclipse-in-a-partition', 30, /^cut off, a resolver saw the thief, thin$/]
]

describe('a move that looks at more than names', () => {
  it.each(PLAYED)('%s does no more than it may', async (id, nodes, tells) => {
    const move = MOVES.find((each) => each.id === id)!
    const result = await run({ nodes, days: 0, names: 0, seed: '1', move })
    expect(result).toMatchObject({ isAllowed: true, breaches: [], violations: [] })
    expect(result.remark ?? '').toMatch(tells)
  })
})
