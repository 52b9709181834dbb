import { ServiceError } from '../../errors.ts'
import { canonicalName, type Name } from '../../protocol/name/names.ts'
import {
  parsePartOfZone,
  parseZone,
  parseZonePayload,
  publishes,
  ZoneError,
  type PublishedZone,
  type Zone,
  type ZoneProblem,
  type ZoneRecord
} from '../../protocol/zone/zone.ts'
import { highestSerial } from '../../protocol/claim/claim.ts'
import type { StoreOperation } from '../../store/types.ts'
import type { ClaimTasks } from '../tasks.ts'
import { nextSerial } from '../publication/publishing.ts'
import { openCodedName, openName, type RegistryContext, leaseOf } from '../context.ts'
import type { LocalZone } from '../stored/local-zones.ts'
import { isGone, type OwnedName, type Sold, soldText } from '../stored/owned-names.ts'
import { translatedSync } from '../../service-errors.ts'
import type { ResolvedName, ZoneView, ZonePatch, ZoneSelector } from '../use-cases.ts'
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
    if (record === undefined || isGone(record) || leaseOf(context, record.reveal.drand_pulse).state === 'dead')
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
  tasks: ClaimTasks,
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

export function requireOwned(context: RegistryContext, name: Name): OwnedName {
  const record = context.owned.get(name)
  if (record === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
  if (record.sold !== undefined) throw soldName(name, record.sold)
  if (record.ownership === 'changed')
    throw new ServiceError('SVC-OWN-001', `The keys of ${name} were changed: this daemon does not have them.`)
  return record
}

export function soldName(name: Name, sold: Sold): ServiceError {
  return new ServiceError('SVC-OWN-002', `${name} is sold. ${soldText(sold)}.`)
}

/** A zone for another's name would wait here unseen, and nobody would publish it. Throws SVC-OWN-001, SVC-OWN-002. */
function requireZoneOwner(context: RegistryContext, tasks: ClaimTasks, name: Name): void {
  if (zoneOwner(context, tasks, name) !== 'unowned') return
  const sold = context.owned.get(name)?.sold
  if (sold !== undefined) throw soldName(name, sold)
  throw new ServiceError(
    'SVC-OWN-001',
    `This daemon does not own ${name}, and is not registering it: a zone for it could not be ` +
      `published. \`chronym register ${name} --zone FILE\` registers it with one.`
  )
}

export function zoneOwner(context: RegistryContext, tasks: ClaimTasks, name: Name): ZoneDraft['owner'] {
  const record = context.owned.get(name)
  if (record !== undefined && !isGone(record)) return 'owned'
  return tasks.running(name) !== undefined ? 'registering' : 'unowned'
}

/** Throws SVC-ZON-004. */
export function requireUnchanged(context: RegistryContext, name: Name, ifMatchSerial: number | undefined): void {
  const present = draftOf(context, name)?.serial ?? context.owned.get(name)?.serial
  if (ifMatchSerial === undefined || ifMatchSerial === present) return
  const now = present === undefined ? 'there is none now' : `it is ${present} now`
  throw new ServiceError('SVC-ZON-004', `The zone of ${name} does not have serial ${ifMatchSerial}: ${now}.`)
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
  const next = Math.max(nextSerial(context, name), context.zones.discardedSerial(name) + 1)
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

/** By name, including drafts of names that are not ours: they can be discarded. SVC-STO-001. */
export function listDrafts(context: RegistryContext, tasks: ClaimTasks): ZoneDraft[] {
  return translatedSync(() =>
    context.zones
      .names()
      .sort()
      .flatMap((text) => {
        const name = text as Name
        const draft = draftOf(context, name)
        if (draft === undefined) return []
        const records = Object.values(draft.records).reduce((count, list) => count + list.length, 0)
        return [
          {
            name,
            serial: draft.serial,
            published_serial: context.owned.get(name)?.serial ?? null,
            records,
            owner: zoneOwner(context, tasks, name)
          }
        ]
      })
  )
}

/**
 * Forgets the draft of a name, of any owner; what is published stays. SVC-NAM-001/002, SVC-ZON-003, SVC-ZON-004,
 * SVC-STO-001.
 */
export function discardZone(context: RegistryContext, text: string, ifMatchSerial?: number): void {
  translatedSync(() => {
    const name = openName(context, text)
    if (draftOf(context, name) === undefined) throw new ServiceError('SVC-ZON-003', `There is no draft for ${name}.`)
    requireUnchanged(context, name, ifMatchSerial)
    context.zones.discard(name)
  })
}

/**
 * Saves the draft, else the published zone, with a change. SVC-NAM-001/002, SVC-OWN-001, SVC-ZON-002, SVC-ZON-004,
 * SVC-STO-001.
 */
export function patchZone(
  context: RegistryContext,
  tasks: ClaimTasks,
  text: string,
  patch: ZonePatch,
  ifMatchSerial?: number
): { serial: number } {
  return translatedSync(() => {
    const name = openName(context, text)
    requireZoneOwner(context, tasks, name)
    requireUnchanged(context, name, ifMatchSerial)
    const { records } = parsePartOfZone({ records: patch.add }, context.profile)
    const left = without(recordsOf(context, name), patch.remove)
    // Judged as a whole: next to a CNAME no other record is valid, and DS needs an NS that may be there already.
    return { serial: store(context, name, parseZone({ records: withRecords(left, records) }, context.profile)).serial }
  })
}

function recordsOf(context: RegistryContext, name: Name): Zone['records'] {
  const record = context.owned.get(name)
  const published = record === undefined || isGone(record) ? undefined : ownZone(context, record)
  return (draftOf(context, name) ?? published)?.records ?? {}
}

/** Throws ZoneError for each selector that finds nothing: it was written for another zone, or wrong. */
function without(records: Zone['records'], selectors: readonly ZoneSelector[]): Zone['records'] {
  const left = copyOf(records)
  const problems: ZoneProblem[] = []
  selectors.forEach(({ label, type, value }, index) => {
    const list = Object.hasOwn(records, label) ? records[label]! : []
    const isMeant = (record: ZoneRecord): boolean =>
      (type === undefined || record.type === type.toUpperCase()) && (value === undefined || record.value === value)
    if (!list.some(isMeant))
      problems.push({
        path: `remove/${index}`,
        message: `the zone has no such record: ${[label, type, value].filter((part) => part !== undefined).join(' ')}`
      })
    left[label] = (left[label] ?? []).filter((record) => !isMeant(record))
  })
  if (problems.length > 0) throw new ZoneError('zone', problems)
  return left
}

/** A record that is there keeps its place and takes the new ttl. */
function withRecords(records: Zone['records'], added: Zone['records']): Zone['records'] {
  const all = copyOf(records)
  for (const [label, list] of Object.entries(added)) {
    for (const record of list) {
      const held = (all[label] ??= [])
      const index = held.findIndex(({ type, value }) => type === record.type && value === record.value)
      if (index === -1) held.push(record)
      else held[index] = record
    }
  }
  return all
}

/** Without a prototype: a label may be called "constructor". */
function copyOf(records: Zone['records']): Zone['records'] {
  return Object.assign(
    Object.create(null) as Zone['records'],
    Object.fromEntries(Object.entries(records).map(([label, list]) => [label, [...list]]))
  )
}
