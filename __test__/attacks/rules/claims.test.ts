/** Attacks on what a claim binds, and on when it may begin, each under the name that docs/protocol/ gives it. */
import { describe, expect, it } from 'vitest'
import { signDevPulse } from '../../../src/beacon/dev-beacon.ts'
import { addon } from '../../../src/native/addon.ts'
import { satisfies } from '../../../src/network/client/publish.ts'
import { admit, reviseEntry, type AdmissionFacts, type Decision } from '../../../src/protocol/admission/admission.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { type Claim, highestSerial } from '../../../src/protocol/claim/claim.ts'
import { commitmentHash, claimRound } from '../../../src/protocol/claim/commitment.ts'
import { newEntry, tickEntry, type Entry, type EntryState } from '../../../src/protocol/admission/entry.ts'
import type { NeighbourFacts } from '../../../src/protocol/admission/neighbours.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../src/protocol/name/names.ts'
import { parseProfile, profileHash } from '../../../src/protocol/profile/profile.ts'
import { pulseRandomness } from '../../../src/protocol/time.ts'
import { tally } from '../../../src/protocol/resolution/quorum.ts'
import { encodeReveal, signReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { encodeVdfProof, type Link, vdfSeed } from '../../../src/protocol/claim/proof.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { HolderWorkbench } from '../../network/holder-workbench.ts'
import { Lab } from '../../network/lab.ts'
import { bareClaim, bytesOf, EMPTY_ZONE, keyOf, LOCAL, MAIN, timeAt } from '../../protocol/fixtures.ts'
import { answersOf } from './neighbourhood.ts'
import { realCheckers } from '../../protocol/real-checkers.ts'

const NOBODY: NeighbourFacts = { answers: [], known: 0 }

describe('a chain of renewals', () => {
  const profile = parseProfile({
    ...LOCAL,
    id: 'small',
    discriminant_bits: 256,
    difficulty: { base: 4_000, by_length: [{ from: 1, factor: 1 }] }
  })
  const hash = profileHash(profile)
  const name = parseName('alice.chronym', profile)
  const owner = keyOf('alice')
  const kernel = addon()
  const checkers = realCheckers(profile)

  /** Squared by the kernel. `before`: the proof of the link before, as far as it is known. */
  function link(p: number, before: Uint8Array | undefined, index = p): Link {
    const [salt, pulse] = [bytesOf(`salt ${index}`), signDevPulse(p)]
    const iterations = p === 1000 ? iterationsFor(name, profile) : renewalIterations(name, profile)
    const seed = vdfSeed(
      {
        commitment: commitmentHash(name, owner.publicKey, salt, hash),
        round: p,
        randomness: pulseRandomness(pulse),
        before
      },
      hash
    )
    const evaluation = new kernel.Evaluation(
      kernel.Discriminant.fromSeed(seed, profile.discriminant_bits),
      null,
      iterations,
      null,
      2 ** 24
    )
    const stop = new Uint32Array(new SharedArrayBuffer(4))
    while (evaluation.phase() !== 'done') evaluation.advance(10_000, stop)
    return { p, pulse, salt, iterations, proof: evaluation.proof()! }
  }

  async function ruleOf(links: readonly Link[]): Promise<string> {
    const { p, iterations, ...newest } = links.at(-1)!
    const vdf_proof = encodeVdfProof({ ...newest, chain: links.slice(0, -1) })
    const verdict = await validateReveal(
      signReveal({ name, drand_pulse: p, iterations, vdf_proof, payload: EMPTY_ZONE }, owner, hash),
      profile,
      checkers
    )
    return verdict.ok ? 'ok' : `${verdict.rule}: ${verdict.detail}`
  }

  it('[a chain made in parallel] is refused: each link is squared from the output of the one before', async () => {
    const first = link(1000, undefined)
    const second = link(2000, first.proof)
    const third = link(3000, second.proof)
    expect(await ruleOf([first, second, third])).toBe('ok')
    // All pulses, salts and keys are known, so all links could be squared at once, but for the y of the one before.
    const unaware = link(3000, undefined)
    expect(await ruleOf([first, second, unaware])).toMatch(/^proof: .*3000/)
    expect(await ruleOf([first, link(2000, undefined), third])).toMatch(/^proof: /)
    // Nor with another output of that length: of the first claim, or of a link that somebody else has made.
    expect(await ruleOf([first, second, link(3000, first.proof)])).toMatch(/^proof: .*3000/)
    expect(await ruleOf([first, second, link(3000, link(2000, first.proof, 7).proof)])).toMatch(/^proof: .*3000/)
    // And links that were made for one chain serve in no other, whose link before has the same round.
    expect(await ruleOf([first, link(2000, first.proof, 7), third])).toMatch(/^proof: .*3000/)
  })
})

describe('the key of a name, stolen', () => {
  const OWN = bareClaim({ owner: 'alice', firstRound: 1000, serial: 3 })
  /** Of the same key, and ahead in the order of records: a newer pulse, and the highest serial. */
  const serial = highestSerial(timeAt(1010), LOCAL)
  const STOLEN = bareClaim({ owner: 'alice', firstRound: 1005, newestRound: 1009, serial })
  const facts = (seen?: number): AdmissionFacts => ({
    time: timeAt(1010),
    commitment: seen === undefined ? {} : { seen },
    neighbours: NOBODY
  })
  const entryIn = (state: EntryState): Entry => newEntry(OWN, state, timeAt(1006))

  it('[a second first link of a stolen key] does not replace the first one, though it is newer', () => {
    for (const state of ['settling', 'settled'] as const) {
      for (const seen of [1001, undefined]) {
        expect(admit(entryIn(state), STOLEN, facts(seen), LOCAL), state).toMatchObject({
          kind: 'refuse',
          code: 'taken',
          entry: { claim: OWN }
        })
      }
      const crowd = { answers: answersOf(4, STOLEN, state), known: 20 }
      expect(reviseEntry(entryIn(state), crowd, timeAt(1010), LOCAL)).toBeUndefined()
    }
    // Before that it is a rival like any other: in the contest the earlier first link wins, and without a witness it
    // waits for nothing.
    expect(admit(entryIn('fresh'), STOLEN, facts(1001), LOCAL)).toMatchObject({ kind: 'refuse', code: 'contest' })
    expect(admit(newEntry(STOLEN, 'fresh', timeAt(1009)), OWN, facts(995), LOCAL)).toMatchObject({
      kind: 'store',
      entry: { claim: OWN }
    })
    expect(admit(entryIn('provisional'), STOLEN, facts(), LOCAL)).toMatchObject({
      kind: 'refuse',
      code: 'unwitnessed',
      entry: { rivals: [STOLEN.id] }
    })
    // What the owner renews and publishes goes on, and once the entry is dead the name is free, for that key too.
    expect(
      admit(entryIn('settled'), bareClaim({ owner: 'alice', firstRound: 1000, newestRound: 1008 }), facts(), LOCAL)
    ).toMatchObject({ kind: 'store', changed: true })
    const dead = 1001 + LOCAL.lease + LOCAL.grace
    expect(tickEntry(entryIn('settled'), timeAt(dead), LOCAL)).toBeUndefined()
    const again = bareClaim({ owner: 'alice', firstRound: dead + 10 })
    expect(
      admit(undefined, again, { time: timeAt(dead + 12), commitment: { seen: dead }, neighbours: NOBODY }, LOCAL)
    ).toMatchObject({ kind: 'store', entry: { state: 'fresh', claim: again } })
  })

  it('[a second first link of a stolen key] costs a holder that has the name settled no check of a proof', async () => {
    const at = new HolderWorkbench()
    try {
      const { lab } = at
      const target = at.holder()
      const own = at.witnessed(target, 'alice.chronym', 'alice')
      expect(await at.put(target, own)).toEqual({ type: 'stored' })
      lab.advance(lab.profile.settle + lab.profile.contest + 1)
      await target.reveals.revise(at.key('alice.chronym'))
      expect(target.get('reveal', at.key('alice.chronym'))).toMatchObject({ state: 'settled' })
      const verified = lab.proofsVerified
      const salt = bytesOf('stolen')
      const commitment = lab.commitment('alice.chronym', lab.owner('alice'), salt)
      target.commit(commitment, lab.stamp(commitment), 'p')
      lab.advance(lab.profile.min_commit)
      const stolen = lab.reveal('alice.chronym', lab.owner('alice'), { p: lab.round, salt, serial: 99 })
      expect(await at.put(target, stolen)).toMatchObject({ type: 'refused', code: 'taken' })
      expect(lab.proofsVerified).toBe(verified)
      expect(target.get('reveal', at.key('alice.chronym'))).toMatchObject({ claim: lab.claimId(own) })
      // A renewal of the claim itself is taken.
      const renewed: Reveal = lab.reveal('alice.chronym', lab.owner('alice'), {
        p: lab.round,
        salt: bytesOf('renewal'),
        former: own
      })
      expect(await at.put(target, renewed)).toEqual({ type: 'stored' })
    } finally {
      at.close()
    }
  })

  it('[a second first link of a stolen key] from one responder is not the newest record', () => {
    const answers = Array.from({ length: 20 }, (_, index) => ({
      peer: `${index}`,
      prefix: `${index}`,
      held: { claim: index === 7 ? STOLEN : OWN, state: 'settled' as const }
    }))
    expect(tally(answers, { asked: 20, done: true }, MAIN)).toMatchObject({
      kind: 'owner',
      owner: { votes: 19, newest: OWN }
    })
  })

  it('[a second first link of a stolen key] at a peer is not the record of ours that it was sent', async () => {
    const lab = new Lab()
    const alice = lab.owner('alice')
    const own = lab.reveal('alice.chronym', alice, { p: 1000 })
    const stolen = lab.reveal('alice.chronym', alice, { p: 1005, salt: bytesOf('stolen'), serial: 99 })
    const renewed = lab.reveal('alice.chronym', alice, { p: 1004, salt: bytesOf('renewal'), former: own })
    const isHeld = satisfies(
      { kind: 'reveal', id: 'alice.chronym', bytes: encodeReveal(own) },
      { profile: lab.profile, judge: lab.pool }
    )
    expect(await Promise.all([own, renewed, stolen].map((reveal) => isHeld(encodeReveal(reveal))))).toEqual([
      true,
      true,
      false
    ])
  })
})

describe('a rival who sees nothing and commits later', () => {
  const HOLDERS = 20
  const SENT = 1000
  /** s of each holder: the commitment takes up to two rounds to reach them. */
  const seenBy = (sent: number): number[] => Array.from({ length: HOLDERS }, (_, index) => sent + (index % 3))
  const p = claimRound(seenBy(SENT), HOLDERS, { sentRound: SENT, now: SENT + 3 }, MAIN).round!
  const owner = bareClaim({ owner: 'owner', firstRound: p })

  /**
   * What each of the twenty holds after both have come, in that order, each to holders that have asked their
   * neighbours.
   */
  function contest(order: readonly { claim: Claim; seen: readonly number[] }[]): Entry[] {
    return Array.from({ length: HOLDERS }, (_, index) => {
      let entry: Entry | undefined
      for (const { claim, seen } of order) {
        const handedOver = seen
          .map((round, peer) => ({ peer: `${peer}`, prefix: `${peer}`, seen: round }))
          .filter((_word, peer) => peer !== index)
        const decision: Decision = admit(
          entry,
          claim,
          { time: timeAt(5000), commitment: { seen: seen[index]!, handedOver }, neighbours: NOBODY },
          MAIN
        )
        if ('entry' in decision) entry = decision.entry
      }
      return tickEntry(entry!, timeAt(5001 + MAIN.contest), MAIN)!
    })
  }

  it('[a rival who takes an earlier pulse] wins at none of twenty holders, in either order of arrival', () => {
    expect(p).toBe(SENT + 2 + MAIN.min_commit)
    const sent = 1005
    for (let round = sent + 1; round <= sent + MAIN.min_commit; round++) {
      const rival = { claim: bareClaim({ owner: 'rival', firstRound: round }), seen: seenBy(sent) }
      const honest = { claim: owner, seen: seenBy(SENT) }
      for (const order of [
        [honest, rival],
        [rival, honest]
      ]) {
        expect(
          new Set(contest(order).map(({ claim, state }) => `${toHex(claim.id)} ${state}`)),
          `the rival takes ${round}`
        ).toEqual(new Set([`${toHex(owner.id)} settling`]))
      }
    }
    // The two rounds of slack are the price: one who commits within them may still be the earlier one.
    const close = {
      claim: bareClaim({ owner: 'rival', firstRound: p - 1 }),
      seen: seenBy(SENT + 1).map(() => SENT + 1)
    }
    expect(contest([{ claim: owner, seen: seenBy(SENT) }, close]).every(({ claim }) => claim === close.claim)).toBe(
      true
    )
  })

  it('[a rival who takes an earlier pulse] leaves the owner its name though some saw C late or never', () => {
    for (const late of [SENT + 4, SENT + 30, 4000]) {
      const seen = seenBy(SENT).map((round, index) => (index % 3 === 0 ? late : round))
      const honest = { claim: owner, seen }
      const rival = { claim: bareClaim({ owner: 'rival', firstRound: 1006 }), seen: seenBy(1005) }
      for (const order of [
        [honest, rival],
        [rival, honest]
      ])
        expect(
          contest(order).every(({ claim }) => claim === owner),
          `${late}`
        ).toBe(true)
    }
  })
})
