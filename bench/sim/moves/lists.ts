/** Answers of those who list names that they cannot show. */
import { sha256 } from '../../../src/protocol/encoding/bytes.ts'
import type { ListedEntry, ListRequest } from '../../../src/network/wire/list.ts'
import { empty } from '../people/adversary.ts'
import type { Random } from '../world/random.ts'
import type { Answerer } from '../world/sim-node.ts'

/** Names that differ in what follows these bytes lie under one prefix, however large the network is. */
const SHARED_BYTES = 2

/** An entry of the next key behind the last one, under the prefix that is asked for: a list without end. */
export function nextInvented({ key, bits, after }: Pick<ListRequest, 'key' | 'bits' | 'after'>): ListedEntry {
  const next = Uint8Array.from(after ?? key.map((byte, index) => byte & maskOf(bits - 8 * index)))
  for (let index = next.length - 1; index >= 0; index--) {
    next[index] = (next[index]! + 1) & 0xff
    if (next[index] !== 0) break
  }
  return listed(next)
}

/** Lists a key among that many that nobody has, and shows no record. */
export function listingAmong(wanted: Uint8Array, names: number, random: Random): Answerer {
  const others = Array.from({ length: names }, () =>
    Uint8Array.from([...wanted.subarray(0, SHARED_BYTES), ...random.bytes(wanted.length - SHARED_BYTES)])
  )
  const entries = [wanted, ...others].sort((left, right) => Buffer.compare(left, right)).map(listed)
  return (request) => (request.type === 'list' ? { type: 'listed', entries, more: false } : empty(request))
}

/** The first of a byte's bits. */
function maskOf(bits: number): number {
  return 0xff << (8 - Math.max(0, Math.min(8, bits)))
}

function listed(key: Uint8Array): ListedEntry {
  return { key, state: 'settled', claim: sha256(key), record: sha256(key) }
}
