/** The holder by itself: one node's rules, without a network around it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRoundClock } from '../../../src/time/clock.ts'
import { sha256 } from '../../../src/protocol/encoding/bytes.ts'
import type { Origin } from '../../../src/protocol/neighbourhood/diversity.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { StoreError } from '../../../src/store/types.ts'
import { HolderWorkbench, PEER } from '../holder-workbench.ts'
import { type Lab, saltOf } from '../lab.ts'

let at: HolderWorkbench
let lab: Lab

beforeEach(() => {
  at = new HolderWorkbench()
  lab = at.lab
})

afterEach(() => {
  at.close()
})

describe('a holder', () => {
  it('answers briefly with the digest of what it holds', async () => {
    const target = at.holder()
    const reveal = at.witnessed(target, 'digest.chronym', 'owner')
    await at.put(target, reveal)
    const key = at.key('digest.chronym')
    const handlers = target.handlers()
    const answer = (brief?: true) =>
      handlers.get({ type: 'get', kind: 'reveal', key, ...(brief && { brief }) }, undefined as never)
    const claim = lab.claimId(reveal)
    expect(answer()).toEqual({ type: 'entry', state: 'fresh', claim, record: encodeReveal(reveal) })
    expect(answer(true)).toEqual({ type: 'entry', state: 'fresh', claim, digest: sha256(encodeReveal(reveal)) })
  })

  it('has its own records verified first, then expected claims, then those of strangers', async () => {
    const verifyProof = vi.spyOn(lab.pool, 'verifyProof')
    const target = at.holder()
    const urgencyOf = async (reveal: Reveal, peer?: Origin): Promise<string | undefined> => {
      verifyProof.mockClear()
      await target.put('reveal', encodeReveal(reveal), peer)
      return verifyProof.mock.lastCall?.[1]?.urgency
    }
    expect(await urgencyOf(at.witnessed(target, 'witnessed.chronym', 'owner'), PEER)).toBe('expected')
    expect(await urgencyOf(lab.reveal('unseen.chronym', lab.owner('stranger'), { p: lab.round }), PEER)).toBe(
      'unexpected'
    )
    expect(await urgencyOf(lab.reveal('ours.chronym', lab.owner('ourselves'), { p: lab.round }))).toBe('own')
    const held = lab.reveal('unseen.chronym', lab.owner('stranger'), { p: lab.round })
    expect(await urgencyOf(lab.updated(held, lab.owner('stranger'), 2), PEER)).toBe('expected')
  })

  it('takes a renewal of its owner and refuses the lapsed claim', async () => {
    const target = at.holder()
    const owner = lab.owner('renewer')
    const first = at.witnessed(target, 'renew.chronym', 'renewer')
    await at.put(target, first)
    lab.advance(lab.profile.lease)
    await target.reveals.revise(at.key('renew.chronym'))
    const renewal = lab.reveal('renew.chronym', owner, {
      p: lab.round,
      salt: saltOf('renewal'),
      former: first,
      serial: 2
    })
    expect(await at.put(target, renewal)).toEqual({ type: 'stored' })
    lab.advance(lab.profile.lease)
    expect(at.stateOf(target, 'renew.chronym')).toEqual({ state: 'settled', owner: owner.publicKey })
    expect(await at.put(target, first)).toMatchObject({ type: 'refused', code: 'dead' })
  })

  it('admits no new name while the newest pulse is old, and lets none lapse', async () => {
    const target = at.holder()
    const held = at.witnessed(target, 'held.chronym', 'owner')
    await at.put(target, held)
    const waiting = at.witnessed(target, 'waiting.chronym', 'owner')
    // On the same store, two days after the last pulse by the clock.
    const last = lab.pulse(lab.round)
    const later = lab.nowMs() + 2 * 24 * 3600 * 1000
    const stale = at.holder({ clock: createRoundClock({ latest: () => last }, lab.profile, at.store, () => later) })
    expect(await at.put(stale, waiting)).toMatchObject({
      type: 'refused',
      code: 'no-fresh-pulse'
    })
    await stale.entries.dropDead()
    expect(at.stateOf(stale, 'held.chronym')?.owner).toEqual(held.pubkey)
  })

  it('answers nothing as stored that did not reach the disk', async () => {
    at.close()
    at = new HolderWorkbench({ maxPages: 12 })
    const target = at.holder()
    let failure: unknown
    for (let index = 0; index < 50 && failure === undefined; index++) {
      try {
        await target.put('reveal', encodeReveal(at.witnessed(target, `full-${index}.chronym`, 'owner')), {
          peer: String(index),
          prefix: 'p'
        })
        expect(at.stateOf(target, `full-${index}.chronym`)).toBeDefined()
      } catch (error) {
        failure = error
      }
    }
    expect(failure).toBeInstanceOf(StoreError)
    expect((failure as StoreError).code).toBe('full')
    expect(at.stateOf(target, 'full-0.chronym')).toBeDefined()
  })
})
