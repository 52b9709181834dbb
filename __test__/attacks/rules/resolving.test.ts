/** Attacks on resolvers of a name, each under its name in docs/protocol/. */
import { describe, expect, it } from 'vitest'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import { rulePin, type Pin, type Ruled, isRollback, remember } from '../../../src/protocol/resolution/pin.ts'
import { tally, type ResolveAnswer, type Tally } from '../../../src/protocol/resolution/quorum.ts'
import { bareClaim, MAIN } from '../../protocol/fixtures.ts'

const ALICE = bareClaim({ owner: 'alice' })
const MALLORY = bareClaim({ owner: 'mallory' })

function answers(count: number, claim = ALICE, state: EntryState = 'settled', from = 0): ResolveAnswer[] {
  return Array.from({ length: count }, (_, index) => ({
    peer: `${from + index}`,
    prefix: `${from + index}`,
    held: { claim, state }
  }))
}

/** What a look at that round comes to. */
function look(result: Tally, pin: Pin | undefined, round: number): { result: Ruled; pin: Pin | undefined } {
  return rulePin(result, pin, { time: { now: round, lapse: round }, isSecondLook: true, spread: 0 }, MAIN)
}

describe('a resolver', () => {
  it('[the only peer that answers] pins nobody: neither a thin answer nor fewer votes than repair_quorum', () => {
    const thin = tally(answers(1, MALLORY), { asked: 20, done: true }, MAIN)
    expect(thin).toMatchObject({ kind: 'owner', thin: true, settled: true })
    const pinOf = (count: number, asked: number): Pin | undefined =>
      look(tally(answers(count, MALLORY), { asked, done: true }, MAIN), undefined, 1000).pin
    expect(look(thin, undefined, 1000).pin).toBeUndefined()
    expect(pinOf(10, 20)).toBeUndefined()
    expect(pinOf(1, 1)).toBeUndefined()
    expect(pinOf(MAIN.repair_quorum - 1, MAIN.repair_quorum - 1)).toBeUndefined()
    expect(pinOf(11, 20)).toMatchObject({ state: 'tentative', pubkey: MALLORY.pubkey })
  })

  it('[another owner before the lease is dead] is never believed against a firm pin', () => {
    const owner = tally(answers(20), { asked: 20, done: true }, MAIN)
    const { pin } = look(owner, look(owner, undefined, 1000).pin, 1000 + MAIN.pin_after)
    expect(pin).toMatchObject({ state: 'firm', pubkey: ALICE.pubkey })
    const turned = tally(answers(20, MALLORY), { asked: 20, done: true }, MAIN)
    const end = 1000 + MAIN.lease + MAIN.grace
    for (const round of [1001 + MAIN.pin_after, 2000 + 2 * MAIN.pin_after, end]) {
      expect(look(turned, pin, round)).toEqual({
        result: {
          kind: 'contested',
          rule: 'pin',
          candidates: [expect.objectContaining({ pubkey: MALLORY.pubkey })],
          remembered: [expect.objectContaining({ pubkey: ALICE.pubkey })]
        },
        pin
      })
    }
    expect(look(turned, pin, end + 1).result).toBe(turned)
  })

  it('[an older record shown again] is not believed', () => {
    const memory = remember(undefined, bareClaim({ serial: 7 }))
    expect(isRollback(memory, bareClaim({ serial: 6 }))).toBe(true)
    expect(isRollback(remember(memory, bareClaim({ serial: 6 })), bareClaim({ serial: 6 }))).toBe(true)
    expect(
      tally(
        [...answers(11, bareClaim({ serial: 6 })), ...answers(1, bareClaim({ serial: 7 }), 'settled', 11)],
        { asked: 20, done: true },
        MAIN
      )
    ).toMatchObject({ owner: { newest: { serial: 7 } } })
  })

  /** The tally where that many hold one claim as provisional, and others name another owner. */
  const beside = (provisional: number, firm: number): Tally =>
    tally(
      [...answers(provisional, MALLORY, 'provisional'), ...answers(firm, ALICE, 'fresh', provisional)],
      { asked: 20, done: true },
      MAIN
    )

  it('[a squatter without a witness] has no vote beside a single other answer', () => {
    expect(beside(10, 1)).toMatchObject({ kind: 'owner', owner: { pubkey: ALICE.pubkey }, of: 1, thin: true })
    expect(beside(10, 10)).toMatchObject({ kind: 'owner', owner: { pubkey: ALICE.pubkey }, of: 10, thin: true })
  })

  it('[a lone vote against a provisional claim] makes it contested where most hold that claim', () => {
    for (const firm of [1, 5, 9])
      expect(beside(11, firm)).toMatchObject({
        kind: 'contested',
        rule: 'provisional-majority',
        candidates: [
          { pubkey: MALLORY.pubkey, votes: 11 },
          { pubkey: ALICE.pubkey, votes: firm }
        ]
      })
    expect(beside(9, 11)).toMatchObject({ kind: 'owner', owner: { pubkey: ALICE.pubkey }, thin: false })
    const two = [...answers(6, MALLORY, 'provisional'), ...answers(6, bareClaim({ owner: 'bob' }), 'provisional', 6)]
    const split = tally([...two, ...answers(1, ALICE, 'fresh', 12)], { asked: 20, done: true }, MAIN)
    expect(split, 'two claims, none with most').toMatchObject({ kind: 'owner', owner: { pubkey: ALICE.pubkey } })
    const own = [...answers(15, ALICE, 'provisional'), ...answers(1, ALICE, 'fresh', 15)]
    expect(tally(own, { asked: 20, done: true }, MAIN)).toMatchObject({
      kind: 'owner',
      owner: { pubkey: ALICE.pubkey }
    })
  })
})
