/**
 * What a node keeps of a settled claim that it is no longer close to, in order to refuse others [displaced holders].
 */
import { encodeCbor } from '../encoding/cbor.ts'
import type { Reveal } from '../claim/reveal.ts'
import { linksOf } from '../claim/reveal.ts'
import type { Link } from '../claim/vdf-proof.ts'
import { linkValue } from '../claim/vdf-proof.ts'

export interface Stub {
  name: string
  pubkey: Uint8Array
  first: Link
  /** The same as `first` where the name was never renewed. */
  newest: Link
}

/**
 * About 1 KB (docs/protocol/wire.md, 8): two links of at most 480 bytes, each with its salt, name and
 * key.
 */
export const MAX_STUB_BYTES = 1200

export function stubOf(reveal: Reveal): Stub {
  const links = linksOf(reveal)
  return { name: reveal.name, pubkey: reveal.pubkey, first: links[0]!, newest: links.at(-1)! }
}

/** Deterministic CBOR {name, pubkey, first, newest?}; `newest` only where it is another link. */
export function encodeStub({ name, pubkey, first, newest }: Stub): Uint8Array {
  const own = { name, pubkey, first: linkValue(first) }
  return encodeCbor(newest.p === first.p ? own : { ...own, newest: linkValue(newest) })
}
