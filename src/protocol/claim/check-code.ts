/** Check codes: characters that anybody can compute from a record, and that only its claim has. */
// With the file's name: `punycode` alone is Node's deprecated module.
import punycode from 'punycode/punycode.js'
import { firstLink, type Reveal } from './reveal.ts'
import { proofOutput } from './proof.ts'
import { domain } from '../crypto/domain.ts'
import { concatBytes, lp, sha256, toHex } from '../encoding/bytes.ts'
import { NameError } from '../errors.ts'
import { profileHash, type NetworkProfile } from '../profile/profile.ts'
import {
  ACE_PREFIX,
  CODE_MARK,
  decodePunycode,
  labelOf,
  MAX_LABEL_OCTETS,
  parseName,
  type Name
} from '../name/names.ts'

/** Crockford's base 32 in lower case: no i, l, o, which are read as 1, 1, 0, and no u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Characters that a code is written with by default, and the fewest: 30 bits. */
export const SHORT_CODE = 6
/** Characters of a whole code: 130 bits. */
export const WHOLE_CODE = 26

/** A name as somebody writes it to be looked up, perhaps with the code of the claim that is meant. */
export interface CodedName {
  readonly name: Name
  /** 6 to 26 characters of the alphabet: the first of the whole code. */
  readonly code?: string
}

/**
 * The whole code of a claim, 26 characters: `H(domain(check-code) ‖ lp(name) ‖ lp(y))` in base 32, y of the first link,
 * 100 bytes. Each try of a forger for another y costs a whole VDF.
 */
export function checkCode(name: string, output: Uint8Array, profileHash: Uint8Array): string {
  return base32(sha256(concatBytes(domain('check-code', profileHash), lp(name), lp(output))), WHOLE_CODE)
}

/** The first characters of a hash of 32 bytes, five bits each. */
export function base32(hash: Uint8Array, characters: number): string {
  const bits = BigInt(`0x${toHex(hash)}`)
  return Array.from({ length: characters }, (_, at) => ALPHABET[Number((bits >> BigInt(251 - 5 * at)) & 31n)]!).join('')
}

/** The code of the claim that a decoded record belongs to. Throws EncodingError where its proof does not decode. */
export function checkCodeOf(reveal: Reveal, profile: NetworkProfile): string {
  return checkCode(reveal.name, proofOutput(firstLink(reveal).proof), profileHash(profile))
}

/** The id that a claim's record has at the place of its code (key-space.ts): `alice.chronym 7kq2mx`. */
export function codedId(name: string, code: string): string {
  return `${name} ${code.slice(0, SHORT_CODE)}`
}

/**
 * `alice--7kq2mx.chronym` as its name and its code, and any other name as itself. Throws NameError as `parseName`, and
 * `invalid` for what follows `--` and is not a code: it is never taken for another name.
 */
export function parseCodedName(text: string, profile: NetworkProfile): CodedName {
  const dot = text.indexOf('.')
  const label = text.slice(0, Math.max(0, dot))
  const readable = label.startsWith(ACE_PREFIX) ? decodePunycode(label.slice(ACE_PREFIX.length)) : label
  const mark = readable.lastIndexOf(CODE_MARK)
  if (mark === -1) return { name: parseName(text, profile) }
  if (label !== asciiLabel(readable))
    throw new NameError('invalid', 'an xn-- label must be the encoding of what it decodes to')
  if (label.length > MAX_LABEL_OCTETS)
    throw new NameError(
      'invalid',
      `a label has at most ${MAX_LABEL_OCTETS} octets, its code included; give the code apart from a longer name`
    )
  const code = parseCode(readable.slice(mark + CODE_MARK.length))
  return { name: parseName(`${asciiLabel(readable.slice(0, mark))}${text.slice(dot)}`, profile), code }
}

/**
 * A name with its code in the label, behind a space, where a label has no room for it, or both: then the longer one
 * counts. Throws NameError as `parseCodedName`, also where the two differ.
 */
export function parseAskedName(text: string, profile: NetworkProfile): CodedName {
  const [label = '', apart] = text.trim().split(/\s+(.*)/su)
  if (apart !== undefined && (!label.includes('.') || apart.includes('.')))
    throw new NameError('invalid', 'a name has no space in it; only a check code follows one, behind the suffix')
  const coded = parseCodedName(label, profile)
  if (apart === undefined) return coded
  const { name, code = '' } = coded
  const other = parseCode(apart)
  if (!code.startsWith(other) && !other.startsWith(code))
    throw new NameError(
      'invalid',
      `its label has the code ${code}, and beside it is the code ${other}: give the right one`
    )
  return { name, code: code.length > other.length ? code : other }
}

/** Reads a code as people copy it: either case, o as 0, i and l as 1. Throws NameError `invalid`. */
export function parseCode(text: string): string {
  const code = text.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
  if (code.length < SHORT_CODE || code.length > WHOLE_CODE || Array.from(code).some((each) => !ALPHABET.includes(each)))
    throw new NameError(
      'invalid',
      `"${text.slice(0, 40)}" is not a check code: after ${CODE_MARK} come ${SHORT_CODE} to ${WHOLE_CODE} of the letters ` +
        'and digits 0-9, a-z without u. Copy it again from its owner'
    )
  return code
}

/** The one spelling of a name with a code. Undefined where its label would be longer than DNS allows. */
export function formatCodedName(name: Name, code: string): string | undefined {
  const label = labelOf(name)
  const readable = label.startsWith(ACE_PREFIX) ? decodePunycode(label.slice(ACE_PREFIX.length)) : label
  const coded = asciiLabel(`${readable}${CODE_MARK}${code}`)
  return coded.length > MAX_LABEL_OCTETS ? undefined : `${coded}${name.slice(label.length)}`
}

function asciiLabel(readable: string): string {
  return /^[\0-\x7f]*$/.test(readable) ? readable : `${ACE_PREFIX}${punycode.encode(readable)}`
}
