import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signDevPulse } from '../../src/beacon/dev-beacon.ts'
import { addon } from '../../src/native/addon.ts'
import { compareBytes, concatBytes, fromHex, toHex } from '../../src/protocol/encoding/bytes.ts'
import { encodeCbor, type CborValue } from '../../src/protocol/encoding/cbor.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import { ProtocolError } from '../../src/protocol/errors.ts'
import { iterationsFor, parseName, renewalIterations } from '../../src/protocol/name/names.ts'
import { parseProfile, profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { pulseRandomness } from '../../src/protocol/time.ts'
import { decodeReveal, encodeReveal, signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import {
  encodeVdfProof,
  FORM_BYTES,
  proofShape,
  type Link,
  linkValue,
  vdfSeed
} from '../../src/protocol/claim/proof.ts'
import { validateReveal, type Checkers } from '../../src/protocol/claim/valid.ts'
import { bytesOf, EMPTY_ZONE, keyOf, LOCAL, modelCheckers } from '../protocol/fixtures.ts'
import { CASES } from './cases.ts'

const CHECKERS = modelCheckers(LOCAL)

async function isValid(reveal: Reveal, profile: NetworkProfile, checkers: Checkers = CHECKERS): Promise<boolean> {
  return (await validateReveal(reveal, profile, checkers)).ok
}

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
   * Forms that stand for something else than the proof: the identity (1, 1, ·) and the generator (2, 1, ·) in their
   * encodings, and no form at all.
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
