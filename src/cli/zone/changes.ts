import { DEFAULT_TTL } from '../../protocol/zone/zone.ts'
import { recordText } from '../../util/record-text.ts'
import { formatTable, printable } from '../terminal/format.ts'
import { valueForFile } from '../zone-file/format.ts'
import type { ZoneInput, ZoneRecordInput } from '../zone-file/zone-input.ts'

interface LabelledRecord extends ZoneRecordInput {
  readonly label: string
}

export interface ZoneChanges {
  readonly added: readonly LabelledRecord[]
  readonly removed: readonly LabelledRecord[]
  /** The same record with another TTL; `former` is in seconds. */
  readonly retimed: readonly (LabelledRecord & { readonly former: number })[]
}

export function recordsOf({ records }: ZoneInput): LabelledRecord[] {
  return Object.entries(records).flatMap(([label, list]) => list.map((record) => ({ label, ...record })))
}

/** Two records that say the same have one key, however their values are spelt. */
export function recordKey({ label, type, value }: LabelledRecord): string {
  return `${label} ${type.toUpperCase()} ${valueForFile({ type: type.toUpperCase(), value })}`
}

export function changesBetween(former: ZoneInput, next: ZoneInput): ZoneChanges {
  const before = new Map(recordsOf(former).map((record) => [recordKey(record), record]))
  const after = new Map(recordsOf(next).map((record) => [recordKey(record), record]))
  return {
    added: [...after].filter(([key]) => !before.has(key)).map(([, record]) => record),
    removed: [...before].filter(([key]) => !after.has(key)).map(([, record]) => record),
    retimed: [...after].flatMap(([key, record]) => {
      const held = before.get(key)
      return held === undefined || ttlOf(held) === ttlOf(record) ? [] : [{ ...record, former: ttlOf(held) }]
    })
  }
}

export function isUnchanged({ added, removed, retimed }: ZoneChanges): boolean {
  return added.length + removed.length + retimed.length === 0
}

/** How many lines of `all` are about records that `own` does not name. */
export function countBeyond(own: ZoneChanges, all: ZoneChanges): number {
  const records = ({ added, removed, retimed }: ZoneChanges): LabelledRecord[] => [...added, ...removed, ...retimed]
  const known = new Set(records(own).map(recordKey))
  return records(all).filter((record) => !known.has(recordKey(record))).length
}

/** The zone `next`, with the spelling that `former` has of records which say the same. */
export function inSpellingOf(former: ZoneInput, next: ZoneInput): ZoneInput {
  const before = new Map(recordsOf(former).map(({ label, ...record }) => [recordKey({ label, ...record }), record]))
  const records = Object.create(null) as ZoneInput['records']
  for (const [label, list] of Object.entries(next.records)) {
    records[label] = list.map((record) => {
      const held = before.get(recordKey({ label, ...record }))
      if (held === undefined) return record
      return ttlOf(held) === ttlOf(record) ? held : { ...record, value: held.value }
    })
  }
  return { ...next, records }
}

/** A line for each change: `-` what goes, `+` what comes, `~` another TTL. */
export function formatChanges({ added, removed, retimed }: ZoneChanges): string {
  const row = (mark: string, record: LabelledRecord, ttl: string): string[] => [
    mark,
    printable(record.label),
    ttl,
    record.type,
    printable(recordText(record.type, record.value))
  ]
  const own = (record: LabelledRecord): string => (record.ttl === undefined ? '' : String(record.ttl))
  return formatTable([
    ...removed.map((record) => row('-', record, own(record))),
    ...added.map((record) => row('+', record, own(record))),
    ...retimed.map((record) => row('~', record, `${record.former} > ${ttlOf(record)}`))
  ])
}

function ttlOf({ ttl }: ZoneRecordInput): number {
  return ttl ?? DEFAULT_TTL
}
