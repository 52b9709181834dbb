/** Valid, with its two costly questions answered off the event loop; the pool remembers the verdicts. */
import type { BeaconClient } from '../../beacon/types.ts'
import type { NativePool, VerdictOptions } from '../../native/types.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { validateReveal, type Verdict } from '../../protocol/claim/valid.ts'

export interface ValidateOptions extends VerdictOptions {
  /** Called before each check that takes time. */
  readonly onCheck?: (what: 'pulse' | 'proof') => void
}

export interface Verifier {
  /** Rejects when there is no verdict: the pool is closed or has too much to do, say, or the signal was aborted. */
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
