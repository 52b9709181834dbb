import type { PeerId } from '@libp2p/interface'
import { sha256 } from '../protocol/encoding/bytes.ts'

/** A peer's position in the key space, 32 bytes. */
export function positionOf(peer: PeerId): Uint8Array {
  return sha256(peer.toMultihash().bytes)
}
