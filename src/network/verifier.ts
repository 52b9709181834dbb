/** Valid, with its two costly questions answered off the event loop and remembered. */
import type { BeaconClient } from '../beacon/types.ts'
import type { NativePool } from '../native/types.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import type { Reveal } from '../protocol/reveal.ts'
import { validateReveal, type ProofCheck, type Verdict } from '../protocol/valid.ts'

/** Verdicts remembered, 150 bytes each; a name costs its owner a whole VDF, so this many are hard to push out. */
const MAX_CACHED_VERDICTS = 10_000

export interface Verifier {
  /** Rejects when there is no verdict: the pool is closed, say. */
  validate(reveal: Reveal): Promise<Verdict>
}

export function createVerifier(profile: NetworkProfile, beacon: Pick<BeaconClient, 'verify'>, pool: Pick<NativePool, 'verifyProof'>): Verifier {
  // Promises, so that the same proof offered twice at once is verified once.
  const verdicts = new Map<string, Promise<boolean>>()

  const verifyProof = ({ cacheKey, ...question }: ProofCheck): Promise<boolean> => {
    const known = verdicts.get(cacheKey)
    if (known !== undefined) {
      verdicts.delete(cacheKey)
      verdicts.set(cacheKey, known)
      return known
    }
    const verdict = pool.verifyProof(question)
    verdicts.set(cacheKey, verdict)
    // Only a verdict is remembered, not a failure to reach one; the caller sees the rejection.
    verdict.catch(() => verdicts.delete(cacheKey))
    if (verdicts.size > MAX_CACHED_VERDICTS) verdicts.delete(verdicts.keys().next().value!)
    return verdict
  }
  return { validate: (reveal) => validateReveal(reveal, profile, { verifyPulse: (pulse) => beacon.verify(pulse), verifyProof }) }
}
