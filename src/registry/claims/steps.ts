import { ServiceError } from '../../errors.ts'
import { roundTimeMs, revealWindow, pulseRandomness } from '../../protocol/time.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { iterationsFor, renewalIterations, type Name } from '../../protocol/name/names.ts'
import { decodeVdfProof, proofShape, type Link, type VdfProof, vdfSeed } from '../../protocol/claim/proof.ts'
import {
  changesIn,
  decodeReveal,
  encodeReveal,
  linkCommitment,
  linksOf,
  newestLink,
  type Reveal
} from '../../protocol/claim/reveal.ts'
import { ownNext } from '../keys/change-words.ts'
import { UnreadableRecord } from '../../store/stored-shapes.ts'
import type { PlannedClaim, TaskRef } from '../tasks.ts'
import type { TaskKind } from '../../views/task.ts'
import {
  payloadOfLink,
  revealOfLink,
  isSuperseded,
  requireMajority,
  requireValid,
  supersededRecord,
  stampFor
} from '../publication/publishing.ts'
import {
  firstPulse,
  openName,
  type RegistryContext,
  leaseEndsMs,
  leaseOf,
  roundTime,
  derivedPublicKey,
  verifiedRound
} from '../context.ts'
import {
  type ClaimContext,
  type ClaimDraft,
  decodeContext,
  decodeDraft,
  encodeContext,
  encodeDraft
} from './journal.ts'
import { isCancelled, isGone } from '../stored/owned-names.ts'
import { translated } from '../../service-errors.ts'
import type { ClaimSteps } from './run.ts'
import { randomBytes } from 'node:crypto'
import type { CommitOutcome } from '../../network/types.ts'
import { commitmentHash, SALT_BYTES, claimRound } from '../../protocol/claim/commitment.ts'

/** The steps of a claim, for the task manager: commit, wait for the pulse, plan, reveal. */
export function createClaimSteps(context: RegistryContext): ClaimSteps {
  return {
    iterations: (name, kind) => iterationsOf(context, openName(context, name), kind),
    deadlinesMs: (name, kind) => (kind === 'renew' ? leaseEndsMs(context, name) : []),
    commit: (task, draft, saveDraft, signal) => translated(() => commit(context, task, draft, saveDraft, signal)),
    plan: (task, draft, signal) => translated(() => plan(context, task, decodeDraft(draft), signal)),
    remind: (task, draft, signal) => translated(() => remind(context, task, decodeDraft(draft), signal)),
    withdraw: (task, sent) => withdraw(context, task, sent),
    usable: (task, planned) => usable(context, task, planned),
    requireUse: (task, planned, signal) => translated(() => requireUse(context, task, planned, signal)),
    reveal: (task, planned, proof, saved, saveReveal, signal) =>
      translated(() => reveal(context, task, planned, proof, saved, saveReveal, signal))
  }
}

export function iterationsOf({ profile }: RegistryContext, name: Name, kind: TaskKind): number {
  return kind === 'register' ? iterationsFor(name, profile) : renewalIterations(name, profile)
}

async function commit(
  context: RegistryContext,
  task: TaskRef,
  saved: Uint8Array | undefined,
  saveDraft: (draft: Uint8Array) => void,
  signal: AbortSignal
): Promise<Uint8Array> {
  const name = openName(context, task.name)
  if (task.kind === 'renew') return encodeDraft(renewalDraft(context, name))
  const kept = saved === undefined ? undefined : decodeDraft(saved)
  // A commitment sent too long before the pulse has no witness any more. The pulse is not chosen yet, so a new salt
  // costs nothing.
  const draft = kept !== undefined && isFresh(context, kept) ? kept : await newDraft(context, name, signal)
  if (draft !== kept) saveDraft(encodeDraft(draft))
  const commitment = ownCommitment(context, name, draft)
  const outcome = await context.network.commit(name, commitment, draft.nonce, signal)
  const pulseRound = chooseRound(context, draft, outcome)
  context.receipts.save(name, { commitment, pulseRound, receipts: outcome.receipts })
  return encodeDraft({ ...draft, pulseRound })
}

/**
 * A renewal reveals nothing that others could take, so it needs no commitment. p is our current round, or the first
 * after the link before it.
 */
function renewalDraft(context: RegistryContext, name: Name): ClaimDraft {
  const verified = verifiedRound(context)
  const newest = context.owned.get(name)?.reveal.drand_pulse ?? 0
  return { salt: newSalt(), nonce: new Uint8Array(0), sentRound: verified, pulseRound: Math.max(verified, newest + 1) }
}

async function plan(
  context: RegistryContext,
  task: TaskRef,
  draft: ClaimDraft,
  signal: AbortSignal
): Promise<PlannedClaim> {
  const { profile, beacon } = context
  const name = openName(context, task.name)
  if (draft.pulseRound === null) throw new Error('a draft without its pulse round cannot be planned')
  const pulse = await beacon.waitFor(draft.pulseRound, signal)
  const iterations = iterationsOf(context, name, task.kind)
  const deadlineRound = draft.pulseRound + revealWindow(iterations, profile)
  const { salt, next } = draft
  const claim = { salt, pulseRound: pulse.round, pulse: pulse.signature, ...(next && { next }) }
  // Read after the wait: the renewal follows the link held by now.
  const before = task.kind === 'renew' ? linksHeld(context, name).at(-1)! : undefined
  // A newer link may have come since the pulse was chosen; nothing is squared in vain.
  if (before !== undefined && before.p >= pulse.round) throw replacedLink(name)
  return {
    evaluation: {
      seed: seedOf(context, name, claim, before),
      discriminantBits: profile.discriminant_bits,
      iterations,
      split: proofShape(iterations, profile).split
    },
    deadlineMs: task.kind === 'register' ? roundTimeMs(deadlineRound, profile.beacon) : null,
    context: encodeContext(claim)
  }
}

/** The seed of a link that comes after `before`; undefined for a first claim. */
function seedOf(context: RegistryContext, name: Name, claim: ClaimContext, before: Link | undefined): Uint8Array {
  const { pulseRound, pulse } = claim
  const commitment =
    before === undefined ? sentCommitment(context, name, claim) : renewalCommitment(context, name, claim.salt)
  return vdfSeed(
    { commitment, round: pulseRound, randomness: pulseRandomness(pulse), before: before?.proof },
    context.profileHash
  )
}

async function remind(context: RegistryContext, task: TaskRef, draft: ClaimDraft, signal: AbortSignal): Promise<void> {
  const name = openName(context, task.name)
  await context.network.commit(name, sentCommitment(context, name, draft), draft.nonce, signal)
}

/**
 * While its lease lives. A first claim: the name is not ours, or was lost or lapsed before its pulse was drawn. A
 * renewal: made for the newest link we own now, since its seed binds that one.
 */
function usable(context: RegistryContext, task: TaskRef, planned: PlannedClaim): boolean {
  const claim = claimContextOf(planned)
  if (claim === undefined) return false
  const { pulseRound } = claim
  const record = context.owned.get(task.name)
  if (leaseOf(context, pulseRound).state !== 'live') return false
  const isNewer = record !== undefined && pulseRound > record.reveal.drand_pulse
  if (task.kind === 'renew')
    return (
      isNewer && equalBytes(seedOf(context, record.name, claim, newestLink(record.reveal)), planned.evaluation.seed)
    )
  // A lost name may be registered again; the claim that lost it would lose again.
  if (record === undefined || isCancelled(record)) return true
  return isNewer && (isGone(record) || leaseOf(context, record.reveal.drand_pulse).state === 'dead')
}

/** Nothing is squared in vain. SVC-RES-003, SVC-PUB-001, SVC-OWN-001. */
async function requireUse(
  context: RegistryContext,
  task: TaskRef,
  planned: PlannedClaim,
  signal: AbortSignal
): Promise<void> {
  await requireLease(context, task, planned, signal)
  if (task.kind === 'renew') linksBefore(context, openName(context, task.name), planned)
}

/**
 * Throws SVC-RES-003 where the lease that a task's pulse gives is over. A renewal of that pulse would leave the name in
 * its grace at best, and use up one of the `chain_max` renewals. After a start the time is not known yet: waits for it.
 */
async function requireLease(
  context: RegistryContext,
  { name, kind }: TaskRef,
  planned: PlannedClaim,
  signal: AbortSignal
): Promise<void> {
  if (context.time().verified === 0) await firstPulse(context, signal)
  signal.throwIfAborted()
  const { state, endRound, graceEndRound } = leaseOf(context, decodeContext(planned.context).pulseRound)
  if (state === 'live' || (state === 'grace' && kind === 'register')) return
  const ended = roundTime(context, kind === 'register' ? graceEndRound : endRound)
  const record = context.owned.get(name)
  const isLapsed = record === undefined || leaseOf(context, record.reveal.drand_pulse).state === 'dead'
  throw new ServiceError(
    'SVC-RES-003',
    `The lease that this ${kind === 'register' ? 'registration' : 'renewal'} would have given ended at ${ended}, so ` +
      `nothing was published. ${isLapsed ? `Register ${name} again.` : `Renew ${name} again.`}`
  )
}

/** Undefined where the disk has damaged what the proof was made for. */
function claimContextOf({ context }: PlannedClaim): ClaimContext | undefined {
  try {
    return decodeContext(context)
  } catch (error) {
    if (error instanceof UnreadableRecord) return undefined
    throw error
  }
}

async function reveal(
  context: RegistryContext,
  task: TaskRef,
  planned: PlannedClaim,
  proof: Uint8Array,
  saved: Uint8Array | undefined,
  saveReveal: (reveal: Uint8Array) => void,
  signal: AbortSignal
): Promise<void> {
  const name = openName(context, task.name)
  await requireLease(context, task, planned, signal)
  const payloadNow = (sent: Reveal | undefined): Uint8Array => payloadOfLink(context, name, task.kind, sent)
  for (let record = saved === undefined ? undefined : decodeReveal(saved); ;) {
    const payload = payloadNow(record)
    if (record === undefined || !equalBytes(record.payload, payload)) {
      record = await signedReveal(context, name, task, planned, proof, payload)
      saveReveal(encodeReveal(record))
    }
    signal.throwIfAborted()
    const outcome = await context.network.putReveal(record, { signal })
    signal.throwIfAborted()
    if (outcome.storedBy * 2 <= outcome.of && isSuperseded(outcome)) throw supersededRecord(name)
    requireMajority(name, outcome)
    // During this renewal the zone may have been published on the link before it: then it goes out again, on this one.
    if (!equalBytes(payloadNow(record), record.payload)) continue
    context.owned.save(record, { published: true })
    context.zones.holdBack(name)
    return
  }
}

/** Assembled, signed and checked as every other node will check it: a proof that does not verify is never sent. */
async function signedReveal(
  context: RegistryContext,
  name: Name,
  task: TaskRef,
  planned: PlannedClaim,
  proof: Uint8Array,
  payload: Uint8Array
): Promise<Reveal> {
  const { salt, pulseRound, pulse, next } = decodeContext(planned.context)
  const link: Link = { p: pulseRound, pulse, iterations: planned.evaluation.iterations, proof, salt }
  const earlier = task.kind === 'renew' ? linksBefore(context, name, planned) : []
  const { keys } = task.kind === 'renew' ? heldProof(context, name) : { keys: next === undefined ? {} : { next } }
  const made = revealOfLink(context, name, link, earlier, keys, payload)
  await requireValid(context, made)
  return made
}

/** The links that a renewal follows. Throws SVC-PUB-001 where its seed binds another one than the newest held now. */
function linksBefore(
  context: RegistryContext,
  name: Name,
  { context: saved, evaluation }: PlannedClaim
): readonly Link[] {
  const links = linksHeld(context, name)
  if (!equalBytes(seedOf(context, name, decodeContext(saved), links.at(-1)), evaluation.seed)) throw replacedLink(name)
  return links
}

/** A proof counts after one link only. `usable` no longer takes it up, so the next task squares again. */
function replacedLink(name: Name): ServiceError {
  const detail =
    `Rule "proof": another record of ${name} has replaced the one that this ` + 'renewal follows. Renew the name again.'
  return new ServiceError('SVC-PUB-001', detail, { extensions: { rule: 'proof' } })
}

function linksHeld(context: RegistryContext, name: Name): readonly Link[] {
  return linksOf(heldProof(context, name).reveal)
}

/** The record owned here, with the first keys of its claim and their changes. */
function heldProof(
  context: RegistryContext,
  name: Name
): { reveal: Reveal; proof: VdfProof; keys: Pick<VdfProof, 'next' | 'first' | 'changes'> } {
  const reveal = context.owned.get(name)?.reveal
  if (reveal === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
  const proof = decodeVdfProof(reveal.vdf_proof)
  const { next, first, changes } = proof
  return { reveal, proof, keys: { ...(next && { next }), ...(first && { first }), ...(changes && { changes }) } }
}

/**
 * The network republishes what was once put: again what this daemon owned before the task, or nothing. The zone of the
 * task is a draft again. Peers may hold a first claim that was sent: unlisted, nobody could look after the name.
 */
function withdraw(
  { network, owned, zones }: RegistryContext,
  { name, kind }: TaskRef,
  sent: Uint8Array | undefined
): void {
  network.withdrawReveal(name, owned.get(name)?.reveal)
  if (kind === 'renew') zones.holdBack(name)
  else if (sent !== undefined) owned.saveCancelled(decodeReveal(sent))
}

/** C of a first claim of ours. Throws SVC-KEY-006. */
function ownCommitment(
  context: RegistryContext,
  name: Name,
  { salt, next }: Pick<ClaimDraft, 'salt' | 'next'>
): Uint8Array {
  const own = context.owned.get(name)?.reveal
  // Known while the seed is locked, where a lost claim of the same key is here.
  const known = context.seed.isLocked && own !== undefined && changesIn(own) === 0 ? own.pubkey : undefined
  return commitmentHash(name, known ?? derivedPublicKey(context, name, 0), salt, context.profileHash, next)
}

/** C of a renewal: by the first keys of the claim, whatever the present ones are. */
function renewalCommitment(context: RegistryContext, name: Name, salt: Uint8Array): Uint8Array {
  const { reveal, proof } = heldProof(context, name)
  return linkCommitment(reveal, proof, salt, context.profileHash)
}

/**
 * C of a claim whose pulse is chosen. While the seed is locked it comes from the receipts, so that squaring continues.
 * Throws SVC-KEY-006 where the receipts are of another claim.
 */
function sentCommitment(
  context: RegistryContext,
  name: Name,
  claim: Pick<ClaimDraft, 'salt' | 'pulseRound' | 'next'>
): Uint8Array {
  const sent = context.seed.isLocked && context.owned.get(name) === undefined ? context.receipts.get(name) : undefined
  return sent !== undefined && sent.pulseRound === claim.pulseRound
    ? sent.commitment
    : ownCommitment(context, name, claim)
}

/** 32 random bytes, new for each attempt. */
function newSalt(): Uint8Array {
  return new Uint8Array(randomBytes(SALT_BYTES))
}

/** A draft with a new salt; nothing has been sent for it. */
async function newDraft(context: RegistryContext, name: Name, signal: AbortSignal): Promise<ClaimDraft> {
  const next = ownNext(context, name, 0)
  const claim = { salt: newSalt(), ...(next && { next }) }
  const nonce = await stampFor(context, ownCommitment(context, name, claim), signal)
  return { ...claim, nonce, sentRound: verifiedRound(context), pulseRound: null }
}

/**
 * Whether a pulse chosen now still counts as drawn after this draft's commitment (docs/protocol/rules.md, 10,
 * "Witnessed").
 */
function isFresh(context: RegistryContext, draft: ClaimDraft): boolean {
  const { profile } = context
  return context.time().now + profile.min_commit + profile.receipt_slack < draft.sentRound + profile.pulse_window
}

/**
 * p, `min_commit` after the latest s, once more than half of the peers asked have seen the commitment in time.
 * Throws SVC-PUB-002 until then, and once the commitment is too old for any pulse; SVC-BCN-001 while the beacon is
 * silent.
 */
function chooseRound(context: RegistryContext, draft: ClaimDraft, { receipts, of }: CommitOutcome): number {
  verifiedRound(context)
  const committed = { sentRound: draft.sentRound, now: context.time().now }
  const { timely, round } = claimRound(
    receipts.map(({ seenRound }) => seenRound),
    of,
    committed,
    context.profile
  )
  if (round === undefined) {
    const detail = `${timely} of ${of} peers have confirmed the commitment in time; more than half are needed.`
    throw new ServiceError('SVC-PUB-002', detail, { extensions: { stored_by: timely, of }, retryAfter: 10 })
  }
  // The machine may have slept since the answers: a pulse may now come too late after what the peers saw.
  if (!isFresh(context, draft)) {
    throw new ServiceError('SVC-PUB-002', 'The peers confirmed the commitment too long ago; another one is sent.', {
      extensions: { stored_by: timely, of },
      retryAfter: 1
    })
  }
  return round
}
