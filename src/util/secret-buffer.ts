/**
 * Room for a secret that its owner overwrites. V8 has arrays of up to 64 bytes in its heap, and leaves copies behind
 * where it moves them; the memory of an ArrayBuffer stays in its place.
 */
export function secretBuffer(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length))
}

/** The parts in one buffer; the parts are overwritten. */
export function joinSecret(parts: readonly Uint8Array[]): Buffer {
  const whole = secretBuffer(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    part.fill(0)
  }
  return whole
}
