/**
 * Decodes base64 text, standard or URL-safe, padded or not. Undefined for any other text: both alphabets at once, wrong
 * padding, stray characters, or spare bits that are not zero. So one value has one unpadded spelling per alphabet.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!/^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(text)) return undefined
  const digits = text.replace(/={1,2}$/, '')
  const padded = digits.length !== text.length
  if (digits.length % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined
  const bytes = new Uint8Array(Buffer.from(digits, 'base64'))
  const spelled = Buffer.from(bytes).toString('base64url')
  return spelled === digits.replaceAll('+', '-').replaceAll('/', '_') ? bytes : undefined
}

export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
