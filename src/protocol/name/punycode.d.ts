/** The two functions that names.ts uses of the package, which has no types. Both throw RangeError. */
declare module 'punycode/punycode.js' {
  const punycode: {
    /** What follows `xn--`, to its text, in which there may be lone surrogates. */
    decode(encoded: string): string
    encode(text: string): string
  }
  export default punycode
}
