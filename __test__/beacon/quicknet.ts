/** The recorded quicknet pulses (vectors/README.md) in the program's own shapes. */
import { readFileSync } from 'node:fs'
import type { BeaconChain, Pulse } from '../../src/beacon/types.ts'

interface Vectors {
  chain_hash: string
  scheme: 'bls-unchained-g1-rfc9380'
  public_key: string
  period: number
  genesis_time: number
  pulses: { round: number; signature: string; randomness: string }[]
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/quicknet-pulses.json', import.meta.url), 'utf8')) as Vectors

export const quicknet: BeaconChain = {
  chain_hash: vectors.chain_hash,
  public_key: vectors.public_key,
  scheme: vectors.scheme,
  period: vectors.period,
  genesis: vectors.genesis_time
}

export const quicknetKey = bytes(vectors.public_key)

export const recorded: readonly (Pulse & { randomness: Uint8Array })[] = vectors.pulses.map(
  ({ round, signature, randomness }) => ({
    round,
    signature: bytes(signature),
    randomness: bytes(randomness)
  })
)

export function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
