import { MAX_PREFIX_BITS } from '../../../src/network/wire/list.ts'
import type { Request } from '../../../src/network/wire/messages.ts'

export const key = new Uint8Array(32).fill(0xab)

/** One of each shape. */
export const REQUESTS: Request[] = [
  { type: 'commit', commitment: key, nonce: new Uint8Array(8) },
  { type: 'put', kind: 'reveal', record: new Uint8Array([1, 2, 3]) },
  { type: 'put', kind: 'manifest', record: new Uint8Array() },
  { type: 'get', kind: 'kid', key },
  { type: 'list', key, bits: 0 },
  { type: 'list', key, bits: MAX_PREFIX_BITS, after: key },
  { type: 'commitments' },
  { type: 'commitments', after: key },
  { type: 'get', kind: 'reveal', key, brief: true }
]
