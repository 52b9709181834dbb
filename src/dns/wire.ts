/** A zone as uncompressed DNS records, as the addon's server takes them. */
import { concatBytes, toHex, utf8 } from '../protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import {
  absoluteTarget,
  labelsBelow,
  labelsOf,
  MAX_NAME_CHARACTERS,
  nameLength,
  octetsOfLabel
} from '../protocol/zone/domain-name.ts'
import { ipv4Octets, ipv6Octets } from '../protocol/zone/presentation.ts'
import { DEFAULT_TTL, type Zone } from '../protocol/zone/zone.ts'
import { parseRecordData, type RecordData, type RecordType } from '../protocol/zone/record-data.ts'

/** IANA "Resource Record (RR) TYPEs". A KID has no type of its own: it is served as TXT. */
const TYPE_NUMBERS: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  KID: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  SSHFP: 44,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  URI: 256,
  CAA: 257
}
const CLASS_IN = 1

/** Where DNS clients look for the DID of a name. */
const DID_LABEL = '_did'

interface RecordSet {
  /** Absolute, without the closing dot. */
  readonly owner: string
  readonly type: number
  ttl: number
  /** By its hexadecimal. */
  readonly data: Map<string, Uint8Array>
}

/**
 * The records of a name's zone, one after the other: absolute owner, type, class IN, TTL, length, data. A record that
 * DNS would give twice is there once. The records of one owner and type have the lowest of their TTLs, since DNS allows
 * no others (RFC 2181, 5.2).
 * A KID is TXT `did=<DID>` at `_did.<label>`. It is left out where the zone has a CNAME there, beside which nothing may
 * be, and where that name would be too long.
 * `name`: canonical, such as `alice.chronym`. `served`: the name as it was asked for, perhaps with a check code; targets
 * within the zone carry it too, else the code would protect the alias and not what it leads to. Throws ProtocolError or
 * Error for values that `parseZone` refuses.
 */
export function zoneToWire(
  { records }: Zone,
  name: string,
  profile: NetworkProfile,
  served: string = name
): Uint8Array {
  const sets = new Map<string, RecordSet>()
  const add = (owner: string, type: number, ttl: number, data: Uint8Array): void => {
    const key = `${type} ${owner}`
    const set = sets.get(key) ?? { owner, type, ttl, data: new Map<string, Uint8Array>() }
    set.ttl = Math.min(set.ttl, ttl)
    set.data.set(toHex(data), data)
    sets.set(key, set)
  }
  for (const [label, list] of Object.entries(records)) {
    for (const { type, value, ttl = DEFAULT_TTL } of list) {
      const at = type === 'KID' ? didLabel(label) : label
      const owner = ownerOf(at, served)
      if (type === 'KID' && (owner.length > MAX_NAME_CHARACTERS || isAlias(records[at]))) continue
      add(owner, TYPE_NUMBERS[type], ttl, dataOf(parseRecordData(type, value, profile), name, served))
    }
  }
  return concatBytes(...[...sets.values()].flatMap(encodeSet))
}

function ownerOf(label: string, name: string): string {
  return label === '@' ? name : `${label}.${name}`
}

function didLabel(label: string): string {
  return label === '@' ? DID_LABEL : `${DID_LABEL}.${label}`
}

function isAlias(list: Zone['records'][string] | undefined): boolean {
  return list?.some(({ type }) => type === 'CNAME') ?? false
}

function encodeSet({ owner, type, ttl, data }: RecordSet): Uint8Array[] {
  const head = concatBytes(wireName(owner), u16(type), u16(CLASS_IN), u32(ttl))
  return [...data.values()].map((each) => concatBytes(head, u16(each.length), each))
}

/** Names within are absolute and uncompressed (RFC 3597, 4). */
function dataOf(record: RecordData, name: string, served: string): Uint8Array {
  const target = (text: string): Uint8Array => {
    const absolute = absoluteTarget(text, name)
    const below = labelsBelow(absolute, name)
    const coded = below === undefined ? absolute : [...below, served].join('.')
    return wireName(nameLength(coded) > MAX_NAME_CHARACTERS ? absolute : coded)
  }
  switch (record.type) {
    case 'A':
      return ipv4Octets(record.address)
    case 'AAAA':
      return ipv6Octets(record.address)
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return target(record.target)
    case 'TXT':
      return concatBytes(...record.strings.map(characterString))
    case 'MX':
      return concatBytes(u16(record.preference), target(record.exchange))
    case 'SRV':
      return concatBytes(u16(record.priority), u16(record.weight), u16(record.port), target(record.target))
    case 'CAA':
      return concatBytes(Uint8Array.of(record.flags), characterString(record.tag), record.value)
    case 'TLSA':
      return concatBytes(Uint8Array.of(record.usage, record.selector, record.matchingType), record.data)
    case 'SSHFP':
      return concatBytes(Uint8Array.of(record.algorithm, record.fingerprintType), record.fingerprint)
    case 'SVCB':
    case 'HTTPS':
      return concatBytes(
        u16(record.priority),
        target(record.target),
        ...record.params.flatMap(({ key, value }) => [u16(key), u16(value.length), value])
      )
    case 'URI':
      return concatBytes(u16(record.priority), u16(record.weight), record.target)
    case 'DS':
      return concatBytes(u16(record.keyTag), Uint8Array.of(record.algorithm, record.digestType), record.digest)
    case 'KID':
      return characterString(`did=${record.did}`)
  }
}

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff)
}

export function u32(value: number): Uint8Array {
  return concatBytes(u16(value >>> 16), u16(value & 0xffff))
}

/** A name without its closing dot, uncompressed; the empty text is the root. Labels have 1 to 63 octets. */
export function wireName(name: string): Uint8Array {
  const labels = name === '' ? [] : labelsOf(name)
  return concatBytes(...labels.map((label) => characterString(octetsOfLabel(label))), Uint8Array.of(0))
}

/** A length octet and at most 255 octets. */
function characterString(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === 'string' ? utf8(text) : text
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}

const HEADER_BYTES = 12
const TYPE_SOA = 6
const TYPE_OPT = 41
/** NOERROR and NXDOMAIN: other outcomes say nothing of the name. */
const KEPT_RCODES: ReadonlySet<number> = new Set([0, 3])

/**
 * Seconds: the lowest TTL of the answer, or of the SOA of a negative answer. 0 for what may not be kept: failures,
 * truncated messages, and what is not a DNS message.
 */
export function leastTtl(message: Uint8Array): number {
  if (message.length < HEADER_BYTES) return 0
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  const flags = view.getUint16(2)
  const isTruncated = (flags & 0x0200) !== 0
  if (isTruncated || !KEPT_RCODES.has(flags & 0x0f)) return 0
  try {
    const [questions, answers, authorities] = [view.getUint16(4), view.getUint16(6), view.getUint16(8)]
    let at = HEADER_BYTES
    for (let index = 0; index < questions; index++) at = afterName(view, at) + 4
    const ttls: number[] = []
    for (let index = 0; index < answers + authorities; index++) {
      const type = afterName(view, at)
      // The authority of a positive answer, such as a referral, is not what was asked for.
      const counts = index < answers ? view.getUint16(type) !== TYPE_OPT : view.getUint16(type) === TYPE_SOA
      if (counts) ttls.push(view.getUint32(type + 4))
      at = type + 10 + view.getUint16(type + 8)
    }
    return ttls.length === 0 ? 0 : Math.min(...ttls)
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}

/** Throws RangeError beyond the end. */
function afterName(view: DataView, start: number): number {
  let at = start
  for (;;) {
    const length = view.getUint8(at)
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
}
