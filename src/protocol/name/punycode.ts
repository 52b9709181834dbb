/**
 * Punycode, RFC 3492: what an `xn--` label stands for. Written here because the validity of names rests on it and so
 * may not differ between versions of a library; it knows no Unicode tables.
 */

/** Parameters of RFC 3492, section 5. */
const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_N = 128

const MAX_CODE_POINT = 0x10ffff

/** Decodes the part after `xn--`; undefined when it is not punycode in lower case or holds a surrogate. */
export function decodePunycode(encoded: string): string | undefined {
  const delimiter = encoded.lastIndexOf('-')
  const output = delimiter > 0 ? Array.from(encoded.slice(0, delimiter), (character) => character.codePointAt(0)!) : []
  if (output.some((codePoint) => codePoint >= INITIAL_N)) return undefined
  let n = INITIAL_N
  let bias = INITIAL_BIAS
  let index = 0
  let position = delimiter > 0 ? delimiter + 1 : 0
  while (position < encoded.length) {
    const before = index
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(position++))
      if (digit === undefined) return undefined
      index += digit * weight
      const threshold = thresholdAt(k, bias)
      if (digit < threshold) break
      weight *= BASE - threshold
      if (!Number.isSafeInteger(index) || !Number.isSafeInteger(weight * BASE)) return undefined
    }
    const length = output.length + 1
    bias = adapt(index - before, length, before === 0)
    n += Math.floor(index / length)
    index %= length
    if (n > MAX_CODE_POINT || (n >= 0xd800 && n <= 0xdfff)) return undefined
    output.splice(index++, 0, n)
  }
  return String.fromCodePoint(...output)
}

/** Encodes a text as what follows `xn--`; upper-case ASCII is kept as it is. */
export function encodePunycode(text: string): string {
  const input = Array.from(text, (character) => character.codePointAt(0)!)
  const basic = input.filter((codePoint) => codePoint < INITIAL_N)
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '')
  let n = INITIAL_N
  let delta = 0
  let bias = INITIAL_BIAS
  let handled = basic.length
  while (handled < input.length) {
    const next = Math.min(...input.filter((codePoint) => codePoint >= n))
    delta += (next - n) * (handled + 1)
    n = next
    for (const codePoint of input) {
      if (codePoint < n) delta++
      if (codePoint !== n) continue
      output += encodeDelta(delta, bias)
      bias = adapt(delta, handled + 1, handled === basic.length)
      delta = 0
      handled++
    }
    delta++
    n++
  }
  return output
}

function encodeDelta(delta: number, bias: number): string {
  let digits = ''
  let quotient = delta
  for (let k = BASE; ; k += BASE) {
    const threshold = thresholdAt(k, bias)
    if (quotient < threshold) return digits + characterOf(quotient)
    digits += characterOf(threshold + ((quotient - threshold) % (BASE - threshold)))
    quotient = Math.floor((quotient - threshold) / (BASE - threshold))
  }
}

/** RFC 3492, section 6.1. */
function adapt(delta: number, points: number, first: boolean): number {
  let scaled = first ? Math.floor(delta / DAMP) : Math.floor(delta / 2)
  scaled += Math.floor(scaled / points)
  let k = 0
  while (scaled > ((BASE - T_MIN) * T_MAX) / 2) {
    scaled = Math.floor(scaled / (BASE - T_MIN))
    k += BASE
  }
  return k + Math.floor(((BASE - T_MIN + 1) * scaled) / (scaled + SKEW))
}

function thresholdAt(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX)
}

/** a-z are 0-25, 0-9 are 26-35; NaN (past the end) and upper case are no digits. */
function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26
  return undefined
}

function characterOf(digit: number): string {
  return String.fromCharCode(digit < 26 ? digit + 0x61 : digit - 26 + 0x30)
}
