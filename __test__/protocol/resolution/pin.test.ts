/** The states of a pin, as the table of docs/protocol/rules.md, 11, has them. */
import { describe, expect, it } from 'vitest'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import {
  isContested,
  livePin,
  rulePin,
  type FirmPin,
  type Pin,
  type Ruling,
  type Sighting,
  type TentativePin
} from '../../../src/protocol/resolution/pin.ts'
import { tally, type Tally } from '../../../src/protocol/resolution/quorum.ts'
import { bareClaim, LOCAL, MAIN } from '../fixtures.ts'

const ALICE = bareClaim({ owner: 'alice' })
const BOB = bareClaim({ owner: 'bob' })
const CAROL = bareClaim({ owner: 'carol' })
const ALICES = { claim: ALICE.id, pubkey: ALICE.pubkey }
const BOBS = { claim: BOB.id, pubkey: BOB.pubkey }
const AFTER = MAIN.pin_after
const FIRST = 10_000

function most(
  claim = ALICE,
  { votes = 20, asked = 20, state = 'settled' }: { votes?: number; asked?: number; state?: EntryState } = {},
  profile = MAIN
): Tally {
  const answers = Array.from({ length: votes }, (_, index) => ({
    peer: `${index}`,
    prefix: `${index}`,
    held: { claim, state }
  }))
  return tally(answers, { asked, done: true }, profile)
}

function look(
  result: Tally,
  pin: Pin | undefined,
  round: number,
  change: Partial<Sighting> = {},
  profile = MAIN
): Ruling {
  return rulePin(result, pin, { time: { now: round, lapse: round }, isSecondLook: true, spread: 0, ...change }, profile)
}

const tentative = (claim = ALICE, round = FIRST): TentativePin =>
  look(most(claim), undefined, round).pin as TentativePin
const firm = (): FirmPin => look(most(), tentative(), FIRST + AFTER).pin as FirmPin

describe('nothing remembered', () => {
  it('becomes a tentative pin by a sighting, with a second look 1 to 1.75 days later', () => {
    expect(tentative()).toEqual({
      state: 'tentative',
      ...ALICES,
      newestRound: 1000,
      firstRound: FIRST,
      lookRound: FIRST + AFTER
    })
    expect(look(most(), undefined, FIRST, { spread: 0.999999 }).pin).toMatchObject({ lookRound: FIRST + 1.75 * AFTER })
  })

  it('[the only peer that answers] pins nobody, as no answer does that is fresh, provisional, thin or of too few votes', () => {
    for (const result of [
      most(ALICE, { state: 'fresh' }),
      most(ALICE, { state: 'provisional' }),
      most(ALICE, { votes: 10 }),
      most(ALICE, { votes: 7, asked: 7 }),
      most(ALICE, { votes: 1 }),
      most(ALICE, { votes: 1, asked: 1 }),
      most(ALICE, { votes: 0 })
    ]) {
      expect(look(result, undefined, FIRST)).toEqual({ result, pin: undefined })
    }
    expect(look(most(ALICE, { votes: 11 }), undefined, FIRST).pin).toMatchObject({ state: 'tentative' })
  })

  it('needs only a majority where prefixes are not limited: such networks may have fewer peers', () => {
    const two = most(ALICE, { votes: 2, asked: 3 }, LOCAL)
    expect(look(two, undefined, FIRST, {}, LOCAL).pin).toMatchObject({ state: 'tentative' })
    expect(look(two, undefined, FIRST).pin).toBeUndefined()
  })
})

describe('a tentative pin', () => {
  it('becomes firm by the same owner in a second look, 24 to 48 hours after the first', () => {
    expect(look(most(), tentative(), FIRST + AFTER - 1).pin).toEqual(tentative())
    const pin = { state: 'firm', ...ALICES, newestRound: 1000, firstRound: FIRST }
    expect(look(most(), tentative(), FIRST + AFTER).pin).toEqual({ ...pin, firmRound: FIRST + AFTER })
    expect(look(most(), tentative(), FIRST + 2 * AFTER).pin).toEqual({ ...pin, firmRound: FIRST + 2 * AFTER })
  })

  it('begins again by a sighting after more than 48 hours', () => {
    expect(look(most(), tentative(), FIRST + 2 * AFTER + 1).pin).toEqual(tentative(ALICE, FIRST + 2 * AFTER + 1))
    expect(look(most(BOB), tentative(), FIRST + 2 * AFTER + 1)).toEqual({
      result: most(BOB),
      pin: tentative(BOB, FIRST + 2 * AFTER + 1)
    })
  })

  it('does not become firm by a look-up like the first one', () => {
    expect(look(most(), tentative(), FIRST + AFTER, { isSecondLook: false }).pin).toEqual(tentative())
  })

  it('does not bind: another owner without such a majority is believed as usual and changes nothing', () => {
    const thin = most(BOB, { votes: 9 })
    expect(look(thin, tentative(), FIRST + 1)).toEqual({ result: thin, pin: tentative() })
    const none = most(BOB, { votes: 0 })
    expect(look(none, tentative(), FIRST + 1)).toEqual({ result: none, pin: tentative() })
  })

  it('gives way to another majority, and the name is contested between both for a day', () => {
    const { result, pin } = look(most(BOB), tentative(), FIRST + 50)
    expect(result).toEqual({
      kind: 'contested',
      rule: 'two-majorities',
      candidates: [expect.objectContaining({ pubkey: BOB.pubkey })],
      remembered: [expect.objectContaining(ALICES)]
    })
    expect(pin).toEqual({ ...tentative(BOB, FIRST + 50), rival: ALICES })
    expect(look(most(BOB), pin, FIRST + 49 + AFTER)).toEqual({ result, pin })
    expect(look(most(CAROL, { votes: 3 }), pin, FIRST + 60)).toMatchObject({
      result: {
        rule: 'two-majorities',
        candidates: [{ pubkey: CAROL.pubkey }],
        remembered: [{ pubkey: BOB.pubkey }, ALICES]
      },
      pin
    })
    expect(look(most(BOB), pin, FIRST + 50 + AFTER, { isSecondLook: false })).toMatchObject({
      result: { kind: 'owner', owner: { pubkey: BOB.pubkey } },
      pin
    })
    expect(look(most(BOB), pin, FIRST + 50 + AFTER)).toMatchObject({
      result: { kind: 'owner' },
      pin: { state: 'firm', pubkey: BOB.pubkey }
    })
  })

  it('is that of the owner again who comes back, who is pinned after all', () => {
    const flash = look(most(BOB), tentative(), FIRST + 50).pin
    const { result, pin } = look(most(), flash, FIRST + 60)
    expect(result).toMatchObject({ rule: 'two-majorities', remembered: [BOBS] })
    expect(pin).toEqual({ ...tentative(ALICE, FIRST + 60), rival: BOBS })
    expect(look(most(), pin, FIRST + 60 + AFTER)).toMatchObject({
      result: { kind: 'owner' },
      pin: { state: 'firm', pubkey: ALICE.pubkey }
    })
  })

  it('is dated by the clock and aged by the beacon: neither a stopped beacon nor a fast clock shortens it', () => {
    const late = look(most(), undefined, FIRST, { time: { now: FIRST + 900, lapse: FIRST } }).pin
    expect(late).toMatchObject({ firstRound: FIRST + 900 })
    expect(look(most(), late, 0, { time: { now: FIRST + 900 + AFTER, lapse: FIRST + 899 + AFTER } }).pin).toEqual(late)
    expect(look(most(), late, 0, { time: { now: FIRST + 900 + AFTER, lapse: FIRST + 900 + AFTER } }).pin).toMatchObject(
      { state: 'firm' }
    )
    const ahead = look(most(), undefined, FIRST, { time: { now: FIRST + MAIN.lease, lapse: FIRST } }).pin
    expect(look(most(), ahead, FIRST + 1).pin).toMatchObject({ state: 'tentative', firstRound: FIRST + 1 })
    expect(isContested({ ...(ahead as TentativePin), rival: BOBS }, { lapse: FIRST }, MAIN)).toBe(true)
  })
})

describe('a firm pin', () => {
  it('makes another owner contested, never a switch (P13)', () => {
    const pin = firm()
    expect(look(most(BOB), pin, FIRST + 9 * AFTER)).toEqual({
      result: {
        kind: 'contested',
        rule: 'pin',
        candidates: [expect.objectContaining({ pubkey: BOB.pubkey })],
        remembered: [expect.objectContaining(ALICES)]
      },
      pin
    })
    expect(look(most(BOB, { votes: 1 }), pin, FIRST + 9 * AFTER).result).toMatchObject({ rule: 'pin' })
    expect(look(most(), pin, FIRST + 9 * AFTER)).toEqual({ result: most(), pin })
  })

  it('follows the renewals of its owner and is kept when nothing is found', () => {
    const renewed = most(bareClaim({ owner: 'alice', firstRound: 1000, newestRound: 5000 }))
    expect(look(renewed, firm(), FIRST + 2 * AFTER).pin).toEqual({ ...firm(), newestRound: 5000 })
    expect(look(renewed, tentative(), FIRST + 1).pin).toEqual({ ...tentative(), newestRound: 5000 })
    const none = most(ALICE, { votes: 0 })
    expect(look(none, firm(), FIRST + 2 * AFTER)).toEqual({ result: none, pin: firm() })
  })

  it('is of one claim: another one of the same key is contested too, and gives way as any other', () => {
    const again = bareClaim({ owner: 'alice', firstRound: 2000 })
    expect(again.pubkey).toEqual(ALICE.pubkey)
    expect(look(most(again), firm(), FIRST + 9 * AFTER)).toMatchObject({
      result: { kind: 'contested', rule: 'pin', remembered: [ALICES] },
      pin: ALICES
    })
    expect(look(most(again), tentative(), FIRST + AFTER)).toMatchObject({
      result: { kind: 'contested', rule: 'two-majorities', remembered: [ALICES] },
      pin: { state: 'tentative', claim: again.id, rival: ALICES }
    })
  })

  it('ends with the grace of the lease', () => {
    const dead = 1001 + MAIN.lease + MAIN.grace
    expect(look(most(BOB), firm(), dead - 1).result.kind).toBe('contested')
    expect(look(most(BOB), firm(), dead)).toEqual({ result: most(BOB), pin: tentative(BOB, dead) })
    expect(livePin(firm(), { now: dead, lapse: dead }, MAIN)).toBeUndefined()
  })
})

describe('a pin of a claim whose keys change', () => {
  const change = (first: number) => ({ hash: new Uint8Array(32).fill(first), consented: true })
  const changed = (...firsts: number[]) => ({
    ...bareClaim({ owner: 'alice', changes: firsts.map(change) }),
    pubkey: new Uint8Array(32).fill(firsts.length)
  })
  const seenAs = (claim: typeof ALICE, final: boolean): Tally =>
    tally(
      Array.from({ length: 20 }, (_, index) => ({
        peer: `${index}`,
        prefix: `${index}`,
        held: { claim, state: 'settled', ...(final && { final }) }
      })),
      { asked: 20, done: true },
      MAIN
    )
  const later = FIRST + 2 * AFTER

  it('follows a change once it is final', () => {
    const pending = look(seenAs(changed(1), false), firm(), later)
    expect(pending.result).toMatchObject({ kind: 'owner', owner: { final: false } })
    expect(pending.pin).toMatchObject({ state: 'firm', pubkey: ALICE.pubkey })
    const { pin } = look(seenAs(changed(1), true), firm(), later)
    expect(pin).toMatchObject({ state: 'firm', pubkey: changed(1).pubkey, changes: [change(1).hash] })
    expect(look(seenAs(changed(1, 2), true), pin, later).pin).toMatchObject({ pubkey: changed(1, 2).pubkey })
  })
  it('[a name sold twice]', () => {
    const { pin } = look(seenAs(changed(1), true), firm(), later)
    const { result, pin: kept } = look(seenAs(changed(2), true), pin, later)
    expect(result).toMatchObject({ kind: 'contested', rule: 'pin', remembered: [{ pubkey: changed(1).pubkey }] })
    expect(kept).toBe(pin)
    // also while it is tentative
    const once = look(seenAs(changed(1), true), undefined, FIRST).pin
    expect(look(seenAs(changed(2), true), once, FIRST + 1).result).toMatchObject({ rule: 'two-majorities' })
  })
  it('does not bind a change that was not final when it was seen', () => {
    const { pin } = look(seenAs(changed(1), false), firm(), later)
    expect(look(seenAs(changed(2), true), pin, later).result).toMatchObject({ kind: 'owner' })
  })
})
