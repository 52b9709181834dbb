/**
 * Published pins: a text that somebody signs, with names, the codes of the claims that they mean, and since when
 * (docs/verification.md, "Published pins"). No message between nodes has them.
 */
import { sign, verifyStrict, type KeyPair } from '../crypto/ed25519.ts'
import { concatBytes, fromHex, lp, toHex, utf8 } from '../encoding/bytes.ts'
import { EncodingError } from '../errors.ts'
import { decodeMultikey, encodeMultikey } from '../identity/did.ts'
import { parseName, type Name } from '../name/names.ts'
import { profileHash, type NetworkProfile } from '../profile/profile.ts'

/** Characters of each code: 60 bits, so that nobody makes a second claim for it. */
export const LIST_CODE = 12

/** The length of a whole list, before anything of it is read: ten thousand entries of a hundred bytes. */
export const MAX_LIST_BYTES = 1024 * 1024
export const MAX_LIST_ENTRIES = 10_000

/** A publisher's clock may be ahead by as much. */
const MAX_AHEAD_SECONDS = 3_600

export interface PublishedPin {
  readonly name: Name
  readonly code: string
  /** The day since which the publisher knows the claim, such as 2026-11-29. */
  readonly since: string
}

export interface PinList {
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Unix seconds of its making. A list takes the place of those with lower serials. */
  readonly serial: number
  /** By name, each once. */
  readonly pins: readonly PublishedPin[]
}

const HEAD = /^chronym-pins=v1 ([1-9]\d{0,11}) (z[1-9A-HJ-NP-Za-km-z]{1,60})$/
const ENTRY = /^([!-~]{1,255}) ([0-9a-hjkmnp-tv-z]{12}) (\d{4}-\d\d-\d\d)$/
const SIGNATURE = /^signature=([0-9a-f]{128})$/

/** The signed message: all lines above the signature. */
function message(body: string, profile: NetworkProfile): Uint8Array {
  return concatBytes(lp('chronym/pin-list/v1'), profileHash(profile), utf8(body))
}

export function signPinList(
  { serial, pins }: Omit<PinList, 'publicKey'>,
  { publicKey, secretKey }: KeyPair,
  profile: NetworkProfile
): string {
  const sorted = pins.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const body = [
    `chronym-pins=v1 ${serial} ${encodeMultikey(publicKey)}`,
    ...sorted.map(({ name, code, since }) => `${name} ${code} ${since}`),
    ''
  ].join('\n')
  return `${body}signature=${toHex(sign(message(body, profile), secretKey))}\n`
}

/**
 * Reads a list, its signature before its entries: nothing of an unsigned text is quoted. Throws EncodingError, NameError.
 *
 * @param nowSeconds Unix seconds: a list of the future would keep all later ones out
 */
export function readPinList(text: string, profile: NetworkProfile, nowSeconds: number): PinList {
  if (text.length > MAX_LIST_BYTES) throw new EncodingError(`a list of pins has at most ${MAX_LIST_BYTES} bytes`)
  const lines = text.split('\n', MAX_LIST_ENTRIES + 4)
  const [, serialText, keyText] = HEAD.exec(lines[0] ?? '') ?? []
  if (serialText === undefined || keyText === undefined) throw new EncodingError('it does not begin as a list of pins')
  const signatureAt = lines.length - 2
  const signature = SIGNATURE.exec(lines[signatureAt] ?? '')?.[1]
  if (lines.length > MAX_LIST_ENTRIES + 3) throw new EncodingError(`it has more than ${MAX_LIST_ENTRIES} entries`)
  if (signature === undefined || lines.at(-1) !== '') throw new EncodingError('its last line is no signature')
  const publicKey = decodeMultikey(keyText)
  const body = text.slice(0, text.length - lines[signatureAt]!.length - 1)
  if (!verifyStrict(fromHex(signature), message(body, profile), publicKey))
    throw new EncodingError('its signature does not hold: it was changed, or is for another network')
  const serial = Number(serialText)
  if (serial > nowSeconds + MAX_AHEAD_SECONDS)
    throw new EncodingError('it is made in the future by the clock of this machine')
  return { publicKey, serial, pins: entriesOf(lines.slice(1, signatureAt), profile) }
}

function entriesOf(lines: readonly string[], profile: NetworkProfile): PublishedPin[] {
  let before = ''
  return lines.map((line, index) => {
    const [, text, code, since] = ENTRY.exec(line) ?? []
    if (text === undefined || code === undefined || since === undefined || Number.isNaN(Date.parse(since)))
      throw new EncodingError(`line ${index + 2} is no name with a code of ${LIST_CODE} characters and a day`)
    if (text <= before) throw new EncodingError(`line ${index + 2} is not in the order of names`)
    before = text
    return { name: parseName(text, profile), code, since }
  })
}

/** The words of one followed list. Lists of one key are one publisher's. */
export interface ListVoice {
  readonly key: string
  readonly source: string
  readonly pins: ReadonlyMap<string, PublishedPin>
}

export interface Said {
  readonly source: string
  readonly code: string
  readonly since: string
}

export interface Meant {
  /** `pinned`: enough publishers name one code, and none another. */
  readonly kind: 'unsaid' | 'pinned' | 'contested'
  readonly said: readonly Said[]
}

/** The meaning of a bare name by published lists. One other code is enough for a contest: never a guess. */
export function meantBy(voices: readonly ListVoice[], name: string, agree: number): Meant {
  const heard = voices.filter(({ pins }) => pins.has(name))
  const said = heard.map(({ source, pins }) => ({ source, ...pins.get(name)! }))
  if (new Set(said.map(({ code }) => code)).size > 1) return { kind: 'contested', said }
  const publishers = new Set(heard.map(({ key }) => key)).size
  return { kind: publishers > 0 && publishers >= agree ? 'pinned' : 'unsaid', said }
}
