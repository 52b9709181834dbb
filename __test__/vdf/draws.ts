/** Bytes that look drawn and are the same in every run. */
import { concatBytes, sha256, u64be } from '../../src/protocol/encoding/bytes.ts'

export function draws(seed: number) {
  let count = 0
  const bytes = (length: number): Uint8Array => {
    let all = new Uint8Array(0)
    while (all.length < length) all = new Uint8Array(concatBytes(all, sha256(u64be(seed), u64be(count++))))
    return all.subarray(0, length)
  }
  return {
    bytes,
    /** From 0 to `limit` - 1, at most 2^32. */
    below: (limit: number): number => new DataView(Uint8Array.from(bytes(4)).buffer).getUint32(0) % limit
  }
}
