/** SVCB and HTTPS (RFC 9460): `priority target key=value ...`. Parameters are in wire form, ascending by key. */
import { concatBytes, fromBase64, utf8 } from '../encoding/bytes.ts'
import { domainName, ipv4Octets, ipv6Octets, u16, type Word, decimal, textOf, wordsOf } from './presentation.ts'

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

/** IANA "Service Parameter Keys" (RFC 9460, section 14.3.2; dohpath: RFC 9461). */
const KEYS = new Map([
  ['mandatory', 0],
  ['alpn', 1],
  ['no-default-alpn', 2],
  ['port', 3],
  ['ipv4hint', 4],
  ['ech', 5],
  ['ipv6hint', 6],
  ['dohpath', 7]
])
const ALPN = 1
const NO_DEFAULT_ALPN = 2

const UTF8 = new TextDecoder()

export function parseSvcb(value: string): ServiceBinding {
  const [priority, target, ...parameters] = wordsOf(value)
  if (priority === undefined || target === undefined) throw new Error('expected: priority target [key=value ...]')
  const binding = {
    priority: decimal(textOf(priority), 'priority', 16),
    target: domainName(textOf(target), true),
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
  const mandatory = params.find((parameter) => parameter.key === 0)
  if (mandatory === undefined) return
  for (let offset = 0; offset < mandatory.value.length; offset += 2) {
    const key = mandatory.value[offset]! * 256 + mandatory.value[offset + 1]!
    if (key === 0 || !keys.includes(key)) throw new Error('mandatory names a parameter that is not there')
  }
}

function parseParameter(word: Word): ServiceParameter {
  const equals = word.bytes.indexOf(0x3d)
  const name = UTF8.decode(equals === -1 ? word.bytes : word.bytes.subarray(0, equals))
  const value = equals === -1 ? undefined : word.bytes.subarray(equals + 1)
  const key = keyOf(name)
  if (key === NO_DEFAULT_ALPN) {
    if (value !== undefined) throw new Error('no-default-alpn has no value')
    return { key, value: new Uint8Array(0) }
  }
  if (!KEYS.has(name)) return { key, value: value ?? new Uint8Array(0) }
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
  if (number <= 7) throw new Error(`write ${[...KEYS].find(([, key]) => key === number)![0]} instead of key${number}`)
  return number
}

function encodeValue(key: number, value: Uint8Array): Uint8Array {
  const text = UTF8.decode(value)
  switch (key) {
    case 0:
      return mandatoryKeys(text)
    case 1:
      return concatBytes(...text.split(',').map(alpnId))
    case 3:
      return u16(decimal(text, 'port', 16))
    case 4:
      return concatBytes(...text.split(',').map(ipv4Octets))
    case 5:
      return fromBase64(text)
    case 6:
      return concatBytes(...text.split(',').map(ipv6Octets))
    default:
      return value
  }
}

function mandatoryKeys(value: string): Uint8Array {
  const keys = value
    .split(',')
    .map(keyOf)
    .sort((left, right) => left - right)
  if (new Set(keys).size !== keys.length) throw new Error('mandatory names a parameter twice')
  return concatBytes(...keys.map(u16))
}

function alpnId(id: string): Uint8Array {
  const bytes = utf8(id)
  if (bytes.length === 0 || bytes.length > 255) throw new Error('an alpn id has 1 to 255 octets')
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}
