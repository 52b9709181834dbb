/** The stamp search, slice by slice: other work for the thread gets its turn in between. */
import type { Call } from './requests.ts'
import type { StampQuestion } from '../types.ts'

/** About 50 ms of hashing at ten million a second. */
const ATTEMPTS_PER_SLICE = 2 ** 19
const NONCE_BYTES = 8

export async function findStamp({ prefix, bits, signal }: StampQuestion, call: Call): Promise<Uint8Array> {
  signal?.throwIfAborted()
  const stop = new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT)
  const onAbort = (): void => {
    Atomics.store(new Uint32Array(stop), 0, 1)
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (let start = 0; ;) {
      const { nonce, next } = await call('searchStamp', { prefix, bits, start, attempts: ATTEMPTS_PER_SLICE, stop })
      signal?.throwIfAborted()
      if (nonce !== undefined) return encodeNonce(nonce)
      start = next
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

function encodeNonce(nonce: number): Uint8Array {
  const bytes = new Uint8Array(NONCE_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(nonce))
  return bytes
}
