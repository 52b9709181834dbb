/**
 * Valid: whether a Reveal is consistent, by the profile alone, without peers, clock or store. Injected functions check
 * pulses and proofs, which are too slow for the calling thread.
 */
import { type Claim, claimOf } from './claim.ts'
import { problemOfChanges } from './changes.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError, NameError } from '../errors.ts'
import type { Name } from '../name/names.ts'
import { iterationsFor, parseName, renewalIterations } from '../name/names.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'
import {
  claimedSplit,
  proofShape,
  MAX_VDF_PROOF_BYTES,
  decodeVdfProof,
  type Link,
  type VdfProof,
  vdfSeed
} from './proof.ts'
import { type Pulse, pulseRandomness } from '../time.ts'
import { type Reveal, claimIdOf, linkCommitment, linksOfProof, MAX_NAME_BYTES, revealSigningBytes } from './reveal.ts'

interface ProofCheck {
  /** 32 bytes, recomputed from the Reveal [a proof copied under another key]. */
  seed: Uint8Array
  /** Size of the discriminant. */
  bits: number
  iterations: number
  split: number | null
  proof: Uint8Array
}

/** Both may reject when they cannot tell; then there is no verdict. */
export interface Checkers {
  verifyPulse(pulse: Pulse): Promise<boolean>
  verifyProof(check: ProofCheck): Promise<boolean>
}

/** In checking order, cheap before costly. `chain` (order and gaps of the links) belongs to the step of iterations. */
export type ValidRule =
  'size' | 'canonical' | 'name' | 'iterations' | 'chain' | 'changes' | 'signature' | 'pulse' | 'proof'

export type Verdict =
  | { readonly ok: true; readonly claim: Claim }
  | { readonly ok: false; readonly rule: ValidRule; readonly detail: string }

type Invalid = Extract<Verdict, { ok: false }>

type CheckedReveal =
  | {
      readonly ok: true
      readonly reveal: Reveal
      readonly name: Name
      readonly links: readonly Link[]
      readonly vdfProof: VdfProof
    }
  | Invalid

/**
 * Checks a Reveal in the order of docs/protocol/rules.md, 8. Bad input never throws; rejects only as a checker does.
 */
export async function validateReveal(reveal: Reveal, profile: NetworkProfile, checkers: Checkers): Promise<Verdict> {
  const checked = checkReveal(reveal, profile)
  if (!checked.ok) return checked
  const { name, links, vdfProof } = checked
  // Newest first: an attacker must forge it, and a renewal adds it.
  const newestFirst = links.map((link, index) => ({ link, before: links[index - 1] })).reverse()
  const badPulse = await firstFailing(newestFirst, ({ link: { p, pulse } }) =>
    checkers.verifyPulse({ round: p, signature: pulse })
  )
  if (badPulse !== undefined) return invalid('pulse', `the pulse of round ${badPulse.link.p} does not verify`)
  const badProof = await firstFailing(newestFirst, ({ link, before }) =>
    checkers.verifyProof(proofCheck(link, before, reveal, vdfProof, profile))
  )
  if (badProof !== undefined)
    return invalid('proof', `the proof of the link at round ${badProof.link.p} does not verify`)
  return { ok: true, claim: claimOf(reveal, name, profile) }
}

/**
 * The first link that a check refuses. Each batch is as large as what already passed. A long chain uses all threads,
 * and garbage never costs more than the true links before it.
 */
async function firstFailing<L>(links: readonly L[], check: (link: L) => Promise<boolean>): Promise<L | undefined> {
  for (let passed = 0; passed < links.length;) {
    const together = links.slice(passed, passed + Math.max(1, passed))
    const verdicts = await Promise.all(together.map(check))
    const failing = together.find((_, index) => verdicts[index] !== true)
    if (failing !== undefined) return failing
    passed += together.length
  }
  return undefined
}

/** The checks that cost microseconds: sizes, canonical form, name, iterations and chain, signature. Pure. */
export function checkReveal(reveal: Reveal, profile: NetworkProfile): CheckedReveal {
  const tooLarge = problemOfSizes(reveal, profile)
  if (tooLarge !== undefined) return invalid('size', tooLarge)
  let vdfProof: VdfProof
  try {
    vdfProof = decodeVdfProof(reveal.vdf_proof)
  } catch (error) {
    if (error instanceof EncodingError) return invalid('canonical', `vdf_proof: ${error.detail}`)
    throw error
  }
  let name: Name
  try {
    name = parseName(reveal.name, profile)
  } catch (error) {
    if (error instanceof NameError) return invalid('name', error.detail)
    throw error
  }
  const links = linksOfProof(reveal, vdfProof)
  const wrongWork = problemOfWork(name, links, profile)
  if (wrongWork !== undefined) return invalid('iterations', wrongWork)
  const broken = problemOfChain(links, profile)
  if (broken !== undefined) return invalid('chain', broken)
  const hash = profileHash(profile)
  const wrongChange = problemOfKeys(reveal, vdfProof, hash)
  if (wrongChange !== undefined) return invalid('changes', wrongChange)
  if (!verifyStrict(reveal.signature, revealSigningBytes(reveal, hash), reveal.pubkey))
    return invalid('signature', 'the signature does not verify')
  return { ok: true, reveal, name, links, vdfProof }
}

function proofCheck(
  link: Link,
  before: Link | undefined,
  reveal: Pick<Reveal, 'name' | 'pubkey'>,
  vdfProof: VdfProof,
  profile: NetworkProfile
): ProofCheck {
  const hash = profileHash(profile)
  const commitment = linkCommitment(reveal, vdfProof, link.salt, hash)
  const seed = vdfSeed(
    { commitment, round: link.p, randomness: pulseRandomness(link.pulse), before: before?.proof },
    hash
  )
  const { iterations, proof } = link
  return { seed, bits: profile.discriminant_bits, iterations, split: proofShape(iterations, profile).split, proof }
}

/** Each change follows the one before it, by the keys that one left. */
function problemOfKeys(reveal: Reveal, proof: VdfProof, profileHash: Uint8Array): string | undefined {
  const { first, next, changes } = proof
  if (first === undefined || changes === undefined) return undefined
  const of = { name: reveal.name, claimId: claimIdOf(reveal, proof, profileHash).id, profileHash }
  return problemOfChanges({ pubkey: first, next }, reveal.pubkey, changes, of)
}

function problemOfSizes(reveal: Reveal, profile: NetworkProfile): string | undefined {
  if (reveal.name.length > MAX_NAME_BYTES) return `name: at most ${MAX_NAME_BYTES} octets`
  if (reveal.pubkey.length !== PUBLIC_KEY_BYTES) return `pubkey: ${PUBLIC_KEY_BYTES} bytes are expected`
  if (reveal.signature.length !== SIGNATURE_BYTES) return `signature: ${SIGNATURE_BYTES} bytes are expected`
  if (reveal.vdf_proof.length > MAX_VDF_PROOF_BYTES) return `vdf_proof: at most ${MAX_VDF_PROOF_BYTES} bytes`
  if (reveal.payload.length > profile.limits.payload_bytes)
    return `payload: at most ${profile.limits.payload_bytes} bytes`
  if (!isRound(reveal.drand_pulse)) return 'drand_pulse: an integer from 1 to 2^53-1 is expected'
  if (!isRound(reveal.iterations)) return 'iterations: an integer from 1 to 2^53-1 is expected'
  return undefined
}

/** Each link has exactly the required squarings, proved in their one shape. */
function problemOfWork(name: Name, links: readonly Link[], profile: NetworkProfile): string | undefined {
  for (const [index, { p, iterations, proof }] of links.entries()) {
    const required = index === 0 ? iterationsFor(name, profile) : renewalIterations(name, profile)
    if (iterations !== required) return `the link at round ${p} has ${iterations} squarings; ${required} are required`
    const shape = proofShape(iterations, profile)
    if (proof.length !== shape.length)
      return `the proof at round ${p} has ${proof.length} bytes; ${shape.length} are required`
    if (shape.split !== null && claimedSplit(proof) !== shape.split)
      return `the proof at round ${p} is not split at ${shape.split}`
  }
  return undefined
}

/** Each link begins after the previous one and before that one's grace ends [a lapsed owner must start again]. */
function problemOfChain(links: readonly Link[], profile: NetworkProfile): string | undefined {
  if (links.length - 1 > profile.chain_max) return `at most ${profile.chain_max} earlier links; register the name again`
  for (const [index, { p }] of links.entries()) {
    if (!isRound(p)) return `${p} is not a round`
    const before = links[index - 1]?.p
    if (before === undefined) continue
    if (p <= before) return `the link at round ${p} does not come after the one at round ${before}`
    if (p - before > profile.lease + profile.grace) return `the lease had ended between rounds ${before} and ${p}`
  }
  return undefined
}

function isRound(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function invalid(rule: ValidRule, detail: string): Invalid {
  return { ok: false, rule, detail }
}
