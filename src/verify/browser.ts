/** `chronym/verify` in a browser: plain JavaScript, a fifth of a second a claim. */
import { bigintEngine } from './verification.ts'
import { createVerifier } from './verifier.ts'

export * from './verifier.ts'

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
} = portable
