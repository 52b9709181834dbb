import { ServiceError } from '../../errors.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { COMMITMENT_BYTES, claimRound } from '../../protocol/claim/commitment.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { highestSerial, claimOf, type Claim, type RecordOrder } from '../../protocol/claim/claim.ts'
import { isRollback } from '../../protocol/resolution/pin.ts'
import { exactName, isKnownAsOwn, isOwnClaim, openName, type RegistryContext, leaseOf } from '../context.ts'
import { isSuperseded, requireMajority, requireValid, supersededRecord, stampFor } from '../publication/publishing.ts'
import { isGone } from '../stored/owned-names.ts'
import type { CommittedBy, StoredBy } from '../../views/common.ts'

/**
 * Sends C with a stamp of ours; the name only says where. Returns the first pulse that suits it, by what the peers saw.
 * SVC-NAM-*, SVC-REQ-001, SVC-RES-001, SVC-PUB-002.
 */
export async function commit(context: RegistryContext, text: string, commitment: Uint8Array): Promise<CommittedBy> {
  const name = openName(context, text)
  if (commitment.length !== COMMITMENT_BYTES) {
    const message = `a commitment has ${COMMITMENT_BYTES} bytes, not ${commitment.length}`
    throw new ServiceError('SVC-REQ-001', `The hash does not fit: ${message}.`, {
      errors: [{ path: 'commitment/hash', message }]
    })
  }
  const nonce = await stampFor(context, commitment)
  const { receipts, of } = await context.network.commit(name, commitment, nonce)
  const stored = requireMajority('the commitment', { storedBy: receipts.length, of, refusals: [] })
  // It may have been sent before: any s that a pulse may still follow is early enough.
  const { pulse_window, min_commit, receipt_slack } = context.profile
  const { now } = context.time()
  const oldest = Math.max(0, now - pulse_window + min_commit + 2 * receipt_slack)
  const { round } = claimRound(
    receipts.map(({ seenRound }) => seenRound),
    of,
    { sentRound: oldest, now },
    context.profile
  )
  return { ...stored, pulse_round: round ?? null }
}

/**
 * Publishes a finished Reveal: a registration, a renewal or new data. SVC-NAM-*, SVC-PUB-001, SVC-REG-001, SVC-RES-001,
 * SVC-PUB-002.
 */
export async function publish(context: RegistryContext, reveal: Reveal): Promise<StoredBy> {
  const name = exactName(context, reveal.name, 'reveal/name')
  await requireValid(context, reveal)
  const claim = claimOf(reveal, name, context.profile)
  requireSerialOfToday(context, claim)
  requireOneClaim(context, claim)
  if (knownOrders(context, claim).some((known) => isRollback(known, claim))) throw supersededRecord(name)
  // Before it is sent: while the seed is locked, whether it makes a new name ours is unknown.
  const isOwn = context.owned.get(name) === undefined ? isOwnClaim(context, claim) : isKnownAsOwn(context, claim)
  const outcome = await context.network.putReveal(reveal)
  if (isSuperseded(outcome)) throw supersededRecord(name)
  try {
    const stored = requireMajority(name, outcome)
    context.memory.see(claim)
    if (isOwn) context.owned.save(reveal, { published: true })
    return stored
  } catch (error) {
    // It is sent again until enough peers have it, so the name may become ours without another call.
    if (isOwn && error instanceof ServiceError && error.code === 'SVC-PUB-002')
      context.owned.save(reveal, { published: false })
    throw error
  }
}

/** Peers refuse it, and as our own record it would leave no higher serial for later ones. Throws SVC-PUB-001. */
function requireSerialOfToday(context: RegistryContext, { serial }: Claim): void {
  const highest = highestSerial(context.time(), context.profile)
  if (serial <= highest) return
  const detail =
    `Rule "serial": ${serial} is ahead of time, and peers refuse it. ${highest} is the highest now: the time in ` +
    'microseconds since 1970. Sign the record again with a lower serial.'
  throw new ServiceError('SVC-PUB-001', detail, { extensions: { rule: 'serial' } })
}

/**
 * Peers that hold the first claim of our name refuse a second one, and it must not replace the first here. Throws
 * SVC-REG-001.
 */
function requireOneClaim(context: RegistryContext, { name, id, pubkey }: Claim): void {
  const record = context.owned.get(name)
  if (record === undefined || isGone(record) || !equalBytes(record.reveal.pubkey, pubkey)) return
  if (leaseOf(context, record.reveal.drand_pulse).state === 'dead') return
  const held = claimOf(record.reveal, name, context.profile)
  if (equalBytes(held.id, id)) return
  const detail =
    `This daemon owns ${name} by its claim of round ${held.firstRound}, and peers refuse a second ` +
    `one until that has lapsed. Extend it with a renewal (chronym renew ${name}).`
  throw new ServiceError('SVC-REG-001', detail, { extensions: { owned: true } })
}

/** The newest records of that key that were seen here, and signed here. */
function knownOrders({ memory, owned, profile }: RegistryContext, { name, id, pubkey }: Claim): RecordOrder[] {
  const seen = memory.newest(name, id)
  const own = owned.get(name)?.reveal
  const signed = own === undefined || !equalBytes(own.pubkey, pubkey) ? undefined : claimOf(own, name, profile)
  return [seen, signed].filter((order) => order !== undefined)
}
