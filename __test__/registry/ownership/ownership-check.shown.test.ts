/** The state of an own name by the answers of peers: every case of the pure rule. */
import { expect, it } from 'vitest'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import type { Ruled } from '../../../src/protocol/resolution/pin.ts'
import { ownershipShown } from '../../../src/registry/ownership/ownership-check.ts'

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const claim = (pubkey: number, changes: readonly number[], id = 1): Claim =>
  ({
    id: bytes(id),
    pubkey: bytes(pubkey),
    changes: changes.map((hash) => ({ hash: bytes(hash), consented: true }))
  }) as unknown as Claim

const OURS = claim(1, [7])
const owner = (newest: Claim, more: { final?: boolean; thin?: boolean; settled?: boolean } = {}): Ruled => {
  const { final = true, thin = false, settled = true } = more
  return { kind: 'owner', thin, settled, owner: { pubkey: newest.pubkey, newest, final } } as Ruled
}
const contested = (...keys: number[]): Ruled =>
  ({ kind: 'contested', candidates: keys.map((key) => ({ pubkey: bytes(key) })) }) as unknown as Ruled
const [SOLD, PARTED, BEFORE, OTHER] = [claim(2, [7, 8]), claim(2, [9]), claim(3, []), claim(2, [], 2)]

it.each<[string, Ruled, string | undefined, (boolean | undefined)?]>([
  ['our own record', owner(OURS), 'held', true],
  ['a newer change of ours', owner(SOLD, { final: false }), 'held', true],
  ['a final change', owner(SOLD), 'sold'],
  ['a final change in place of ours', owner(PARTED), 'sold'],
  ['a change that is not final', owner(SOLD, { final: false }), 'changed'],
  ['a final change, as few peers say', owner(SOLD, { thin: true }), 'changed'],
  ['a change that the locked seed may have made', owner(SOLD), undefined, undefined],
  ['the record before our change', owner(BEFORE), undefined],
  ['another claim', owner(OTHER), 'lost'],
  ['another claim that is not settled', owner(OTHER, { settled: false }), 'contested'],
  ['another claim, as few peers say', owner(OTHER, { thin: true }), 'contested'],
  ['several owners', contested(1, 2), 'contested'],
  ['our key alone, against a pin', contested(1), 'held'],
  ['nobody', { kind: 'none' } as Ruled, undefined]
])('%s', (_title, tally, ownership, ...isOurs) => {
  expect(ownershipShown(tally, OURS, () => (isOurs.length === 0 ? false : isOurs[0]))).toBe(ownership)
})
