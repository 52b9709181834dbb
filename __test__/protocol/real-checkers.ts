/** Pulses and proofs as the kernel verifies them. */
import { addon } from '../../src/native/addon.ts'
import type { Checkers } from '../../src/protocol/claim/valid.ts'
import { fromHex } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'

export function realCheckers(profile: NetworkProfile): Checkers {
  const kernel = addon()
  const chain = new kernel.ChainKey(fromHex(profile.beacon.public_key))
  return {
    verifyPulse: ({ round, signature }) => Promise.resolve(chain.verify(round, signature)),
    verifyProof: ({ seed, bits, iterations, split, proof }) =>
      Promise.resolve(
        kernel.verifyProof(kernel.Discriminant.fromSeed(seed, bits), null, iterations, proof, split === null ? 0 : 1)
      )
  }
}
