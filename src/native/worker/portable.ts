/** What the pool's threads do where no addon loads: all but evaluations, slowly, on BigInt. */
import { concatBytes, sha256, u64be } from '../../protocol/encoding/bytes.ts'
import { leadingZeroBits } from '../../protocol/crypto/stamp.ts'
import { discriminantFromSeed } from '../../vdf/discriminant.ts'
import { toBytesBe } from '../../vdf/integers.ts'
import { verifyPulse } from '../../vdf/pulse.ts'
import { verifyQuestion } from '../../vdf/verify.ts'
import type { ProofQuestion, PulseQuestion } from '../types.ts'
import type { WorkerCalls } from './requests.ts'

/** Attempts between two looks at the stop word: some ten milliseconds. */
const ATTEMPTS_PER_LOOK = 4096

/** As the addon's Verifier: fewer verdicts than questions when the stop word is set. */
export function verifyProofs(questions: readonly ProofQuestion[], stop: Uint32Array): boolean[] {
  const verdicts: boolean[] = []
  for (const question of questions) {
    if (Atomics.load(stop, 0) !== 0) break
    verdicts.push(verifyQuestion(question))
  }
  return verdicts
}

export function discriminant(seed: Uint8Array, bits: number): Uint8Array {
  return toBytesBe(discriminantFromSeed(seed, bits).magnitude, bits / 8)
}

export function pulseHolds({ publicKey, round, signature }: PulseQuestion): boolean {
  return verifyPulse(publicKey, round, signature)
}

export function searchStamp(
  { prefix, bits, start, attempts }: WorkerCalls['searchStamp']['request'],
  stop: Uint32Array
): WorkerCalls['searchStamp']['value'] {
  for (let nonce = start; nonce < start + attempts; nonce++) {
    if (nonce % ATTEMPTS_PER_LOOK === 0 && Atomics.load(stop, 0) !== 0) return { next: nonce }
    if (leadingZeroBits(sha256(concatBytes(prefix, u64be(nonce)))) >= bits) return { nonce, next: nonce + 1 }
  }
  return { next: start + attempts }
}
