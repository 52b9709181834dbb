/** Invariants of docs/protocol/rules.md, 18, on records: P5, P7, P8, P9, P10. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../src/protocol/encoding/bytes.ts'
import { compareRecords } from '../../src/protocol/claim/claim.ts'
import { profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { proofCacheKey, decodeVdfProof, encodeVdfProof } from '../../src/protocol/claim/proof.ts'
import { signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { validateReveal, type Checkers } from '../../src/protocol/claim/valid.ts'
import { bareClaim, EMPTY_ZONE, keyOf, LOCAL, makeReveal, modelCheckers } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const CHECKERS = modelCheckers(LOCAL)

async function isValid(reveal: Reveal, profile: NetworkProfile, checkers: Checkers = CHECKERS): Promise<boolean> {
  return (await validateReveal(reveal, profile, checkers)).ok
}

describe('the order of records', () => {
  it('P5: is total over all integers: antisymmetric, transitive, and equal only for the same record', () => {
    const integers = fc.oneof(
      fc.nat(2),
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52, 2 ** 53 - 2, 2 ** 53 - 1),
      fc.maxSafeNat()
    )
    const claims = fc
      .record({
        newestRound: integers,
        serial: integers,
        payload: fc.constantFrom('a', 'b', 'c'),
        record: fc.constantFrom('x', 'y')
      })
      .map((options) => bareClaim({ firstRound: 1, ...options }))
    fc.assert(
      fc.property(fc.array(claims, { minLength: 3, maxLength: 6 }), (records) => {
        const [a, b, c] = records as [(typeof records)[0], (typeof records)[0], (typeof records)[0]]
        expect(Math.sign(compareRecords(a, b))).toBe(-Math.sign(compareRecords(b, a)) + 0)
        if (compareRecords(a, b) <= 0 && compareRecords(b, c) <= 0) expect(compareRecords(a, c)).toBeLessThanOrEqual(0)
        expect(compareRecords(a, b) === 0).toBe(compareBytes(a.recordHash, b.recordHash) === 0)
        if (a.newestRound !== b.newestRound) expect(compareRecords(a, b) > 0).toBe(a.newestRound > b.newestRound)
        else if (a.serial !== b.serial) expect(compareRecords(a, b) > 0).toBe(a.serial > b.serial)
        // Whatever the order in which they come, the same one is left.
        const newest = (list: typeof records) =>
          list.reduce((left, right) => (compareRecords(right, left) > 0 ? right : left))
        expect(newest(records.toReversed()).recordHash).toEqual(newest(records).recordHash)
      }),
      CASES
    )
  })
})

describe('Valid, with pulses and proofs modelled', () => {
  it('P8: a verdict remembered under its cache key is the verdict, over all swaps of fields', async () => {
    const reveals = [
      makeReveal(),
      makeReveal({ owner: 'bob' }),
      makeReveal({ name: 'bob.chronym' }),
      makeReveal({ salt: 'other' }),
      makeReveal({ p: 1001 }),
      makeReveal({ renewals: [2000] }),
      makeReveal({ owner: 'bob', renewals: [2000, 3000] })
    ]
    const proofs = reveals.map(({ vdf_proof }) => decodeVdfProof(vdf_proof))
    const links = proofs.flatMap(({ chain = [] }) => chain)
    const cache = new Map<string, boolean>()
    let hits = 0
    const cached: Checkers = {
      ...CHECKERS,
      verifyProof: async (check) => {
        const key = proofCacheKey(check.seed, check.iterations, check.proof)
        const known = cache.get(key)
        if (known !== undefined) {
          hits++
          return known
        }
        const verdict = await CHECKERS.verifyProof(check)
        cache.set(key, verdict)
        return verdict
      }
    }
    const source = fc.constantFrom(...reveals)
    const part = fc.constantFrom(...proofs)
    const mixture = fc.record({
      name: source,
      round: source,
      iterations: source,
      owner: fc.constantFrom('alice', 'bob'),
      // One in two keeps a proof whole, or hardly anything would get as far as its verdict.
      vdf_proof: fc.oneof(
        source.map(({ vdf_proof }) => vdf_proof),
        fc
          .record({
            pulse: part,
            proof: part,
            salt: part,
            chain: fc.array(
              fc.record({
                p: fc.constantFrom(...links),
                proof: fc.constantFrom(...links),
                salt: fc.constantFrom(...links)
              }),
              { maxLength: 2 }
            )
          })
          .map(({ pulse, proof, salt, chain }) =>
            encodeVdfProof({
              pulse: pulse.pulse,
              proof: proof.proof,
              salt: salt.salt,
              chain: chain.map((link) => ({ ...link.p, proof: link.proof.proof, salt: link.salt.salt }))
            })
          )
      )
    })
    await fc.assert(
      fc.asyncProperty(mixture, async ({ name, round, iterations, owner, vdf_proof }) => {
        const mixed = signReveal(
          {
            name: name.name,
            drand_pulse: round.drand_pulse,
            iterations: iterations.iterations,
            vdf_proof,
            payload: EMPTY_ZONE
          },
          keyOf(owner),
          profileHash(LOCAL)
        )
        expect(await validateReveal(mixed, LOCAL, cached)).toEqual(await validateReveal(mixed, LOCAL, CHECKERS))
      }),
      CASES
    )
    expect([...cache.values()]).toContain(true)
    expect([...cache.values()]).toContain(false)
    expect(hits).toBeGreaterThan(0)
  })

  it('P9: what is valid in one profile is invalid in any other, signed again or not', async () => {
    const owners = ['alice', 'bob']
    const made = owners.flatMap((owner) =>
      [{}, { renewals: [2000] }, { name: 'bob.chronym', p: 5 }, { salt: 'other', renewals: [1001, 2000] }].map(
        (options) => ({ owner, reveal: makeReveal({ owner, ...options }) })
      )
    )
    const variants = variantsOf(LOCAL)
    expect(variants.length).toBeGreaterThan(60)
    // Each is hashed once: a profile's hash is remembered with the object.
    const others = variants.flatMap((vary) => [-1, 1, 2, 3, 7, 30, 60, 1000, 86_400, 1_000_000, 2 ** 31].map(vary))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...made), fc.constantFrom(...others), async ({ owner, reveal }, other) => {
        // Even where pulses and proofs would pass.
        const yes = { verifyPulse: () => Promise.resolve(true), verifyProof: () => Promise.resolve(true) }
        expect(await isValid(reveal, other, yes)).toBe(false)
        const again = signReveal(reveal, keyOf(owner), profileHash(other))
        expect(await isValid(again, other, CHECKERS)).toBe(false)
      }),
      CASES
    )
    for (const { reveal } of made) expect(await isValid(reveal, LOCAL)).toBe(true)
  })

  it('P10: a chain with a gap or out of order anywhere is invalid, one without is valid', async () => {
    const limit = LOCAL.lease + LOCAL.grace
    const good = fc.oneof(fc.integer({ min: 1, max: limit }), fc.constantFrom(1, limit - 1, limit))
    const bad = fc.constantFrom(0, -1, -2, -limit, limit + 1, limit + 2, 2 * limit)
    const steps = fc.tuple(
      fc.array(good, { minLength: 1, maxLength: 5 }),
      fc.option(fc.tuple(fc.nat(5), bad), { nil: undefined }),
      fc.nat(3)
    )
    await fc.assert(
      fc.asyncProperty(steps, async ([gaps, flaw, more]) => {
        const all = flaw === undefined ? gaps : [...gaps.slice(0, flaw[0]), flaw[1], ...gaps.slice(flaw[0])]
        // Rarely as long as chains may be.
        const filled =
          more === 3 && flaw === undefined && gaps.length === 5
            ? [...all, ...Array.from({ length: 59 }, () => limit)]
            : all
        let round = 1_000_000_000
        const renewals = filled.map((gap) => (round += gap))
        expect(await isValid(makeReveal({ p: 1_000_000_000, renewals }), LOCAL)).toBe(flaw === undefined)
      }),
      CASES
    )
  })
})

/**
 * For each value in a profile, the profile with that one changed: numbers by an amount, texts by a letter, lists by an
 * element.
 */
function variantsOf(profile: NetworkProfile): ((amount: number) => NetworkProfile)[] {
  const variants: ((amount: number) => NetworkProfile)[] = []
  const visit = (value: unknown, put: (changed: unknown) => NetworkProfile): void => {
    if (typeof value === 'number') variants.push((amount) => put(value + amount))
    else if (typeof value === 'string')
      variants.push((amount) => put(value + String.fromCharCode(97 + (Math.abs(amount) % 26))))
    else if (Array.isArray(value)) {
      if (value.length > 1) variants.push((amount) => put(value.toSpliced(Math.abs(amount) % value.length, 1)))
      variants.push((amount) => put([...(value as unknown[]), value[Math.abs(amount) % value.length]]))
      value.forEach((item: unknown, index) => visit(item, (changed) => put(value.with(index, changed))))
    } else
      for (const [key, item] of Object.entries(value as object))
        visit(item, (changed) => put({ ...(value as object), [key]: changed }))
  }
  visit(profile, (changed) => changed as NetworkProfile)
  return variants
}
