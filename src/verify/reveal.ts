/** Is this Reveal valid? */
import { checkCodeOf, parseAskedName } from '../protocol/claim/check-code.ts'
import { claimOf } from '../protocol/claim/claim.ts'
import { checkReveal, validateReveal, type ValidRule } from '../protocol/claim/valid.ts'
import { EncodingError } from '../protocol/errors.ts'
import { toHex, fromHex } from '../protocol/encoding/bytes.ts'
import { parseZonePayload, ZoneError, type PublishedZone } from '../protocol/zone/zone.ts'
import { roundTimeMs } from '../protocol/time.ts'
import { profileOf, revealOf, type ProfileInput, type RevealJson } from './input.ts'
import { Refusal, runSteps, type Step, type Engine, type Progress, type Verification } from './verification.ts'

export interface RevealOptions {
  readonly profile: ProfileInput
  /** The name that was asked for. With a check code in its label or behind a space, a Reveal of another claim fails. */
  readonly name?: string
  /** Called before each pulse and proof, the slow steps. `done` counts from 0. */
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

/**
 * What a valid Reveal says. Whether peers agree that this claim owns the name is for the network to say; that it is the
 * claim that somebody meant, a check code from them says.
 */
export interface VerifiedReveal {
  readonly name: string
  /** The owner's public key, hexadecimal. */
  readonly owner: string
  readonly serial: number
  /** Of the claim, whole: 26 characters, computed from the record here. */
  readonly checkCode: string
  /** Undefined where the payload is not a zone: the network accepts any bytes. */
  readonly zone?: PublishedZone
  /** Changes of its keys since the first claim. */
  readonly changes: number
  readonly links: readonly { readonly round: number; readonly iterations: number }[]
  /** Unix time in ms at which the lease ends unless it is renewed, and by which only its owner may renew it. */
  readonly leaseEnds: number
  readonly graceEnds: number
}

const STEPS = [
  { rule: 'encoding', title: 'The record has the one encoding of a Reveal' },
  { rule: 'asked', title: 'It is of the name that was asked for' },
  { rule: 'size', title: 'Every field has its size' },
  { rule: 'canonical', title: 'The proof is encoded canonically' },
  { rule: 'name', title: 'The name follows the rules of the network' },
  { rule: 'iterations', title: 'Each link has the squarings that the name costs' },
  { rule: 'chain', title: 'Each renewal came within the lease before it' },
  { rule: 'changes', title: 'Each change of its keys is signed by the keys before it' },
  { rule: 'signature', title: "The name's key signed it" },
  { rule: 'code', title: 'Its claim has the check code that was asked for' },
  { rule: 'pulse', title: 'The beacon signed the pulse of each link' },
  { rule: 'proof', title: 'The squarings were done, from the seed of that pulse, key and name' }
] as const satisfies readonly (Step & { rule: ValidRule | 'encoding' | 'asked' | 'code' })[]

export async function verifyReveal(
  engine: Engine,
  input: RevealJson | Uint8Array,
  { profile: given, name, onProgress, signal }: RevealOptions
): Promise<Verification<VerifiedReveal>> {
  const profile = profileOf(given)
  const publicKey = fromHex(profile.beacon.public_key)
  return runSteps(STEPS, engine.backend, async (passed) => {
    const reveal = revealOf(input)
    passed('encoding', 'the encoding of a Reveal')
    const asked = name === undefined ? undefined : parseAskedName(name, profile)
    if (asked !== undefined && reveal.name !== asked.name)
      throw new Refusal(`it is of ${JSON.stringify(reveal.name)}, not of ${JSON.stringify(asked.name)}`)
    passed('asked', asked === undefined ? 'no name was given to compare' : reveal.name)
    const cheap = checkReveal(reveal, profile)
    if (!cheap.ok) throw new Refusal(cheap.detail, cheap.rule)
    const { links } = cheap
    passed('name', reveal.name)
    passed('iterations', links.map(({ iterations }) => String(iterations)).join(', '))
    passed('chain', links.length === 1 ? 'a first claim' : `a first claim and ${links.length - 1} renewals`)
    const changes = cheap.vdfProof.changes?.length ?? 0
    passed('changes', changes === 0 ? 'its keys have never changed' : `${changes} since the first claim`)
    passed('signature', `by ${toHex(reveal.pubkey)}`)
    const code = checkCodeOf(reveal, profile)
    if (asked?.code !== undefined && !code.startsWith(asked.code))
      throw new Refusal(`it is ${code.slice(0, asked.code.length)}, not ${asked.code}: this is another claim`)
    passed('code', asked?.code === undefined ? `none was given to compare; it is ${code}` : code)
    const counted = { pulse: 0, proof: 0 }
    const turn = async (rule: 'pulse' | 'proof'): Promise<void> => {
      // lets the caller draw, and abort
      await Promise.resolve()
      signal?.throwIfAborted()
      onProgress?.({ rule, done: counted[rule]++, of: links.length })
    }
    const verdict = await validateReveal(reveal, profile, {
      verifyPulse: async ({ round, signature }) => {
        await turn('pulse')
        return engine.verifyPulse(publicKey, round, signature)
      },
      verifyProof: async (question) => {
        await turn('proof')
        return engine.verifyVdf(question)
      }
    })
    if (!verdict.ok) throw new Refusal(verdict.detail, verdict.rule)
    passed('pulse', `rounds ${links.map(({ p }) => String(p)).join(', ')}`)
    passed('proof', `${links.length} verified, in class groups of ${profile.discriminant_bits} bits`)
    const claim = claimOf(reveal, cheap.name, profile)
    const leaseEnd = claim.newestRound + profile.lease
    const zone = zoneOf(reveal.payload, profile)
    return {
      name: reveal.name,
      owner: toHex(reveal.pubkey),
      serial: claim.serial,
      checkCode: code,
      changes,
      ...(zone === undefined ? {} : { zone }),
      links: links.map(({ p, iterations }) => ({ round: p, iterations })),
      leaseEnds: roundTimeMs(leaseEnd, profile.beacon),
      graceEnds: roundTimeMs(leaseEnd + profile.grace, profile.beacon)
    }
  })
}

function zoneOf(payload: Uint8Array, profile: Parameters<typeof parseZonePayload>[1]): PublishedZone | undefined {
  try {
    return parseZonePayload(payload, profile)
  } catch (error) {
    if (error instanceof ZoneError || error instanceof EncodingError) return undefined
    throw error
  }
}
