import { type Did, parseDid } from '../identity/did.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { type ServiceBinding, parseSvcb } from './svcb.ts'
import { isIPv4, isIPv6, namedWords, decimal, MAX_CHARACTER_STRING, textOf, wordsOf, hexWords } from './presentation.ts'
import { domainName } from './domain-name.ts'
import { utf8 } from '../encoding/bytes.ts'

export const RECORD_TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'TXT',
  'MX',
  'SRV',
  'NS',
  'CAA',
  'TLSA',
  'SSHFP',
  'SVCB',
  'HTTPS',
  'URI',
  'PTR',
  'DS',
  'KID'
] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** A parsed value. Targets are as written: `absoluteTarget` makes them absolute. */
export type RecordData =
  | { type: 'A' | 'AAAA'; address: string }
  | { type: 'CNAME' | 'NS' | 'PTR'; target: string }
  | { type: 'TXT'; strings: Uint8Array[] }
  | { type: 'MX'; preference: number; exchange: string }
  | { type: 'SRV'; priority: number; weight: number; port: number; target: string }
  | { type: 'CAA'; flags: number; tag: string; value: Uint8Array }
  | { type: 'TLSA'; usage: number; selector: number; matchingType: number; data: Uint8Array }
  | { type: 'SSHFP'; algorithm: number; fingerprintType: number; fingerprint: Uint8Array }
  | ({ type: 'SVCB' | 'HTTPS' } & ServiceBinding)
  | { type: 'URI'; priority: number; weight: number; target: Uint8Array }
  | { type: 'DS'; keyTag: number; algorithm: number; digestType: number; digest: Uint8Array }
  | { type: 'KID'; did: Did }

export function parseRecordData(type: RecordType, value: string, profile: NetworkProfile): RecordData {
  // An octet takes at most four characters, as \DDD: a longer value fits no payload.
  if (value.length > 4 * profile.limits.payload_bytes) throw new Error('the value is longer than a payload can be')
  switch (type) {
    case 'A':
      return { type, ...parseA(value) }
    case 'AAAA':
      return { type, ...parseAaaa(value) }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { type, ...parseTarget(value) }
    case 'TXT':
      return { type, ...parseTxt(value) }
    case 'MX':
      return { type, ...parseMx(value) }
    case 'SRV':
      return { type, ...parseSrv(value) }
    case 'CAA':
      return { type, ...parseCaa(value) }
    case 'TLSA':
      return { type, ...parseTlsa(value) }
    case 'SSHFP':
      return { type, ...parseSshfp(value) }
    case 'SVCB':
    case 'HTTPS':
      return { type, ...parseSvcb(value) }
    case 'URI':
      return { type, ...parseUri(value) }
    case 'DS':
      return { type, ...parseDs(value) }
    case 'KID':
      return { type, did: parseDid(value, profile) }
  }
}

function parseA(value: string): { address: string } {
  if (!isIPv4(value)) throw new Error(`${JSON.stringify(value)} is not an IPv4 address`)
  return { address: value }
}

/** RFC 4291 text without a zone index, which is local to a host. */
function parseAaaa(value: string): { address: string } {
  if (!isIPv6(value)) throw new Error(`${JSON.stringify(value)} is not an IPv6 address`)
  return { address: value }
}

/** CNAME, NS, PTR: one domain name. */
function parseTarget(value: string): { target: string } {
  const [target] = namedWords(value, ['target'])
  return { target: domainName(target!) }
}

/** `preference exchange`; `0 .` says that the name takes no mail (RFC 7505). */
function parseMx(value: string): { preference: number; exchange: string } {
  const [preference, exchange] = namedWords(value, ['preference', 'exchange'])
  const parsed = { preference: decimal(preference!, 'preference', 16), exchange: domainName(exchange!, true) }
  if (parsed.exchange === '.' && parsed.preference !== 0) throw new Error('a null MX has preference 0')
  return parsed
}

/** `priority weight port target` (RFC 2782); target `.` means that the service is absent. */
function parseSrv(value: string): { priority: number; weight: number; port: number; target: string } {
  const [priority, weight, port, target] = namedWords(value, ['priority', 'weight', 'port', 'target'])
  return {
    priority: decimal(priority!, 'priority', 16),
    weight: decimal(weight!, 'weight', 16),
    port: decimal(port!, 'port', 16),
    target: domainName(target!, true)
  }
}

/**
 * A value that begins with a quote is presentation format: character-strings of at most 255 octets. Any other value is
 * plain text, cut into character-strings of 255 octets.
 */
function parseTxt(value: string): { strings: Uint8Array[] } {
  if (!value.startsWith('"')) return { strings: pieces(utf8(value)) }
  const strings = wordsOf(value).map((word) => word.bytes)
  if (strings.some((string) => string.length > MAX_CHARACTER_STRING))
    throw new Error('a quoted string has at most 255 octets; use several')
  return { strings }
}

function pieces(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length === 0) throw new Error('an empty text is written ""')
  const cut: Uint8Array[] = []
  for (let offset = 0; offset < bytes.length; offset += MAX_CHARACTER_STRING)
    cut.push(bytes.subarray(offset, offset + MAX_CHARACTER_STRING))
  return cut
}

/** `flags tag value` (RFC 8659). */
function parseCaa(value: string): { flags: number; tag: string; value: Uint8Array } {
  const [flags, tag, property, ...rest] = wordsOf(value)
  if (flags === undefined || tag === undefined || property === undefined || rest.length > 0)
    throw new Error('expected: flags tag "value"')
  const tagText = textOf(tag)
  if (!/^[a-zA-Z0-9]{1,15}$/.test(tagText)) throw new Error('a CAA tag is 1 to 15 letters and digits')
  return { flags: decimal(flags, 'flags', 8), tag: tagText, value: property.bytes }
}

/** `priority weight "target"` (RFC 7553). */
function parseUri(value: string): { priority: number; weight: number; target: Uint8Array } {
  const [priority, weight, target, ...rest] = wordsOf(value)
  if (priority === undefined || weight === undefined || target === undefined || rest.length > 0)
    throw new Error('expected: priority weight "target"')
  // An octet a character: a URI in an older encoding stays as it is.
  const uri = String.fromCharCode(...target.bytes)
  if (!target.quoted || !/^[a-z][a-z0-9+.-]*:[^\0-\x20\x7f]+$/i.test(uri))
    throw new Error('the target is a URI in quotes')
  return {
    priority: decimal(priority, 'priority', 16),
    weight: decimal(weight, 'weight', 16),
    target: target.bytes
  }
}

/** Octets of IANA's registered digests; others may have any length. */
const TLSA_MATCHING = new Map([
  [1, 32],
  [2, 64]
])
const SSHFP_TYPES = new Map([
  [1, 20],
  [2, 32]
])
const DS_DIGESTS = new Map([
  [1, 20],
  [2, 32],
  [4, 48]
])

/** `usage selector matching-type data` (RFC 6698). */
function parseTlsa(value: string): { usage: number; selector: number; matchingType: number; data: Uint8Array } {
  const [usage, selector, matching, data] = numbersAndHex(
    value,
    ['usage', 'selector', 'matching-type'],
    'certificate association data'
  )
  checkLength(data, TLSA_MATCHING.get(matching!), 'matching type', matching!)
  return { usage: usage!, selector: selector!, matchingType: matching!, data }
}

/** `algorithm type fingerprint` (RFC 4255). */
function parseSshfp(value: string): { algorithm: number; fingerprintType: number; fingerprint: Uint8Array } {
  const [algorithm, type, , fingerprint] = numbersAndHex(value, ['algorithm', 'type'], 'fingerprint')
  checkLength(fingerprint, SSHFP_TYPES.get(type!), 'fingerprint type', type!)
  return { algorithm: algorithm!, fingerprintType: type!, fingerprint }
}

/** `key-tag algorithm digest-type digest` (RFC 4034). */
function parseDs(value: string): { keyTag: number; algorithm: number; digestType: number; digest: Uint8Array } {
  const [keyTag, algorithm, type, digest] = numbersAndHex(value, ['key-tag', 'algorithm', 'digest-type'], 'digest')
  checkLength(digest, DS_DIGESTS.get(type!), 'digest type', type!)
  return { keyTag: keyTag!, algorithm: algorithm!, digestType: type!, digest }
}

type NumbersAndHex = [number | undefined, number | undefined, number | undefined, Uint8Array]

/** Two or three octets (a key tag has two octets itself), then hex to the end. */
function numbersAndHex(value: string, names: readonly string[], hexName: string): NumbersAndHex {
  const words = wordsOf(value).map(textOf)
  if (words.length <= names.length) throw new Error(`expected: ${names.join(' ')} ${hexName}`)
  const numbers = names.map((name, index) => decimal(words[index]!, name, name === 'key-tag' ? 16 : 8))
  return [numbers[0], numbers[1], numbers[2], hexWords(words.slice(names.length), hexName)]
}

function checkLength(data: Uint8Array, length: number | undefined, what: string, code: number): void {
  if (length !== undefined && data.length !== length)
    throw new Error(`${what} ${code} has ${length} octets, not ${data.length}`)
}
