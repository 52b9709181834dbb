/** Powers of forms. */
import { identity, inverse, type Discriminant, type Form } from './form.ts'
import { compose, square } from './group-law.ts'

/** Width of the signed digits: for exponents of 264 bits one more or less costs a few compositions. */
const WINDOW = 5

/** `x^m y^n` for exponents from 0, with the squarings shared. */
export function doublePower(x: Form, m: bigint, y: Form, n: bigint, discriminant: Discriminant): Form {
  const parts = [
    { digits: signedDigits(m), odd: oddPowers(x, discriminant) },
    { digits: signedDigits(n), odd: oddPowers(y, discriminant) }
  ]
  let power: Form | undefined
  for (let place = Math.max(...parts.map(({ digits }) => digits.length)) - 1; place >= 0; place--) {
    if (power !== undefined) power = square(power, discriminant)
    for (const { digits, odd } of parts) {
      const digit = digits[place] ?? 0
      if (digit === 0) continue
      const factor = digit > 0 ? odd[(digit - 1) / 2]! : inverse(odd[(-digit - 1) / 2]!)
      power = power === undefined ? factor : compose(power, factor, discriminant)
    }
  }
  return power ?? identity(discriminant)
}

/** x, x^3, x^5, ... up to the largest digit. */
function oddPowers(x: Form, discriminant: Discriminant): readonly Form[] {
  const step = square(x, discriminant)
  const powers = [x]
  while (powers.length < 2 ** (WINDOW - 2)) powers.push(compose(powers.at(-1)!, step, discriminant))
  return powers
}

/** The non-adjacent form of that width: digits that are 0 or odd and below 2^(WINDOW - 1), the least first. */
function signedDigits(exponent: bigint): readonly number[] {
  const digits: number[] = []
  const base = 2 ** WINDOW
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 0n) {
      digits.push(0)
      continue
    }
    const low = Number(BigInt.asUintN(WINDOW, rest))
    const digit = low >= base / 2 ? low - base : low
    digits.push(digit)
    rest -= BigInt(digit)
  }
  return digits
}
