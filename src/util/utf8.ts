/** Text of files, arguments and answers: UTF-8, or a refusal that says what else it is. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'

/** Octets that are no UTF-8. The message says why and how to mend it, as the end of a sentence about the file. */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error'
}

const STRICT = new TextDecoder('utf-8', { fatal: true })
const SAVE_AS_UTF8 = 'save it as UTF-8'

/** The text without a byte order mark. Throws NotUtf8Error, which counts lines from `firstLine`. */
export function textOfUtf8(octets: Uint8Array, firstLine = 1): string {
  if (isUtf16(octets)) throw new NotUtf8Error(`it is UTF-16: ${SAVE_AS_UTF8}`)
  if (!isUtf8(octets)) {
    const at = firstFault(octets)
    const line = firstLine + octets.subarray(0, at).filter((octet) => octet === 0x0a).length
    const octet = octets[at]!.toString(16).toUpperCase()
    throw new NotUtf8Error(`it is not UTF-8 (line ${line} has the octet 0x${octet}): ${SAVE_AS_UTF8}`)
  }
  return STRICT.decode(octets)
}

/** The text of a file. Throws the system's error, or NotUtf8Error. */
export function readTextFile(path: string | URL, flag?: number): string {
  return textOfUtf8(readFileSync(path, { flag }))
}

/**
 * Whether an argument, a variable or a line of a terminal had octets that are no UTF-8: Node gives U+FFFD in their place,
 * so that different texts are one.
 */
export function lostOctets(text: string): boolean {
  return text.includes('\uFFFD')
}

/** Whether it begins as editors of Windows write UTF-16, or has a zero beside every octet of its first characters. */
export function isUtf16(octets: Uint8Array): boolean {
  const [first, second, third, fourth] = octets
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return false
  const isLittle = first !== 0 && second === 0 && third !== 0 && fourth === 0
  return isLittle || (first === 0 && second !== 0 && third === 0 && fourth !== 0)
}

/** Where the first sequence begins that is no UTF-8. */
function firstFault(octets: Uint8Array): number {
  for (let at = 0; ;) {
    const length = [1, 2, 3, 4].find((each) => at + each <= octets.length && isUtf8(octets.subarray(at, at + each)))
    if (length === undefined) return at
    at += length
  }
}
