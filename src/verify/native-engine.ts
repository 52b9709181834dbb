/** The engine of the addon: about six milliseconds a claim, on the calling thread. */
import { LruMap } from '../util/bounded-map.ts'
import { addon, type Addon, type ChainKey, type Verifier } from '../native/addon.ts'
import { NativeError } from '../native/types.ts'
import { toHex } from '../protocol/encoding/bytes.ts'
import type { Engine } from './verification.ts'

/** Discriminants and chain keys that are remembered, a kilobyte and 40 kB each. */
const DISCRIMINANTS_KEPT = 64
const CHAIN_KEYS_KEPT = 4

/** Undefined where no addon loads for this platform. */
export function nativeEngine(): Engine | undefined {
  let kernel: Addon
  try {
    kernel = addon()
  } catch (error) {
    if (error instanceof NativeError && (error.code === 'ADDON_MISSING' || error.code === 'ADDON_UNAVAILABLE'))
      return undefined
    throw error
  }
  const keys = new LruMap<string, ChainKey>(CHAIN_KEYS_KEPT)
  const stop = new Uint32Array(new SharedArrayBuffer(4))
  let verifier: Verifier | undefined
  return {
    backend: 'native',
    verifyVdf: ({ seed, bits, iterations, split, proof }) => {
      verifier ??= new kernel.Verifier(DISCRIMINANTS_KEPT)
      return verifier.verify([{ seed, bits, iterations, split, proof }], stop)[0] === true
    },
    verifyPulse: (publicKey, round, signature) => {
      const id = toHex(publicKey)
      let key = keys.get(id)
      if (key === undefined) {
        key = new kernel.ChainKey(publicKey)
        keys.set(id, key)
      }
      return key.verify(round, signature)
    }
  }
}
