/** Attacks on whoever resolves a name, each under the name that docs/protocol.md gives it. */
import { describe, expect, it } from 'vitest'
import type { EntryState } from '../../src/protocol/entry.ts'
import { applyPin, nextPin, tally, type ResolveAnswer } from '../../src/protocol/quorum.ts'
import { isRollback, remember } from '../../src/protocol/rollback.ts'
import { bareClaim, MAIN } from '../protocol/fixtures.ts'

const ALICE = bareClaim({ owner: 'alice' })
const MALLORY = bareClaim({ owner: 'mallory' })

function answers(count: number, claim = ALICE, state: EntryState = 'settled', from = 0): ResolveAnswer[] {
  return Array.from({ length: count }, (_, index) => ({ peer: `${from + index}`, prefix: `${from + index}`, held: { claim, state } }))
}

describe('a resolver', () => {
  it('[the only peer that answers] does not bind it: a thin answer pins nobody', () => {
    const thin = tally(answers(1, MALLORY), { asked: 20, done: true }, MAIN)
    expect(thin).toMatchObject({ kind: 'owner', thin: true, settled: true })
    expect(nextPin(thin, undefined, 1000, MAIN)).toBeUndefined()
    expect(nextPin(tally(answers(10, MALLORY), { asked: 20, done: true }, MAIN), undefined, 1000, MAIN)).toBeUndefined()
    expect(nextPin(tally(answers(11, ALICE), { asked: 20, done: true }, MAIN), undefined, 1000, MAIN)).toMatchObject({ pubkey: ALICE.pubkey })
  })

  it('[another owner before the lease is dead] is never switched to, whoever says so', () => {
    const pin = nextPin(tally(answers(20), { asked: 20, done: true }, MAIN), undefined, 1000, MAIN)!
    const turned = tally(answers(20, MALLORY), { asked: 20, done: true }, MAIN)
    expect(applyPin(turned, pin, 1000 + MAIN.lease + MAIN.grace, MAIN)).toMatchObject({ kind: 'contested', rule: 'pin' })
    expect(nextPin(turned, pin, 1000 + MAIN.lease + MAIN.grace, MAIN)).toEqual(pin)
    expect(applyPin(turned, pin, 1001 + MAIN.lease + MAIN.grace, MAIN)).toBe(turned)
  })

  it('[an older record shown again] is not believed', () => {
    const memory = remember(undefined, bareClaim({ serial: 7 }))
    expect(isRollback(memory, bareClaim({ serial: 6 }))).toBe(true)
    expect(isRollback(remember(memory, bareClaim({ serial: 6 })), bareClaim({ serial: 6 }))).toBe(true)
    expect(tally([...answers(11, bareClaim({ serial: 6 })), ...answers(1, bareClaim({ serial: 7 }), 'settled', 11)], { asked: 20, done: true }, MAIN)).toMatchObject({ owner: { newest: { serial: 7 } } })
  })

  it('[a squatter whom nobody has witnessed] has no vote beside a single other answer', () => {
    expect(tally([...answers(19, MALLORY, 'provisional'), ...answers(1, ALICE, 'fresh', 19)], { asked: 20, done: true }, MAIN)).toMatchObject({ kind: 'owner', owner: { pubkey: ALICE.pubkey }, of: 1, thin: true })
  })
})
