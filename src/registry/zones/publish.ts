/** Publishing a zone, with the look before it: else two daemons with one seed would sign two zones with one serial. */
import { ServiceError } from '../../errors.ts'
import { OfflineError } from '../../network/types.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import type { ClaimTasks } from '../tasks.ts'
import {
  nextSerial,
  supersededRecord,
  PublishBudgets,
  requireMajority,
  revealWithPayload
} from '../publication/publishing.ts'
import { type RegistryContext, leaseOf, openName, roundTime } from '../context.ts'
import { takeUpNewer } from '../ownership/newer-records.ts'
import { survey, type Survey } from '../resolution/survey.ts'
import type { LocalZone } from '../stored/local-zones.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import type { StoredBy } from '../../views/common.ts'
import { draftOf, ownZone, requireOwned, store, zoneOwner } from './zones.ts'
import { payloadSerial, serializeZone } from '../../protocol/zone/zone.ts'

const EMPTY = new Uint8Array()

/**
 * Throws SVC-PUB-001 where the network holds a record of our key that this daemon did not make. The record is newer
 * than ours, or has the serial of `reveal`. The draft then gets a higher serial, so that a second attempt succeeds.
 * Silent where nobody answers: sending will tell. A record published within the same second or two shows only when it
 * is read back. Throws StoreError.
 */
async function refuseBesideOther(
  context: RegistryContext,
  tasks: ClaimTasks,
  name: Name,
  reveal: Reveal,
  signal?: AbortSignal
): Promise<void> {
  const before = context.owned.get(name)
  let found: Survey
  try {
    found = await survey(context, name, signal)
  } catch (error) {
    if (error instanceof OfflineError) return
    throw error
  }
  if (takeUpNewer(context, tasks, found)) throw publishedElsewhere(name, context.owned.get(name)!.serial)
  // Another publication from here, or a look, was quicker: what was made before it would be older.
  const now = context.owned.get(name)
  const isAsBefore =
    now !== undefined && before !== undefined && equalBytes(now.reveal.signature, before.reveal.signature)
  if (!isAsBefore && !equalBytes(now?.reveal.payload ?? EMPTY, reveal.payload)) throw supersededRecord(name)
  const serial = serialOfOther(context, found, reveal)
  if (serial === undefined) return
  const draft = context.zones.get(name)
  if (draft !== undefined && draft.serial <= serial)
    context.zones.save(name, { serial: nextSerial(context, name), records: draft.records })
  context.owned.noteForeign(name, serial, context.clock.now())
  context.log.warn(
    { name, serial },
    'another daemon has the same seed: the network holds another zone, signed by ' +
      'the key of this name, with the serial about to be published'
  )
  throw publishedElsewhere(name, serial)
}

/** The serial of `reveal` where an answer has other bytes with it. */
function serialOfOther({ profile }: RegistryContext, { name, answers }: Survey, reveal: Reveal): number | undefined {
  const ours = claimOf(reveal, name, profile)
  const isOther = answers.some(
    ({ claim }) =>
      claim !== undefined &&
      equalBytes(claim.id, ours.id) &&
      claim.newestRound === ours.newestRound &&
      claim.serial === ours.serial &&
      !equalBytes(claim.payloadHash, ours.payloadHash)
  )
  return isOther ? ours.serial : undefined
}

function publishedElsewhere(name: Name, serial: number): ServiceError {
  const detail =
    `Rule "stale": a zone of ${name} with serial ${serial} is published already, signed by the same key, ` +
    'and not by this daemon. Another daemon has this seed, or this one was restored. A draft with a ' +
    `higher serial is kept. Stop the other daemon, look at \`chronym zone diff ${name}\`, and publish ` +
    'again.'
  return new ServiceError('SVC-PUB-001', detail, { extensions: { rule: 'stale' } })
}

/**
 * Signs the local zone and publishes it. `signal` ends the look before it; what is saved as signed is also sent.
 * SVC-OWN-001, SVC-ZON-003, SVC-RES-003; SVC-PUB-001 where a newer one was published elsewhere (a second attempt goes
 * above it); SVC-PUB-002; SVC-REQ-005 where the name changes too often.
 */
export async function publishZone(
  context: RegistryContext,
  tasks: ClaimTasks,
  budgets: PublishBudgets,
  text: string,
  signal?: AbortSignal
): Promise<{ serial: number } & StoredBy> {
  const name = openName(context, text)
  if (zoneOwner(context, tasks, name) === 'registering')
    throw new ServiceError('SVC-OWN-001', `${name} is still being registered: its reveal publishes the draft.`)
  const record = requireOwned(context, name)
  const local = context.zones.get(name) ?? ownZone(context, record)
  if (local === undefined)
    throw new ServiceError(
      'SVC-ZON-003',
      `There is no zone for ${name}: its record, which another program signed, has none. Save one first.`
    )
  context.seed.require()
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead')
    throw new ServiceError(
      'SVC-RES-003',
      `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}.`
    )

  const { serial, reveal } = zoneToSend(context, name, local, record)
  const stored = await publishRecord(context, tasks, budgets, record, reveal, signal)
  context.zones.holdBack(name)
  return { serial, ...stored }
}

/**
 * Sends a record with a new payload, or `record` itself again. `signal` ends the look before it. Errors as
 * {@link publishZone}, from SVC-PUB-001 on.
 */
async function publishRecord(
  context: RegistryContext,
  tasks: ClaimTasks,
  budgets: PublishBudgets,
  record: OwnedName,
  reveal: Reveal,
  signal?: AbortSignal
): Promise<StoredBy> {
  const { name } = record
  const serial = payloadSerial(reveal.payload, context.profile)
  const first = async (): Promise<void> => {
    if (serial > record.publishedSerial) await refuseBesideOther(context, tasks, name, reveal, signal)
    signal?.throwIfAborted()
    // The same record again is a repetition, no change.
    if (Buffer.compare(reveal.payload, record.reveal.payload) !== 0) budgets.spend(name)
    // Stored before it is sent: two payloads of one serial would be an equivocation.
    context.owned.save(reveal, { published: false })
  }
  const outcome = await context.network.putReveal(reveal, { first })
  // Peers that hold a newer one count as having it, but what they show is not this zone.
  if (outcome.refusals.some(({ code }) => code === 'stale') && takeUpNewer(context, tasks, await survey(context, name)))
    throw supersededRecord(name)
  // A look may have taken up another daemon's record since: then peers hold that one.
  const own = context.owned.get(name)
  if ((own?.foreign?.serial ?? 0) >= serial && !equalBytes(own!.reveal.payload, reveal.payload))
    throw supersededRecord(name)
  const stored = requireMajority(`the zone of ${name}`, outcome)
  context.owned.setPublished(name, serial)
  return stored
}

function zoneToSend(
  context: RegistryContext,
  name: Name,
  local: LocalZone,
  record: OwnedName
): { serial: number; reveal: Reveal } {
  // Published here once, and replaced since by a record signed elsewhere: it is not a draft, and must not come back.
  if (local.serial < record.serial && draftOf(context, name) === undefined) return record
  const payloadAt = (serial: number): Uint8Array => serializeZone(local, serial, context.profile)
  // The current record itself may be sent again; anything else needs a serial above all seen.
  const isNext =
    local.serial >= nextSerial(context, name) - 1 &&
    (local.serial > record.serial || equalBytes(payloadAt(local.serial), record.reveal.payload))
  const { serial } = isNext ? local : store(context, name, { records: local.records })
  return { serial, reveal: revealWithPayload(context, record.reveal, payloadAt(serial)) }
}
