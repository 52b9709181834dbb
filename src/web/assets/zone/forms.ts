/** A form for each record type: the parts of its value, in DNS presentation format. Pure. */
import type { Option } from '../parts/fields.ts'
import type { RecordRow } from './records.ts'

export interface Part {
  readonly name: string
  /** What an empty form begins with. */
  readonly start?: string
  readonly placeholder?: string
  readonly options?: readonly Option[]
  readonly isNumber?: boolean
  readonly isLong?: boolean
  readonly isQuoted?: boolean
}

interface Form {
  /** What it is for. */
  readonly word: string
  /** In order; the last takes the rest. */
  readonly parts: readonly Part[]
}

const number = (name: string, start: string): Part => ({ name, isNumber: true, start })
/** Each option begins with its value. */
const choice = (name: string, start: string, options: readonly string[]): Part => ({
  name,
  start,
  options: options.map((text): Option => [text.split(' ')[0]!, text])
})
const HOST = 'host.example.org'
const DIGITS = '64 hexadecimal digits'
const binding = (word: string, placeholder: string): Form => ({
  word,
  parts: [
    number('Priority', '1'),
    { name: 'Target', start: '.', placeholder: '.' },
    { name: 'Parameters', placeholder }
  ]
})

export const FORMS: Readonly<Record<string, Form>> = {
  A: { word: 'IPv4 address', parts: [{ name: 'IPv4 address', placeholder: '192.0.2.10' }] },
  AAAA: { word: 'IPv6 address', parts: [{ name: 'IPv6 address', placeholder: '2001:db8::10' }] },
  CNAME: { word: 'alias', parts: [{ name: 'Target', placeholder: HOST }] },
  TXT: { word: 'text', parts: [{ name: 'Text', placeholder: 'v=spf1 -all', isLong: true }] },
  MX: {
    word: 'mail server',
    parts: [number('Priority', '10'), { name: 'Mail server', placeholder: 'mail.example.org' }]
  },
  SRV: {
    word: 'service',
    parts: [
      number('Priority', '0'),
      number('Weight', '0'),
      number('Port', '443'),
      { name: 'Target', placeholder: HOST }
    ]
  },
  NS: { word: 'name server', parts: [{ name: 'Name server', placeholder: 'ns1.example.org' }] },
  CAA: {
    word: 'certificate issuers',
    parts: [
      number('Flags', '0'),
      choice('Tag', 'issue', ['issue', 'issuewild', 'iodef', 'issuemail']),
      { name: 'Value', placeholder: 'ca.example.org', isQuoted: true }
    ]
  },
  TLSA: {
    word: 'TLS certificate',
    parts: [
      choice('Usage', '3', [
        '3 this certificate',
        '2 this authority',
        '1 certificate, also by authority',
        '0 authority, also by others'
      ]),
      choice('Selector', '1', ['1 public key', '0 certificate']),
      choice('Matching', '1', ['1 SHA-256', '2 SHA-512', '0 all of it']),
      { name: 'Data, hexadecimal', placeholder: DIGITS }
    ]
  },
  SSHFP: {
    word: 'SSH host key',
    parts: [
      choice('Key', '4', ['4 Ed25519', '3 ECDSA', '1 RSA', '6 Ed448', '2 DSA']),
      choice('Hash', '2', ['2 SHA-256', '1 SHA-1']),
      { name: 'Fingerprint, hexadecimal', placeholder: DIGITS }
    ]
  },
  HTTPS: binding('web service', 'alpn=h2,h3'),
  SVCB: binding('service binding', 'alpn=dot port=853'),
  URI: {
    word: 'service address',
    parts: [
      number('Priority', '10'),
      number('Weight', '1'),
      { name: 'URI', placeholder: 'sip:alice@example.org', isQuoted: true }
    ]
  },
  PTR: { word: 'name of an address', parts: [{ name: 'Target', placeholder: HOST }] },
  DS: {
    word: 'delegation key',
    parts: [
      number('Key tag', ''),
      number('Algorithm', '13'),
      choice('Hash', '2', ['2 SHA-256', '4 SHA-384', '1 SHA-1']),
      { name: 'Digest, hexadecimal', placeholder: DIGITS }
    ]
  },
  KID: { word: 'identity', parts: [{ name: 'DID', placeholder: 'did:kid:…' }] }
}

export const TYPES = Object.keys(FORMS)

/** What the form has of a value: one text for each part, empty where it is missing. */
export function partsOf(type: string, value: string): string[] {
  const { parts } = FORMS[type]!
  return wordsOf(type, value).map((text, index) => (parts[index]?.isQuoted ? unquote(text) : text))
}

/** One for each part, as written. */
function wordsOf(type: string, value: string): string[] {
  const { parts } = FORMS[type]!
  const words = value.split(' ')
  return parts.map((_part, index) => (index < parts.length - 1 ? (words[index] ?? '') : words.slice(index).join(' ')))
}

/** The value that these texts make; empty where nothing was entered. */
export function valueOf(type: string, texts: readonly string[]): string {
  const { parts } = FORMS[type]!
  if (texts.every((text) => text === '')) return ''
  return texts
    .map((text, index) => {
      if (parts[index]?.isQuoted) return quote(text)
      // A space within a part would begin the next one.
      return index < parts.length - 1 ? text.replace(/\s/g, '') : text
    })
    .join(' ')
}

/** What an untouched form of that type has. */
export const startOf = (type: string): string => {
  const starts = FORMS[type]!.parts.map(({ start = '' }) => start)
  return starts.every((text) => text === '') ? '' : valueOf(type, starts)
}

/** A value that a form would change: of an unknown type, or with spaces or escapes that its parts cannot hold. */
export function needsText(type: string, value: string): boolean {
  const parts = FORMS[type]?.parts
  if (parts === undefined) return true
  if (parts.length === 1) return false
  const isChanged = (text: string) => /["\\]/.test(text) && quote(unquote(text)) !== text
  const quoted = wordsOf(type, value).filter((_text, index) => parts[index]!.isQuoted)
  return /\s\s|\t|\\\s/.test(value.trim()) || quoted.some(isChanged)
}

/** What stays of a value when another type is chosen. */
export function valueAs(type: string, former: string, value: string): string {
  const isSingle = (each: string) => FORMS[each]?.parts.length === 1
  const isUntouched = value.trim() === '' || (FORMS[former] !== undefined && value === startOf(former))
  return isSingle(type) && isSingle(former) && !isUntouched ? value : startOf(type)
}

/** Has it more than what its form begins with? Only then is it worth a check while one types. */
export const isEntered = ({ type, value }: Pick<RecordRow, 'type' | 'value'>): boolean =>
  value.trim() !== '' && (FORMS[type] === undefined || value.trim() !== startOf(type).trim())

const quote = (text: string): string => (text === '' ? '' : `"${text.replace(/["\\]/g, '\\$&')}"`)
const unquote = (text: string): string => {
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text.trim())?.[1]
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1')
}
