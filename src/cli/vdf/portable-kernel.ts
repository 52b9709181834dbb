/** The kernel of the command line where no addon loads: it verifies, and evaluates nothing. */
import { missingAddon } from '../../native/addon.ts'
import { NativeError } from '../../native/errors.ts'
import { discriminantFromBytes, discriminantFromSeed } from '../../vdf/discriminant.ts'
import { encodeForm } from '../../vdf/encoding.ts'
import { generator } from '../../vdf/form.ts'
import { toBytesBe } from '../../vdf/integers.ts'
import { verifyProof } from '../../vdf/verify.ts'
import type { Kernel, ProofClaim, Verdict } from './kernel.ts'

const unable = (): Promise<never> =>
  Promise.reject(missingAddon() ?? new NativeError('ADDON_MISSING', 'There is no native addon.'))

export const portableKernel: Kernel = {
  backend: 'bigint',
  steps: 'none',
  verify: (claim) => Promise.resolve(verdictOf(claim)),
  discriminant: (seed, bits) => Promise.resolve(toBytesBe(discriminantFromSeed(seed, bits).magnitude, bits / 8)),
  evaluate: unable,
  measureRate: unable,
  close: () => Promise.resolve()
}

function verdictOf({ source, bits, iterations, x, depth, proof }: ProofClaim): Verdict {
  try {
    const discriminant =
      'seed' in source ? discriminantFromSeed(source.seed, bits) : discriminantFromBytes(source.discriminant)
    const start = x ?? encodeForm(generator(discriminant), discriminant)
    const valid = verifyProof(discriminant, start, BigInt(iterations), proof, depth)
    return valid ? { valid } : { valid, reason: 'the proof does not prove this' }
  } catch (error) {
    // a discriminant that is none is part of the claim here
    if (error instanceof RangeError) return { valid: false, reason: error.message }
    throw error
  }
}
