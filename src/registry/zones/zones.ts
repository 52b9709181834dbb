import { ServiceError } from '../../errors.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { canonicalName, type Name } from '../../protocol/name/names.ts'
import {
  parseZone,
  parseZonePayload,
  payloadSerial,
  publishes,
  serializeZone,
  ZoneError,
  type PublishedZone,
  type Zone
} from '../../protocol/zone/zone.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { highestSerial } from '../../protocol/claim/serial.ts'
import type { StoreOperation } from '../../store/types.ts'
import type { TaskManager } from '../tasks.ts'
import { nextSerial, revealWithPayload } from '../publication/assemble.ts'
import { openCodedName, openName, type RegistryContext } from '../context.ts'
import { leaseOf, roundTime } from '../lease-times.ts'
import { listFor } from '../publication/name-list.ts'
import type { LocalZone } from '../stored/local-zones.ts'
import { refuseBesideOther } from './look-before-publish.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import { takeUpNewer } from '../ownership/newer-records.ts'
import { requireMajority, supersededRecord } from '../publication/publishing.ts'
import type { PublishBudgets } from '../publication/publish-budget.ts'
import { translatedSync } from '../../service-errors.ts'
import { survey } from '../resolution/survey.ts'
import type { ResolvedName, ZoneView } from '../types.ts'
import type { StoredBy } from '../../views/common.ts'
import type { ZoneDraft } from '../../views/own.ts'

/** The zone of a resolved name. Throws SVC-ZON-001 when its payload is none. */
export function zoneOf(context: RegistryContext, { reveal, source }: ResolvedName): ZoneView {
  try {
    return { zone: parseZonePayload(reveal.payload, context.profile), source, state: 'published' }
  } catch (error) {
    throw new ServiceError(
      'SVC-ZON-001',
      `The payload of ${reveal.name} is not a zone: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error }
    )
  }
}

/** The draft of a name; else the zone that this daemon published, while the name's lease or grace runs. */
export function localZone(context: RegistryContext, text: string): ZoneView | undefined {
  return translatedSync(() => {
    const { name } = openCodedName(context, text)
    // Who gives a code asks for what the network holds.
    if (canonicalName(text) !== name) return undefined
    const draft = draftOf(context, name)
    if (draft !== undefined) return { zone: draft, source: 'local', state: 'draft' }
    const record = context.owned.get(name)
    if (
      record === undefined ||
      record.standing === 'lost' ||
      leaseOf(context, record.reveal.drand_pulse).state === 'dead'
    )
      return undefined
    const zone = ownZone(context, record)
    return zone === undefined ? undefined : { zone, source: 'local', state: 'published' }
  })
}

export function draftOf(context: RegistryContext, name: Name): LocalZone | undefined {
  const local = context.zones.get(name)
  const record = context.owned.get(name)
  if (local === undefined || record === undefined) return local
  if (local.serial <= record.publishedSerial) return undefined
  // Signed and sent, though too few peers may hold it yet.
  return publishes(record.reveal.payload, local, context.profile) ? undefined : local
}

/** The zone of our newest record; undefined where its payload, signed elsewhere with our key, is none. */
export function ownZone(context: RegistryContext, { reveal }: OwnedName): PublishedZone | undefined {
  try {
    return parseZonePayload(reveal.payload, context.profile)
  } catch (error) {
    if (error instanceof ZoneError) return undefined
    throw error
  }
}

/** Saves a zone here. SVC-NAM-001/002, SVC-OWN-001, SVC-ZON-002, SVC-ZON-004, SVC-STO-001. */
export function saveZone(
  context: RegistryContext,
  tasks: TaskManager,
  text: string,
  input: unknown,
  ifMatchSerial?: number
): { serial: number } {
  return translatedSync(() => {
    const name = openName(context, text)
    const zone = parseZone(input, context.profile)
    requireZoneOwner(context, tasks, name)
    requireUnchanged(context, name, ifMatchSerial)
    return { serial: store(context, name, zone).serial }
  })
}

/** What {@link saveZone} would refuse of a zone, by the rules alone: saves nothing. SVC-NAM-001/002, SVC-ZON-002. */
export function checkZone(context: RegistryContext, text: string, input: unknown): void {
  translatedSync(() => {
    openName(context, text)
    parseZone(input, context.profile)
  })
}

/**
 * As {@link saveZone}, for a zone that the task about to start carries: the write, for one step with the task.
 * `withReveal`: the task is a renewal.
 */
export function savingZone(
  context: RegistryContext,
  name: Name,
  input: unknown,
  options?: { withReveal: boolean }
): StoreOperation {
  return translatedSync(() =>
    context.zones.saving(name, numbered(context, name, parseZone(input, context.profile)), options)
  )
}

/**
 * Signs the local zone and publishes it. `signal` ends the look before it; what is saved as signed is also sent.
 * SVC-OWN-001, SVC-ZON-003, SVC-RES-003; SVC-PUB-001 where a newer one was published elsewhere (a second attempt goes
 * above it); SVC-PUB-002; SVC-REQ-005 where the name changes too often.
 */
export async function publishZone(
  context: RegistryContext,
  tasks: TaskManager,
  budgets: PublishBudgets,
  text: string,
  signal?: AbortSignal
): Promise<{ serial: number } & StoredBy> {
  const name = openName(context, text)
  const record = requireOwned(context, name)
  // Without a zone of its own the name still has its list to publish.
  const local = context.zones.get(name) ?? (context.listIn() === name ? ownZone(context, record) : undefined)
  if (local === undefined) throw new ServiceError('SVC-ZON-003', `There is no local zone for ${name}.`)
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
export async function publishRecord(
  context: RegistryContext,
  tasks: TaskManager,
  budgets: PublishBudgets,
  record: OwnedName,
  reveal: Reveal,
  signal?: AbortSignal
): Promise<StoredBy> {
  const { name } = record
  const serial = payloadSerial(reveal.payload, context.profile)
  if (serial > record.publishedSerial) await refuseBesideOther(context, tasks, name, reveal, signal)
  signal?.throwIfAborted()
  // The same record again is a repetition, no change.
  if (Buffer.compare(reveal.payload, record.reveal.payload) !== 0) budgets.spend(name)
  // Stored before it is sent: two payloads of one serial would be an equivocation.
  context.owned.save(reveal, { published: false })
  const outcome = await context.network.putReveal(reveal)
  // Peers that hold a newer one count as having it, but what they show is not this zone.
  if (outcome.refusals.some(({ code }) => code === 'stale') && takeUpNewer(context, tasks, await survey(context, name)))
    throw supersededRecord(name)
  // A look may have taken up another daemon's record since: then peers hold that one.
  const standing = context.owned.get(name)
  if ((standing?.foreign?.serial ?? 0) >= serial && !equalBytes(standing!.reveal.payload, reveal.payload))
    throw supersededRecord(name)
  const stored = requireMajority(`the zone of ${name}`, outcome)
  context.owned.setPublished(name, serial)
  return stored
}

export function requireOwned(context: RegistryContext, name: Name): OwnedName {
  const record = context.owned.get(name)
  if (record === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
  return record
}

/** A zone for another's name would wait here unseen, and nobody would publish it. Throws SVC-OWN-001. */
export function requireZoneOwner(context: RegistryContext, tasks: TaskManager, name: Name): void {
  if (zoneOwner(context, tasks, name) !== 'unowned') return
  throw new ServiceError(
    'SVC-OWN-001',
    `This daemon does not own ${name}, and is not registering it: a zone for it could not be ` +
      `published. \`chronym register ${name} --zone FILE\` registers it with one.`
  )
}

export function zoneOwner(context: RegistryContext, tasks: TaskManager, name: Name): ZoneDraft['owner'] {
  const record = context.owned.get(name)
  if (record !== undefined && record.standing !== 'lost') return 'owned'
  return tasks.list().some((task) => task.name === name && task.status === 'running') ? 'registering' : 'unowned'
}

/** Throws SVC-ZON-004. */
export function requireUnchanged(context: RegistryContext, name: Name, ifMatchSerial: number | undefined): void {
  const standing = draftOf(context, name)?.serial ?? context.owned.get(name)?.serial
  if (ifMatchSerial === undefined || ifMatchSerial === standing) return
  const now = standing === undefined ? 'there is none now' : `it is ${standing} now`
  throw new ServiceError('SVC-ZON-004', `The zone of ${name} does not have serial ${ifMatchSerial}: ${now}.`)
}

function zoneToSend(
  context: RegistryContext,
  name: Name,
  local: LocalZone,
  record: OwnedName
): { serial: number; reveal: Reveal } {
  // Published here once, and replaced since by a record signed elsewhere: it is no draft, and must not come back.
  if (local.serial < record.serial && draftOf(context, name) === undefined) return record
  const list = listFor(context, name, local, record.reveal.payload)
  const payloadAt = (serial: number): Uint8Array => serializeZone(local, serial, context.profile, list)
  // The current record itself may be sent again; anything else needs a serial above all seen.
  const isNext =
    local.serial >= nextSerial(context, name) - 1 &&
    (local.serial > record.serial || equalBytes(payloadAt(local.serial), record.reveal.payload))
  const { serial } = isNext ? local : store(context, name, { records: local.records })
  return { serial, reveal: revealWithPayload(context, record.reveal, payloadAt(serial)) }
}

/**
 * Throws ZoneError unless the zone's serial is above all seen. Otherwise others hold a newer zone, or another one of
 * that serial.
 */
export function store(context: RegistryContext, name: Name, given: Zone): LocalZone {
  const zone = numbered(context, name, given)
  context.zones.save(name, zone)
  return zone
}

function numbered(context: RegistryContext, name: Name, { serial, records }: Zone): LocalZone {
  const next = nextSerial(context, name)
  if (serial !== undefined && serial < next) {
    const message =
      `${serial} is not above ${next - 1}, the highest serial seen of ` +
      `${name}: leave it out, or give ${next} or more`
    throw new ZoneError('zone', [{ path: 'serial', message }])
  }
  const chosen = serial ?? next
  const highest = highestSerial(context.time(), context.profile)
  if (chosen > highest) {
    const cure =
      next > highest
        ? `${next - 1} is the highest serial seen of ${name}, and a higher one is allowed ` +
          `${Math.ceil((next - highest) / 1_000_000)} s after the newest pulse known here: save it again then`
        : `leave it out, or give one from ${next} to ${highest}`
    const message = `${chosen} is ahead of time, ${highest} microseconds since 1970, and peers refuse it: ${cure}`
    throw new ZoneError('zone', [{ path: 'serial', message }])
  }
  return { serial: chosen, records }
}
