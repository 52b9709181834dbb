/** SVCB and HTTPS (RFC 9460): `priority target key=value ...`. Parameters are in wire form, ascending by key. */
import { concatBytes, fromBase64 } from '../encoding/bytes.ts'
import { domainName } from './domain-name.ts'
import { decimal, ipv4Octets, ipv6Octets, u16, type Word, wordsOf } from './presentation.ts'

export interface ServiceParameter {
  readonly key: number
  /** In wire form, without its length. */
  readonly value: Uint8Array
}

export interface ServiceBinding {
  priority: number
  target: string
  params: ServiceParameter[]
}

/**
 * IANA "Service Parameter Keys" (RFC 9460, section 14.3.2; dohpath: RFC 9461; ohttp: RFC 9540; docpath: RFC 9953;
 * tls-supported-groups: draft-ietf-tls-key-share-prediction).
 */
const KEYS = new Map([
  ['mandatory', 0],
  ['alpn', 1],
  ['no-default-alpn', 2],
  ['port', 3],
  ['ipv4hint', 4],
  ['ech', 5],
  ['ipv6hint', 6],
  ['dohpath', 7],
  ['ohttp', 8],
  ['tls-supported-groups', 9],
  ['docpath', 10]
])
const MANDATORY = 0
const ALPN = 1
const NO_DEFAULT_ALPN = 2
const OHTTP = 8
/** From here on a key is `keyNNN` too: so it is in zones of before its registration, and for servers that do not know its name. */
export const FIRST_LATER_KEY = OHTTP

const COMMA = 0x2c
const BACKSLASH = 0x5c
const EQUALS = 0x3d

export function parseSvcb(value: string): ServiceBinding {
  const [priority, target, ...parameters] = wordsOf(value)
  if (priority === undefined || target === undefined) throw new Error('expected: priority target [key=value ...]')
  const binding = {
    priority: decimal(priority, 'priority', 16),
    target: domainName(target, true),
    params: parameters.map(parseParameter)
  }
  if (binding.priority === 0 && binding.params.length > 0) throw new Error('an alias (priority 0) has no parameters')
  binding.params.sort((left, right) => left.key - right.key)
  checkParameters(binding.params)
  return binding
}

function checkParameters(params: readonly ServiceParameter[]): void {
  const keys = params.map((parameter) => parameter.key)
  if (new Set(keys).size !== keys.length) throw new Error('a parameter appears twice')
  if (keys.includes(NO_DEFAULT_ALPN) && !keys.includes(ALPN)) throw new Error('no-default-alpn needs alpn')
  const mandatory = params.find((parameter) => parameter.key === MANDATORY)
  if (mandatory === undefined) return
  for (let offset = 0; offset < mandatory.value.length; offset += 2) {
    const key = mandatory.value[offset]! * 256 + mandatory.value[offset + 1]!
    if (key === MANDATORY || !keys.includes(key)) throw new Error('mandatory names a parameter that is not there')
  }
}

/** The bytes of a word are those of the first decoding (RFC 9460, A): a value may have escapes of its own. */
export function parseParameter(word: Word): ServiceParameter {
  const equals = word.bytes.indexOf(EQUALS)
  const name = asciiOf(equals === -1 ? word.bytes : word.bytes.subarray(0, equals))
  const value = equals === -1 ? undefined : word.bytes.subarray(equals + 1)
  const key = keyOf(name)
  if (key === NO_DEFAULT_ALPN || name === 'ohttp') {
    if (value !== undefined && value.length > 0) throw new Error(`${name} has no value`)
    return { key, value: new Uint8Array(0) }
  }
  if (!KEYS.has(name)) return { key, value: value ?? new Uint8Array(0) }
  if (name === 'docpath') return { key, value: concatBytes(...listOf(value ?? new Uint8Array(0)).map(withLength)) }
  if (value === undefined || value.length === 0) throw new Error(`${name} needs a value`)
  return { key, value: encodeValue(key, value) }
}

function keyOf(name: string): number {
  const known = KEYS.get(name)
  if (known !== undefined) return known
  const generic = /^key(0|[1-9][0-9]{0,4})$/.exec(name)
  const number = Number(generic?.[1] ?? NaN)
  // 65535 is the reserved "invalid key" (RFC 9460, section 14.3).
  if (!(number < 65_535)) throw new Error(`${JSON.stringify(name)} is not a service parameter`)
  if (number < FIRST_LATER_KEY)
    throw new Error(`write ${[...KEYS].find(([, key]) => key === number)![0]} instead of key${number}`)
  return number
}

function encodeValue(key: number, value: Uint8Array): Uint8Array {
  switch (key) {
    case MANDATORY:
      return mandatoryKeys(asciiOf(value))
    case ALPN:
      return concatBytes(...listOf(value).map(alpnId))
    case 3:
      return u16(decimal(asciiOf(value), 'port', 16))
    case 4:
      return concatBytes(...asciiOf(value).split(',').map(ipv4Octets))
    case 5:
      return fromBase64(asciiOf(value))
    case 6:
      return concatBytes(...asciiOf(value).split(',').map(ipv6Octets))
    case 9:
      return concatBytes(
        ...asciiOf(value)
          .split(',')
          .map((group) => u16(decimal(group, 'a group', 16)))
      )
    default:
      return value
  }
}

/** The items of a list (RFC 9460, A.1): a comma parts them, and `\,` and `\\` are a comma and a backslash within one. */
function listOf(value: Uint8Array): Uint8Array[] {
  if (value.length === 0) return []
  const items: number[][] = [[]]
  for (let at = 0; at < value.length; at++) {
    const octet = value[at]!
    if (octet === COMMA) items.push([])
    else if (octet !== BACKSLASH) items.at(-1)!.push(octet)
    else {
      const next = value[++at]
      if (next !== COMMA && next !== BACKSLASH) throw new Error('in a list a backslash escapes a comma or a backslash')
      items.at(-1)!.push(next)
    }
  }
  return items.map((item) => Uint8Array.from(item))
}

function mandatoryKeys(value: string): Uint8Array {
  const keys = value
    .split(',')
    .map(keyOf)
    .sort((left, right) => left - right)
  if (new Set(keys).size !== keys.length) throw new Error('mandatory names a parameter twice')
  return concatBytes(...keys.map(u16))
}

function alpnId(id: Uint8Array): Uint8Array {
  if (id.length === 0 || id.length > 255) throw new Error('an alpn id has 1 to 255 octets')
  return withLength(id)
}

function withLength(item: Uint8Array): Uint8Array {
  if (item.length > 255) throw new Error('an item of a list has at most 255 octets')
  return concatBytes(Uint8Array.of(item.length), item)
}

/** An octet a character: what is not ASCII matches no name and no number. */
function asciiOf(octets: Uint8Array): string {
  return String.fromCharCode(...octets)
}
