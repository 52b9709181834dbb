/** The zone of a name: its payload's meaning and rules. */
import { equalBytes, fromBase64 } from '../encoding/bytes.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../encoding/jcs.ts'
import { messageOf, ProtocolError } from '../errors.ts'
import { MAX_LABEL_OCTETS } from '../name/names.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { MAX_NAME_CHARACTERS } from './domain-name.ts'
import { type RecordType, parseRecordData, RECORD_TYPES } from './record-data.ts'

export { absoluteTarget } from './domain-name.ts'
export { parseRecordData, RECORD_TYPES } from './record-data.ts'
export type { RecordData, RecordType } from './record-data.ts'
export type { ServiceBinding, ServiceParameter } from './svcb.ts'

export interface ZoneRecord {
  type: RecordType
  /** DNS presentation format; a DID for KID. */
  value: string
  /** Seconds, MIN_TTL..MAX_TTL; DEFAULT_TTL if absent. */
  ttl?: number
}

export interface Zone {
  serial?: number
  /** By relative label: `@`, `www`, `_sip._tcp`, `*`. Has no prototype, so that no label finds anything but records. */
  records: Record<string, ZoneRecord[]>
}

export interface PublishedZone extends Zone {
  serial: number
}

export interface ZoneProblem {
  label?: string
  index?: number
  /** `records/www/0/value` */
  path: string
  message: string
}

/** docs/protocol/wire.md, 14. */
export const MIN_TTL = 30
export const MAX_TTL = 86_400
export const DEFAULT_TTL = 300

/** Problems listed before the rest is omitted. */
const MAX_PROBLEMS = 20

const LABEL_PART = /^_?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** A zone that breaks a rule (`zone`), or a payload that is not a zone (`payload`). */
export class ZoneError extends ProtocolError {
  override readonly name = 'ZoneError'
  readonly problems: readonly ZoneProblem[]

  constructor(rule: 'zone' | 'payload', problems: readonly ZoneProblem[], options?: ErrorOptions) {
    super(
      rule,
      problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '),
      options,
      'zone'
    )
    this.problems = problems
  }
}

/**
 * Reads a zone from parsed JSON. Drops unknown members and empty labels; types may be lower-case.
 * Throws ZoneError with every problem, each naming its label and record.
 */
export function parseZone(input: unknown, profile: NetworkProfile): Zone {
  return readZone(input, profile, { isPart: false })
}

/** As {@link parseZone}, for records that join others: the rules between records wait for the whole zone. */
export function parsePartOfZone(input: unknown, profile: NetworkProfile): Zone {
  return readZone(input, profile, { isPart: true })
}

function readZone(input: unknown, profile: NetworkProfile, { isPart }: { readonly isPart: boolean }): Zone {
  const problems: ZoneProblem[] = []
  const report = (path: string, message: string, place: Pick<ZoneProblem, 'label' | 'index'> = {}): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ ...place, path, message })
  }
  const zone: Zone = { records: Object.create(null) as Record<string, ZoneRecord[]> }
  if (!isObject(input) || !isObject(input['records']))
    throw new ZoneError('zone', [{ path: 'records', message: 'an object of labels is expected' }])

  const serial = input['serial']
  if (serial !== undefined) {
    if (isSerial(serial)) zone.serial = serial
    else report('serial', 'an integer from 0 to 2^53-1 is expected')
  }
  let count = 0
  for (const [label, list] of Object.entries(input['records'])) {
    const path = `records/${label}`
    const labelProblem = problemOfLabel(label, profile)
    if (labelProblem !== undefined) report(path, labelProblem, { label })
    else if (!Array.isArray(list)) report(path, 'an array of records is expected', { label })
    else {
      count += list.length
      if (count > profile.limits.zone_records) break
      const records = parseRecords(label, list, profile, report)
      const together = isPart ? undefined : problemOfTogether(label, records)
      if (together !== undefined) report(path, together, { label })
      if (records.length > 0) zone.records[label] = records
    }
  }
  if (count > profile.limits.zone_records)
    report('records', `a zone has at most ${profile.limits.zone_records} records`)
  if (problems.length > 0) throw new ZoneError('zone', problems)
  if (sizeOf(zone) > profile.limits.payload_bytes) throw tooLarge(sizeOf(zone), profile)
  return zone
}

/** The payload of a Reveal: RFC 8785 JSON {records, serial}. Throws ZoneError when it is too large. */
export function serializeZone(zone: Zone, serial: number, profile: NetworkProfile): Uint8Array {
  if (!isSerial(serial)) throw new RangeError('a serial is an integer from 0 to 2^53-1')
  if (sizeOf(zone) > profile.limits.payload_bytes) throw tooLarge(sizeOf(zone), profile)
  return canonicalJsonBytes({ records: zone.records, serial })
}

/**
 * Reads the payload of a Reveal. Throws ZoneError, with rule `payload` when it is not the canonical JSON of an object
 * with a serial.
 */
export function parseZonePayload(payload: Uint8Array, profile: NetworkProfile): PublishedZone {
  let value: unknown
  try {
    value = parseCanonicalJson(payload, { maxBytes: profile.limits.payload_bytes })
  } catch (error) {
    throw new ZoneError('payload', [{ path: '', message: messageOf(error) }], { cause: error })
  }
  const serial = isObject(value) ? value['serial'] : undefined
  if (!isSerial(serial))
    throw new ZoneError('payload', [{ path: 'serial', message: 'an integer from 0 to 2^53-1 is expected' }])
  return { ...parseZone(value, profile), serial }
}

/**
 * The serial that orders payloads; 0 for anything but the canonical JSON of an object with one.
 * Reads nothing else: rules for records may grow from version to version, the order of records may not.
 */
export function payloadSerial(payload: Uint8Array, profile: NetworkProfile): number {
  const { serial } = readMembers(payload, profile)
  return isSerial(serial) ? serial : 0
}

/** What a payload carries for its owner alone; undefined where that is nothing, or no base64. */
export function sealedPart(payload: Uint8Array, profile: NetworkProfile): Uint8Array | undefined {
  const { sealed } = readMembers(payload, profile)
  try {
    return typeof sealed === 'string' ? fromBase64(sealed) : undefined
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}

/** Whether a payload publishes this zone under its serial, whatever else it carries. */
export function publishes(payload: Uint8Array, zone: PublishedZone, profile: NetworkProfile): boolean {
  const { serial, records } = readMembers(payload, profile)
  if (serial !== zone.serial || records === undefined) return false
  return equalBytes(canonicalJsonBytes({ records }), canonicalJsonBytes({ records: zone.records }))
}

/** The members of a payload; none for anything but the canonical JSON of an object. */
function readMembers(payload: Uint8Array, profile: NetworkProfile): Record<string, unknown> {
  try {
    const value: unknown = parseCanonicalJson(payload, { maxBytes: profile.limits.payload_bytes })
    return isObject(value) ? value : {}
  } catch (error) {
    if (error instanceof ProtocolError) return {}
    throw error
  }
}

type Report = (path: string, message: string, place?: Pick<ZoneProblem, 'label' | 'index'>) => void

function parseRecords(label: string, list: readonly unknown[], profile: NetworkProfile, report: Report): ZoneRecord[] {
  const records: ZoneRecord[] = []
  const seen = new Set<string>()
  list.forEach((input, index) => {
    const place = { label, index }
    const path = `records/${label}/${index}`
    const record = parseRecord(input, profile, (member, message) =>
      report(path + member, `${label}: ${message}`, place)
    )
    if (record === undefined) return
    const key = `${record.type} ${record.value}`
    if (seen.has(key)) report(path, `${label}: the same ${record.type} record appears twice`, place)
    seen.add(key)
    records.push(record)
  })
  return records
}

function parseRecord(
  input: unknown,
  profile: NetworkProfile,
  report: (member: string, message: string) => void
): ZoneRecord | undefined {
  if (!isObject(input)) {
    report('', 'a record is an object {type, value, ttl?}')
    return undefined
  }
  const type = typeof input['type'] === 'string' ? input['type'].toUpperCase() : ''
  const { value, ttl } = input
  if (!isRecordType(type)) report('/type', `a type is one of ${RECORD_TYPES.join(', ')}`)
  else if (typeof value !== 'string') report('/value', `the value of ${type} is a text`)
  else if (value.length > profile.limits.payload_bytes)
    report('/value', `the value of ${type} is longer than a zone may be, ${profile.limits.payload_bytes} bytes`)
  else if (!isTtl(ttl)) report('/ttl', `the ttl of ${type} is an integer from ${MIN_TTL} to ${MAX_TTL} seconds`)
  else {
    try {
      parseRecordData(type, value, profile)
      return ttl === undefined ? { type, value } : { type, value, ttl }
    } catch (error) {
      report('/value', `${type}: ${error instanceof ProtocolError ? error.detail : messageOf(error)}`)
    }
  }
  return undefined
}

/** Rules between the records of one label. */
function problemOfTogether(label: string, records: readonly ZoneRecord[]): string | undefined {
  const types = records.map((record) => record.type)
  if (types.includes('CNAME')) {
    if (label === '@') return 'CNAME may not stand at the apex'
    if (records.length > 1) return `CNAME must be the only record at ${label}`
  }
  if (types.includes('DS') && (label === '@' || !types.includes('NS')))
    return 'DS belongs beside the NS of a delegation below the apex'
  return undefined
}

function problemOfLabel(label: string, profile: NetworkProfile): string | undefined {
  if (label === '@') return undefined
  const room = MAX_NAME_CHARACTERS - (MAX_LABEL_OCTETS + 1 + profile.tld.length) - 1
  if (label.length > room) return `a label has at most ${room} octets in all`
  const parts = label.split('.')
  const named = parts[0] === '*' ? parts.slice(1) : parts
  if (named.some((part) => part.length > MAX_LABEL_OCTETS || !LABEL_PART.test(part))) {
    return (
      'a label is @, or parts of 1 to 63 lower-case letters, digits and inner hyphens, ' +
      'each with an underscore before it or not; the first may be *'
    )
  }
  return undefined
}

/** With the longest serial, so that no later serial makes a zone too large. */
function sizeOf({ records }: Zone): number {
  return canonicalJsonBytes({ records, serial: Number.MAX_SAFE_INTEGER }).length
}

function tooLarge(size: number, { limits }: NetworkProfile): ZoneError {
  const message = `a zone has at most ${limits.payload_bytes} bytes; this one has ${size}`
  return new ZoneError('zone', [{ path: 'records', message }])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSerial(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isTtl(value: unknown): value is number | undefined {
  return value === undefined || (Number.isInteger(value) && Number(value) >= MIN_TTL && Number(value) <= MAX_TTL)
}

function isRecordType(type: string): type is RecordType {
  return (RECORD_TYPES as readonly string[]).includes(type)
}
