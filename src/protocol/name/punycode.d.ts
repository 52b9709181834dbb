/** The two functions that names.ts uses of the untyped package. Both throw RangeError. */
declare module 'punycode/punycode.js' {
  const punycode: {
    /** Decodes what follows `xn--`; the text may contain lone surrogates. */
    decode(encoded: string): string
    encode(text: string): string
  }
  export default punycode
}
