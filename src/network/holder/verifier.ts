/** Valid, with its two costly checks off the event loop; the pool caches verdicts. */
import type { BeaconClient } from '../../beacon/types.ts'
import type { NativePool, VerdictOptions } from '../../native/types.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { validateReveal, type Verdict } from '../../protocol/claim/valid.ts'

export interface ValidateOptions extends VerdictOptions {
  readonly onCheck?: (what: 'pulse' | 'proof') => void
}

export interface Verifier {
  /** Rejects without a verdict: pool closed or overloaded, or signal aborted. */
  validate(reveal: Reveal, options?: ValidateOptions): Promise<Verdict>
}

export function createVerifier(
  profile: NetworkProfile,
  beacon: Pick<BeaconClient, 'verify'>,
  pool: Pick<NativePool, 'verifyProof'>
): Verifier {
  return {
    validate: (reveal, options) =>
      validateReveal(reveal, profile, {
        verifyPulse: (pulse) => {
          options?.onCheck?.('pulse')
          return beacon.verify(pulse, options)
        },
        verifyProof: (check) => {
          options?.onCheck?.('proof')
          return pool.verifyProof(check, options)
        }
      })
  }
}
