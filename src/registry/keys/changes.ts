/**
 * Changes of the keys of a name: the new owner makes an offer, and the present one accepts it. An owner who rotates its
 * keys is both. The change key itself never comes here: the command line signs with the change words.
 */
import { ServiceError } from '../../errors.ts'
import type { PutOutcome } from '../../network/types.ts'
import { type Change, MAX_CHANGES, nextHash, relateChanges } from '../../protocol/claim/changes.ts'
import { type Claim, claimOf } from '../../protocol/claim/claim.ts'
import {
  acceptedReveal,
  formatOffer,
  makeOffer,
  nextPlace,
  type Offer,
  offerCode,
  offerMessage,
  parseOffer,
  problemOfOffer
} from '../../protocol/claim/offer.ts'
import { decodeVdfProof } from '../../protocol/claim/proof.ts'
import { changesIn, type Reveal } from '../../protocol/claim/reveal.ts'
import { sign } from '../../protocol/crypto/ed25519.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { roundsToFinal } from '../../protocol/admission/key-changes.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { keys } from '../../store/keys.ts'
import type { KeysView, OfferView } from '../../views/keys.ts'
import type { StoredBy } from '../../views/common.ts'
import {
  codedNameOf,
  derivedPublicKey,
  isKnownAsOwn,
  openName,
  type RegistryContext,
  roundTime,
  withOwnKey
} from '../context.ts'
import { requireMajority, requireValid } from '../publication/publishing.ts'
import { equivocationOf } from '../ownership/newer-records.ts'
import { dated, decide, finalAt, revealOf, saysFinal, survey, type Survey } from '../resolution/survey.ts'
import { encodeAdoption, isGone } from '../stored/owned-names.ts'
import type { Authority } from '../use-cases.ts'
import { soldName } from '../zones/zones.ts'
import { ownNext } from './change-words.ts'

/** Which keys a name has, by the network; SVC-NAM-*, SVC-RES-*. A check code must be of the claim that peers name. */
export async function keysOf(context: RegistryContext, text: string): Promise<KeysView> {
  const { name, code = '' } = codedNameOf(context.profile, text)
  // All that hold it: a buyer counts who calls the change final.
  const found = await survey(context, name, undefined, 'everybody')
  const { reveal, checkCode } = decide(context, found)
  if (!checkCode.startsWith(code))
    throw new ServiceError(
      'SVC-RES-005',
      `Most peers name the claim of ${name} with the code ${checkCode.slice(0, code.length)}, not the one with the code ${code}.`,
      { extensions: { check_code: code, shown: [checkCode] } }
    )
  const { owner, thin } = found.tally as Extract<typeof found.tally, { kind: 'owner' }>
  const claim = claimOf(reveal, name, context.profile)
  const proof = decodeVdfProof(reveal.vdf_proof)
  const { claimId, before } = nextPlace(reveal, context.profileHash)
  return {
    name,
    check_code: checkCode,
    claim_id: toHex(claimId),
    claimed_round: claim.firstRound,
    claimed_at: roundTime(context, claim.firstRound),
    renewals: proof.chain?.length ?? 0,
    pubkey: toHex(reveal.pubkey),
    own: context.owned.get(name) !== undefined && equalBytes(context.owned.get(name)!.reveal.pubkey, reveal.pubkey),
    changes: claim.changes.length,
    changes_left: MAX_CHANGES - claim.changes.length,
    last_change: before === undefined ? null : toHex(before),
    consented: claim.changes.at(-1)?.consented ?? null,
    change_key: nextOf(followed(found, reveal)) !== undefined,
    final_after_seconds: {
      both: secondsToFinal(context.profile, true),
      alone: secondsToFinal(context.profile, false)
    },
    // Fewer than a quorum prove nothing to a buyer.
    final: owner.final && !thin,
    final_at: owner.final ? null : finalAt(found, claim, owner.votes, context.profile),
    final_votes: owner.finalVotes,
    votes: owner.votes,
    coded: await votesByCode(context, claim, checkCode),
    other_keys: found.counted.filter(
      (answer) =>
        answer.claim !== undefined &&
        equalBytes(answer.claim.id, claim.id) &&
        typeof relateChanges(answer.claim.changes, claim.changes) === 'number'
    ).length,
    equivocation: equivocationOf(context, found) !== undefined,
    notice: noticeView(context, found)
  }
}

function secondsToFinal(profile: NetworkProfile, consented: boolean): number {
  return roundsToFinal({ consented }, profile) * profile.beacon.period
}

function noticeView(context: RegistryContext, { name, notice }: Survey): KeysView['notice'] {
  if (notice === undefined) return null
  const { claim, finalAt: at, votes } = dated(context, notice)
  const own = context.owned.get(name)?.notice
  const isOwn = isKnownAsOwn(context, claim) || (own !== undefined && equalBytes(own.pubkey, claim.pubkey))
  return { pubkey: toHex(claim.pubkey), own: isOwn, final_at: at, votes }
}

/** The record that the next change follows: where the claim names no change key, the notice that names one. */
function followed(found: Survey, served: Reveal): Reveal {
  const { notice } = found
  return notice !== undefined && nextOf(served) === undefined ? revealOf(found, notice.claim) : served
}

/** Counts the peers at the place of the check code that have these changes and call them final. */
async function votesByCode(context: RegistryContext, claim: Claim, code: string): Promise<KeysView['coded']> {
  const { answers } = await context.network.getReveals(claim.name, undefined, 'everybody', code)
  const holders = answers.filter(({ claimId }) => claimId !== undefined && equalBytes(claimId, claim.id))
  const { verified } = context.time()
  const final = holders.filter(({ changes }) => claim.changes.length === 0 || saysFinal(changes, claim, verified))
  return { final_votes: final.length, votes: holders.length }
}

/**
 * An offer of this daemon to take a claim over, from the record that it has or the network shows. The name is looked for
 * from now on, and taken up once the owner has accepted.
 *
 * @param alone whether the change key alone is to sign: nobody has the signing key any more
 * SVC-NAM-*, SVC-RES-*, SVC-KEY-006, SVC-CHG-001, SVC-CHG-003.
 */
export async function offerFor(context: RegistryContext, text: string, alone: boolean): Promise<OfferView> {
  const name = openName(context, text)
  context.seed.require()
  const reveal = await presentReveal(context, name)
  const { index } = nextPlace(reveal, context.profileHash)
  if (index >= MAX_CHANGES)
    throw new ServiceError('SVC-CHG-003', `The keys of ${name} have changed ${MAX_CHANGES} times.`)
  const next = ownNext(context, name, index + 1)
  if (next === undefined) throw new ServiceError('SVC-CHG-001', 'This daemon knows of no change words of its owner.')
  // A claim that names no change key has one signature in any case.
  const consented = !alone && nextOf(reveal) !== undefined
  const offer = withOwnKey(context, name, index + 1, (key) =>
    makeOffer(reveal, { next, consented }, key, context.profileHash)
  )
  if (!isOwnRecord(context, reveal))
    context.store.put(
      keys.wanted(name),
      encodeAdoption({ sinceMs: context.clock.now(), isGuess: false, isOffered: true })
    )
  return offerView(offer)
}

/**
 * Accepts an offer: signs where the present signing key must, and publishes the record of the change. It is sent again
 * until most peers have it, also after a crash. SVC-NAM-*, SVC-CHG-002 where the offer does not fit (the record changed),
 * SVC-CHG-004 where peers hold another change, SVC-OWN-001/002 for a consent of a name that is not ours, or sold,
 * SVC-PUB-001/002, SVC-KEY-006, SVC-RES-*.
 */
export async function acceptOffer(context: RegistryContext, text: string, authority: Authority): Promise<StoredBy> {
  const offer = offerOf(text)
  const name = openName(context, offer.name, 'offer')
  const reveal = await presentReveal(context, name)
  const problem = problemOfOffer(offer, reveal, context.profileHash)
  if (problem !== undefined) throw misfit(`The offer does not fit ${name}: ${problem}.`)
  const changed = acceptedReveal(reveal, offer, authorityOf(context, name, reveal, offer, authority))
  await requireValid(context, changed)
  const isOurs = equalBytes(
    offer.terms.pubkey,
    derivedPublicKey(context, name, nextPlace(reveal, context.profileHash).index + 1)
  )
  if (!offer.terms.consented || isOwnNotice(context, reveal)) {
    const own = context.owned.get(name)
    if (own !== undefined && !isGone(own)) return publishNotice(context, name, changed)
  }
  // Before it is sent: after a crash the daemon goes on with the new key.
  if (isOurs) context.owned.save(changed, { published: false })
  const outcome = await context.network.putReveal(changed)
  requireNoOther(name, outcome)
  const stored = requireMajority(`the change of the keys of ${name}`, outcome)
  if (isOurs) context.owned.save(changed, { published: true })
  else if (isOwnRecord(context, reveal)) context.owned.setOwnership(name, 'changed')
  return stored
}

/** A change with one signature: the present keys go on publishing, and the daemon sends both until it is final. */
async function publishNotice(context: RegistryContext, name: Name, notice: Reveal): Promise<StoredBy> {
  const former = context.owned.get(name)?.notice
  // After a crash the daemon sends it again.
  context.owned.setNotice(name, notice)
  const outcome = await context.network.putReveal(notice, { isNotice: true })
  if (isHeldOtherwise(outcome)) context.owned.setNotice(name, former)
  requireNoOther(name, outcome)
  return requireMajority(`the change of the keys of ${name}`, outcome)
}

function authorityOf(
  context: RegistryContext,
  name: Name,
  reveal: Reveal,
  offer: Offer,
  { key, signature }: Authority
): Pick<Change, 'key' | 'signature' | 'consent'> {
  const message = offerMessage(offer, context.profileHash)
  const bySigningKey = (): Uint8Array => {
    const { index } = nextPlace(reveal, context.profileHash)
    const sold = context.owned.get(name)?.sold
    const isOurs = equalBytes(derivedPublicKey(context, name, index), reveal.pubkey)
    if (!isOurs && sold !== undefined) throw soldName(name, sold)
    if (!isOurs) throw new ServiceError('SVC-OWN-001', `This daemon does not have the signing key of ${name}.`)
    return withOwnKey(context, name, index, ({ secretKey }) => sign(message, secretKey))
  }
  if (nextOf(reveal) === undefined) return { signature: bySigningKey() }
  if (key === undefined || signature === undefined)
    throw misfit(`The claim of ${name} names a change key, which must sign.`)
  if (!equalBytes(nextHash(key, context.profileHash), nextOf(reveal)!))
    throw misfit(`These are not the change words that the claim of ${name} names.`)
  return { key, signature, ...(offer.terms.consented && { consent: bySigningKey() }) }
}

/** Hash of the change key that the record names now; undefined without one. */
function nextOf(reveal: Reveal): Uint8Array | undefined {
  const { next, changes } = decodeVdfProof(reveal.vdf_proof)
  return changes?.at(-1)?.next ?? next
}

/**
 * The record that the next change follows: our own, also while a change by the change key alone is not final; that is how
 * an owner takes the name back. Otherwise what the network shows. Where a claim names no change key and one waits to be
 * named, the notice of that: both keys of it sign the next change.
 */
async function presentReveal(context: RegistryContext, name: Name): Promise<Reveal> {
  const own = context.owned.get(name)
  if (own !== undefined && !isGone(own))
    return own.notice !== undefined && nextOf(own.reveal) === undefined ? own.notice : own.reveal
  const found = await survey(context, name)
  const { tally } = found
  if (own?.ownership === 'changed') {
    const following = tally.kind === 'owner' ? tally.owner.newest.changes[changesIn(own.reveal)] : undefined
    const isFinal = tally.kind === 'owner' && tally.owner.final
    if (following?.consented !== true && !isFinal) return own.reveal
  }
  return followed(found, decide(context, found).reveal)
}

function isOwnRecord(context: RegistryContext, reveal: Reveal): boolean {
  const own = context.owned.get(reveal.name)
  return (own !== undefined && equalBytes(own.reveal.signature, reveal.signature)) || isOwnNotice(context, reveal)
}

function isOwnNotice(context: RegistryContext, { name, signature }: Reveal): boolean {
  const notice = context.owned.get(name)?.notice
  return notice !== undefined && equalBytes(notice.signature, signature)
}

function isHeldOtherwise({ of, refusals }: PutOutcome): boolean {
  return refusals.filter(({ code }) => code === 'changed').length * 2 > of
}

function requireNoOther(name: Name, outcome: PutOutcome): void {
  const { of, refusals } = outcome
  const others = refusals.filter(({ code }) => code === 'changed')
  if (isHeldOtherwise(outcome))
    throw new ServiceError('SVC-CHG-004', `${others.length} of ${of} peers hold another change of the keys of ${name}.`)
}

function offerOf(text: string): Offer {
  try {
    return parseOffer(text)
  } catch (error) {
    if (error instanceof EncodingError) throw misfit(`The offer cannot be read: ${error.detail}.`, error)
    throw error
  }
}

function misfit(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('SVC-CHG-002', detail, { cause })
}

function offerView(offer: Offer): OfferView {
  return {
    offer: formatOffer(offer),
    code: offerCode(offer),
    name: offer.name,
    pubkey: toHex(offer.terms.pubkey),
    consented: offer.terms.consented
  }
}
