import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRoundClock } from '../../../src/time/clock.ts'
import { type CommitmentLimits, type Commitments, createCommitments } from '../../../src/network/holder/commitments.ts'
import { sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { HandedOver } from '../../../src/protocol/admission/witness.ts'
import { stampWork } from '../../../src/protocol/crypto/domain.ts'
import { openStore } from '../../../src/store/open.ts'
import { StoreError, type Store } from '../../../src/store/types.ts'
import { temporary } from '../../temporary.ts'
import { Lab, labProfile } from '../lab.ts'

let store: Store
let lab: Lab
let opened: Commitments | undefined

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  lab = new Lab(labProfile({ answers_per_prefix: 2 }))
  opened = undefined
})

afterEach(() => store.close())

const LIMITS: CommitmentLimits = { total: 4, perPrefix: 2 }

/** All that was received is written before another one reads the store. */
function table(limits = LIMITS): Commitments {
  opened?.flush()
  opened = createCommitments(store, lab.profile, createRoundClock(lab.beacon, lab.profile, store, lab.nowMs), limits)
  return opened
}

function commitment(index: number): Uint8Array {
  return sha256(utf8('commitment'), u64be(index))
}

/** A nonce whose work is exactly that many bits. */
function nonceOf(c: Uint8Array, bits: number): Uint8Array {
  for (let attempt = 0; ; attempt++) {
    const nonce = u64be(attempt)
    if (stampWork(c, nonce, lab.hash) === bits) return nonce
  }
}

describe('the table of commitments', () => {
  it('[resetting the stamp] keeps the round of the first sight, through re-sending and restart', () => {
    const first = table()
    const c = commitment(1)
    const nonce = nonceOf(c, 4)
    expect(first.receive(c, nonce, 'a')).toEqual({ seen: lab.round })
    const seen = lab.round
    lab.advance(10)
    expect(first.receive(c, nonceOf(c, 9), 'b')).toEqual({ seen })
    const again = table()
    expect(again.facts(c).seen).toBe(seen)
    expect(again.receive(c, nonce, 'a')).toEqual({ seen })
    expect(again.size).toBe(1)
  })

  it('counts arrivals on from the last one that it or an entry knows', () => {
    const held = table()
    const [first, second] = [commitment(1), commitment(2)]
    held.receive(first, nonceOf(first, 4), 'a')
    const between = held.arrive()
    held.receive(second, nonceOf(second, 4), 'b')
    held.receive(first, nonceOf(first, 4), 'a')
    const orderOf = (of: Commitments): unknown[] => [of.facts(first).arrival, of.facts(second).arrival]
    expect(orderOf(held)).toEqual([between - 1, between + 1])
    const again = table()
    expect(orderOf(again)).toEqual([between - 1, between + 1])
    expect(again.arrive()).toBe(between + 2)
    const clock = createRoundClock(lab.beacon, lab.profile, store, lab.nowMs)
    expect(createCommitments(store, lab.profile, clock, LIMITS, 70).arrive()).toBe(71)
  })

  it('writes many at once, and forgets those that the disk has not taken', () => {
    store.close()
    store = openStore(join(temporary(), 'small.db'), { maxPages: 6 })
    const held = table({ total: 100, perPrefix: 100 })
    const [first, ...others] = Array.from({ length: 60 }, (_, index) => commitment(index))
    held.receive(first!, nonceOf(first!, 4), 'a')
    held.flush()
    for (const c of others) held.receive(c, nonceOf(c, 4), 'a')
    expect(held.size).toBe(60)
    expect(() => held.flush()).toThrow(StoreError)
    expect([held.size, held.isKnown(first!), held.isKnown(others[0]!)]).toEqual([1, true, false])
    held.flush()
    expect(table().facts(first!).seen).toBe(lab.round)
  })

  it('takes nothing without the work', () => {
    const c = commitment(1)
    expect(table().receive(c, nonceOf(c, 3), 'a')).toEqual({ refused: 'stamp' })
    expect(table().receive(c, new Uint8Array(7), 'a')).toEqual({ refused: 'stamp' })
  })

  it('drops the least work of a full prefix, and refuses what has no more', () => {
    const held = table()
    held.receive(commitment(1), nonceOf(commitment(1), 5), 'a')
    held.receive(commitment(2), nonceOf(commitment(2), 7), 'a')
    expect(held.receive(commitment(3), nonceOf(commitment(3), 4), 'a')).toEqual({ refused: 'full' })
    expect(held.receive(commitment(4), nonceOf(commitment(4), 6), 'a')).toEqual({ seen: lab.round })
    expect([1, 2, 3, 4].map((index) => held.facts(commitment(index)).seen !== undefined)).toEqual([
      false,
      true,
      false,
      true
    ])
    expect(table().size).toBe(2)
  })

  it('[a flood of commitments] costs its own prefix its places: an honest one of another prefix stays', () => {
    const held = table({ total: 4, perPrefix: 100 })
    const honest = commitment(0)
    held.receive(honest, nonceOf(honest, 4), 'honest')
    for (let index = 1; index <= 12; index++) held.receive(commitment(index), nonceOf(commitment(index), 8), 'flood')
    expect(held.facts(honest).seen).toBe(lab.round)
    expect(held.size).toBe(4)
  })

  it('has no bound of a prefix where the network has none', () => {
    lab = new Lab(labProfile())
    const held = table({ total: 10, perPrefix: 2 })
    for (let index = 0; index < 6; index++)
      expect(held.receive(commitment(index), nonceOf(commitment(index), 4), 'a')).toEqual({ seen: lab.round })
  })

  it('forgets what was not sent again in time, and only that', () => {
    const held = table()
    const [idle, kept] = [commitment(1), commitment(2)]
    held.receive(idle, nonceOf(idle, 4), 'a')
    held.receive(kept, nonceOf(kept, 4), 'b')
    lab.advance(lab.profile.commit_keep)
    held.receive(kept, nonceOf(kept, 4), 'b')
    held.forget()
    expect(held.size).toBe(2)
    lab.advance(1)
    held.forget()
    expect([held.facts(idle).seen, held.facts(kept).seen]).toEqual([undefined, 1_000])
    expect(table().size).toBe(1)
  })

  describe('[a rival who commits after a slow owner] what neighbours vouch for outlives them', () => {
    const c = commitment(7)
    const words = (count: number, seen: number): ReadonlyMap<string, HandedOver[]> =>
      new Map([[toHex(c), Array.from({ length: count }, (_, at) => ({ peer: `${at}`, prefix: `${at}`, seen }))]])

    it('stays when they have gone, through a restart, and is named to others', () => {
      const s = lab.round
      lab.advance(50)
      const held = table()
      held.receive(c, nonceOf(c, 4), 'a')
      held.takeOver(words(11, s))
      expect(held.facts(c).handedOver).toHaveLength(11)
      held.takeOver(new Map())
      expect(held.facts(c)).toMatchObject({ seen: s + 50, vouched: s })
      expect(table().facts(c)).toMatchObject({ seen: s + 50, vouched: s })
      expect(opened!.page().commitments).toEqual([{ commitment: c, seen: s }])
      lab.advance(lab.profile.commit_keep + 1)
      opened!.forget()
      expect(opened!.facts(c), 'no longer than it is sent').toEqual({})
    })

    it('is noted by a node that meets C after it asked', () => {
      const held = table()
      held.takeOver(words(11, lab.round - 50))
      held.receive(c, nonceOf(c, 4), 'a')
      held.takeOver(new Map())
      expect(held.facts(c)).toMatchObject({ seen: lab.round, vouched: lab.round - 50 })
    })

    it('takes more than half of k diverse neighbours, the first word stays, and none delays s', () => {
      const held = table()
      held.receive(c, nonceOf(c, 4), 'a')
      const { round } = lab
      for (const said of [words(10, round - 9), words(20, round + 9)]) held.takeOver(said)
      held.takeOver(new Map())
      expect(held.facts(c)).toEqual({ seen: round, arrival: 1 })
      for (const seen of [round - 9, round - 500, round - 1]) held.takeOver(words(20, seen))
      held.takeOver(new Map())
      expect(held.facts(c)).toEqual({ seen: round, arrival: 1, vouched: round - 9 })
    })

    it('keeps nothing of a commitment that nobody sends here', () => {
      const held = table()
      held.takeOver(words(11, lab.round))
      held.takeOver(new Map())
      expect([held.size, held.isKnown(c)]).toEqual([0, false])
    })
  })
})
