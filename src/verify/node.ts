/**
 * `chronym/verify` in Node. Proofs and pulses are checked by the addon, on the calling thread: about six milliseconds a
 * claim, most of it for the discriminant. Where no addon loads, as in browser.ts. Nothing else differs.
 */
import { bigintEngine } from './verification.ts'
import { nativeEngine } from './native-engine.ts'
import { createVerifier } from './verifier.ts'

export * from './verifier.ts'

const verifier = createVerifier(nativeEngine() ?? bigintEngine)

/** The same functions in plain TypeScript on BigInt: a second opinion. */
export const portable = createVerifier(bigintEngine)

export const {
  backend,
  verifyReveal,
  verifyZone,
  verifyIdentity,
  verifyManifest,
  verifyReceipt,
  verifyPulse,
  verifyVdf
} = verifier
