import { decimal, hexWords, textOf, wordsOf } from './presentation.ts'

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
export function parseTlsa(value: string): { usage: number; selector: number; matchingType: number; data: Uint8Array } {
  const [usage, selector, matching, data] = numbersAndHex(
    value,
    ['usage', 'selector', 'matching-type'],
    'certificate association data'
  )
  checkLength(data, TLSA_MATCHING.get(matching!), 'matching type', matching!)
  return { usage: usage!, selector: selector!, matchingType: matching!, data }
}

/** `algorithm type fingerprint` (RFC 4255). */
export function parseSshfp(value: string): { algorithm: number; fingerprintType: number; fingerprint: Uint8Array } {
  const [algorithm, type, , fingerprint] = numbersAndHex(value, ['algorithm', 'type'], 'fingerprint')
  checkLength(fingerprint, SSHFP_TYPES.get(type!), 'fingerprint type', type!)
  return { algorithm: algorithm!, fingerprintType: type!, fingerprint }
}

/** `key-tag algorithm digest-type digest` (RFC 4034). */
export function parseDs(value: string): { keyTag: number; algorithm: number; digestType: number; digest: Uint8Array } {
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
