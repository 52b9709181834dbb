/** Changes some records of a zone, so that no client has to send the others along and lose one. */
import type { Name } from '../../protocol/name/names.ts'
import { parseZone, ZoneError, type Zone, type ZoneProblem, type ZoneRecord } from '../../protocol/zone/zone.ts'
import type { ClaimTasks } from '../tasks.ts'
import { openName, type RegistryContext } from '../context.ts'
import { translatedSync } from '../../service-errors.ts'
import type { ZonePatch, ZoneSelector } from '../use-cases.ts'
import { draftOf, ownZone, requireUnchanged, requireZoneOwner, store } from './zones.ts'

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
    const { records } = parseZone({ records: patch.add }, context.profile)
    const left = without(recordsOf(context, name), patch.remove)
    // Judged as a whole: next to a CNAME no other record is valid.
    return { serial: store(context, name, parseZone({ records: withRecords(left, records) }, context.profile)).serial }
  })
}

function recordsOf(context: RegistryContext, name: Name): Zone['records'] {
  const record = context.owned.get(name)
  const published = record === undefined || record.standing === 'lost' ? undefined : ownZone(context, record)
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
