/** Valid, with its two costly checks off the event loop, and what it may cost for what peers offer. */
import type { BeaconClient } from '../../beacon/types.ts'
import type { NativePool, VerdictOptions, Urgency } from '../../native/types.ts'
import { changesIn, type Reveal } from '../../protocol/claim/reveal.ts'
import { validateReveal, type Verdict } from '../../protocol/claim/valid.ts'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { CHECK_MS, OURSELVES, type Budget, type Work } from '../budget/budget.ts'
import { BUSY } from '../wire/answers.ts'
import type { PutAnswer } from '../wire/records.ts'

interface ValidateOptions extends VerdictOptions {
  readonly onCheck?: (what: 'pulse' | 'proof') => void
}

export interface Verifier {
  /** Rejects without a verdict: pool closed or overloaded, or signal aborted. */
  validate(reveal: Reveal, options?: ValidateOptions): Promise<Verdict>
  /** What each check takes on one thread of this machine, in milliseconds. */
  readonly checkMs: () => Readonly<Record<'pulse' | 'proof', number>>
}

/** The pool caches verdicts. `proofMs` is what it measured, once it has. */
export function createVerifier(
  profile: NetworkProfile,
  beacon: Pick<BeaconClient, 'verify'>,
  pool: Pick<NativePool, 'verifyProof'>,
  proofMs: () => number = () => CHECK_MS.proof
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
      }),
    checkMs: () => ({ pulse: CHECK_MS.pulse, proof: proofMs() })
  }
}

export const FREE: Work = { charge: () => undefined, end: () => undefined }

/** Charges a sender's work to its budget, or answers `busy`; this node's own work is free. */
export async function withBudget(
  budget: Budget,
  sender: Origin,
  first: { readonly expected: boolean; readonly bytes: number; readonly milliseconds: number },
  action: (urgency: Urgency, work: Work) => Promise<PutAnswer>
): Promise<PutAnswer> {
  if (sender === OURSELVES) return action('own', FREE)
  const work = budget.begin(sender, first.expected, first.bytes, first.milliseconds)
  if (work === undefined) return BUSY
  try {
    return await action(first.expected ? 'expected' : 'unexpected', work)
  } finally {
    work.end()
  }
}

/**
 * The verdict on an offered Reveal, whose `vdf_proof` decodes. Its first pulse is already charged; other checks charge as
 * they come.
 */
export function verifyOffered(verifier: Verifier, reveal: Reveal, urgency: Urgency, work: Work): Promise<Verdict> {
  work.charge(CHECK_MS.change * changesIn(reveal))
  let isPaid = true
  const onCheck = (what: 'pulse' | 'proof'): void => {
    if (!isPaid) work.charge(verifier.checkMs()[what])
    isPaid = false
  }
  return verifier.validate(reveal, { urgency, onCheck })
}
