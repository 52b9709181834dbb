/** Values of options, checked before anything is computed: what does not fit is a usage failure. */
import { InvalidArgumentError } from 'commander'

const HEX = /^(?:[0-9a-f]{2})*$/iu
const DIGITS = /^\d+$/u

/** Bytes from hexadecimal digits, or undefined. */
export function bytesFromHex(text: string): Uint8Array | undefined {
  return HEX.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : undefined
}

/** Option parser: hexadecimal, an even number of digits. */
export function hexOption(text: string): Uint8Array {
  const bytes = bytesFromHex(text)
  if (bytes === undefined) throw new InvalidArgumentError('It must be hexadecimal, two digits a byte.')
  return bytes
}

/** Option parser: a decimal integer from `least` to `most`. */
export function integerOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = DIGITS.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    }
    return value
  }
}

/** Option parser: a decimal number from `least` to `most`. */
export function numberOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
    return value
  }
}

/** Option parser: a text. An empty one comes from an unset shell variable, and would mean what its owner did not. */
export function filledOption(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty. Is a variable of the shell unset?')
  return text
}

/** Option parser for options that may be given more than once. */
export function collectOption(text: string, former: string[] | undefined): string[] {
  return [...(former ?? []), text]
}
