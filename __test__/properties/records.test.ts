/** Invariants of docs/protocol/rules.md, 18, on records: P5, P7, P8, P9, P10. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../src/protocol/encoding/bytes.ts'
import { compareRecords } from '../../src/protocol/claim/order.ts'
import { profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { proofCacheKey } from '../../src/protocol/claim/proof-cache-key.ts'
import { decodeVdfProof, encodeVdfProof, signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
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

/** Nothing modelled: the kernel's proofs, of discriminants small enough for many cases, and the dev beacon's pulses. */
const SMALL = parseProfile({
  ...LOCAL,
  id: 'small',
  discriminant_bits: 256,
  difficulty: { base: 4_000, by_length: [{ from: 1, factor: 1 }] },
  two_segment_from: 2_000
})
const SMALL_HASH = profileHash(SMALL)
const NAME = parseName('alice.chronym', SMALL)
const OWNER = keyOf('alice')

/** With a proof that is right for the pulse, whatever that is. */
function realLink(p: number, index: number, before?: Link, pulse = signDevPulse(p)): Link {
  const kernel = addon()
  const salt = bytesOf(`salt ${index}`)
  const iterations = index === 0 ? iterationsFor(NAME, SMALL) : renewalIterations(NAME, SMALL)
  const seed = vdfSeed(
    {
      commitment: commitmentHash(NAME, OWNER.publicKey, salt, SMALL_HASH),
      round: p,
      randomness: pulseRandomness(pulse),
      before: before?.proof
    },
    SMALL_HASH
  )
  const evaluation = new kernel.Evaluation(
    kernel.Discriminant.fromSeed(seed, SMALL.discriminant_bits),
    null,
    iterations,
    proofShape(iterations, SMALL).split,
    2 ** 24
  )
  const stop = new Uint32Array(new SharedArrayBuffer(4))
  while (evaluation.phase() !== 'done') evaluation.advance(10_000, stop)
  return { p, pulse, iterations, proof: evaluation.proof()!, salt }
}

const discriminants = new Map<string, ReturnType<ReturnType<typeof addon>['Discriminant']['fromSeed']>>()

function realCheckers(): Checkers {
  const kernel = addon()
  const chain = new kernel.ChainKey(fromHex(SMALL.beacon.public_key))
  const pulses = new Map<number, Uint8Array>()
  return {
    verifyPulse: ({ round, signature }) => {
      const held = pulses.get(round)
      if (held !== undefined && compareBytes(held, signature) === 0) return Promise.resolve(true)
      const verdict = chain.verify(round, signature)
      if (verdict) pulses.set(round, signature)
      return Promise.resolve(verdict)
    },
    verifyProof: ({ seed, bits, iterations, split, proof }) => {
      const id = toHex(seed)
      const discriminant = discriminants.get(id) ?? kernel.Discriminant.fromSeed(seed, bits)
      if (discriminants.size < 100) discriminants.set(id, discriminant)
      return Promise.resolve(kernel.verifyProof(discriminant, null, iterations, proof, split === null ? 0 : 1))
    }
  }
}

describe('Valid, with the real kernel and real pulses', () => {
  const first = realLink(1000, 0)
  const links = [first, realLink(2000, 1, first)] as const
  const checkers = realCheckers()
  const encodeLinks = (first: Link, newest: Link): Uint8Array =>
    encodeVdfProof({ pulse: newest.pulse, proof: newest.proof, salt: newest.salt, chain: [first] })
  const revealOf = (vdf_proof: Uint8Array): Reveal =>
    signReveal(
      { name: NAME, drand_pulse: links[1].p, iterations: links[1].iterations, vdf_proof, payload: EMPTY_ZONE },
      OWNER,
      SMALL_HASH
    )
  const reveal = revealOf(encodeLinks(...links))
  const bytes = encodeReveal(reveal)

  /**
   * Forms other than the proof's: the identity (1, 1, ·) and the generator (2, 1, ·) in their encodings, and an invalid
   * form.
   */
  const forms = [Uint8Array.of(4), Uint8Array.of(8), Uint8Array.of(0), Uint8Array.of(0xff)].map((head) =>
    Uint8Array.from([...head, ...new Uint8Array(FORM_BYTES - 1)])
  )

  /** What who chooses the pulse could compute long before: that of another round, and any bytes. */
  const foretold = [signDevPulse(999), bytesOf('no pulse', 48)].flatMap((pulse) => [
    encodeLinks(realLink(1000, 0, undefined, pulse), links[1]),
    encodeLinks(links[0], realLink(2000, 1, first, pulse))
  ])

  /** A link with its proof or pulse changed in ways that attackers would try. */
  const altered = fc
    .record({
      which: fc.nat(1),
      part: fc.constantFrom('proof' as const, 'proof' as const, 'pulse' as const, 'salt' as const),
      kind: fc.nat(5),
      at: fc.nat(10_000),
      flip: fc.integer({ min: 1, max: 255 })
    })
    .map(({ which, part, kind, at, flip }) => {
      const link = links[which]!
      const value = Uint8Array.from(link[part])
      if (kind <= 2) value[at % value.length]! ^= flip
      else if (part === 'proof' && kind === 3) value.set(forms[at % forms.length]!, FORM_BYTES * (flip % 2))
      else if (part === 'proof' && kind === 4) value.set(forms[at % forms.length]!, value.length - FORM_BYTES)
      else value.set(links[1 - which]![part].subarray(0, value.length))
      const next = { ...link, [part]: value }
      return which === 0 ? encodeLinks(next, links[1]) : encodeLinks(links[0], next)
    })

  /** The same members in another order, a length in more bytes than it needs, bytes cut off or added. */
  const recoded = fc
    .record({ kind: fc.nat(4), at: fc.nat(10_000), flip: fc.integer({ min: 1, max: 255 }) })
    .map(({ kind, at, flip }) => {
      const { pulse, proof, salt } = links[1]
      const chain: CborValue = [linkValue(links[0])]
      if (kind === 0) return reveal.vdf_proof.subarray(0, at % reveal.vdf_proof.length)
      if (kind === 1) return concatBytes(reveal.vdf_proof, bytesOf(`${at}`, 1 + (flip % 40)))
      const members = Object.entries({ v: 1, salt, chain, proof, pulse } as Record<string, CborValue>).map(
        ([key, value]) => concatBytes(encodeCbor(key), encodeCbor(value))
      )
      if (kind === 2) {
        const from = at % 5
        const to = (from + 1 + (flip % 4)) % 5
        ;[members[from], members[to]] = [members[to]!, members[from]!]
        return concatBytes(Uint8Array.of(0xa5), ...members)
      }
      if (kind === 3) return concatBytes(Uint8Array.of(0xb8, 5), ...members)
      const changed = Uint8Array.from(reveal.vdf_proof)
      changed[at % changed.length]! ^= flip
      return changed
    })

  it('P7: every change of a byte of a Reveal, and every other encoding of it, is invalid', async () => {
    expect(await isValid(reveal, SMALL, checkers)).toBe(true)
    expect(encodeReveal(revealOf(encodeLinks(...links)))).toEqual(bytes)
    // Either without the owner's key, or by the owner itself, signed again each time.
    const changes = fc.oneof(
      fc.record({
        kind: fc.constant('bytes' as const),
        position: fc.nat(bytes.length - 1),
        flip: fc.integer({ min: 1, max: 255 })
      }),
      fc.record({
        kind: fc.constant('proof' as const),
        vdf_proof: fc.oneof(altered, altered, recoded, fc.constantFrom(...foretold))
      })
    )
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        let changed: Reveal
        if (change.kind === 'bytes') {
          const altered = Uint8Array.from(bytes)
          altered[change.position]! ^= change.flip
          try {
            changed = decodeReveal(altered)
          } catch (error) {
            if (error instanceof ProtocolError) return
            throw error
          }
        } else {
          if (compareBytes(change.vdf_proof, reveal.vdf_proof) === 0) return
          changed = revealOf(change.vdf_proof)
        }
        expect(await isValid(changed, SMALL, checkers)).toBe(false)
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
