/** Looks for peers when one becomes known: kad-dht does so once at the start, when nobody is there yet, and then every five minutes. */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { blindedKey } from '../protocol/record-key.ts'
import type { Node } from './node.ts'
import type { LookUps } from './look-ups.ts'
import { estimateNetworkSize, onPeerKnown, positionOf, tableSize } from './routing.ts'

/**
 * Starts. While fewer than k peers are known our own neighbours are looked up; then, once, each part of the key space that is farther away than they are, as a node does
 * that joins a Kademlia network. Kad-dht's own refreshes are enough afterwards. Returns the function that ends it.
 */
export function discoverPeers(node: Node, k: number, lookUps: LookUps, log: Logger): () => void {
  const ended = new AbortController()
  let running = false
  let again = false
  let areFarLookedUp = false
  const lookUp = async (preimages: readonly Uint8Array[]): Promise<void> => {
    running = true
    again = false
    try {
      for (const preimage of preimages) await lookUps.anew(preimage, ended.signal)
    } catch (error) {
      if (!ended.signal.aborted) log.debug({ err: error }, 'looking for peers failed')
    }
    running = false
    request(again)
  }
  const request = (wanted: boolean): void => {
    if (running) again ||= wanted
    else if (!wanted || ended.signal.aborted) return
    else if (tableSize(node) < k) void lookUp([node.peerId.toMultihash().bytes])
    else if (!areFarLookedUp) {
      areFarLookedUp = true
      void lookUp(farKeys(positionOf(node.peerId), estimateNetworkSize(node, k) / k))
    }
  }
  const endListening = onPeerKnown(node, () => {
    request(true)
  })
  return () => {
    endListening()
    ended.abort()
  }
}

/** Preimages of a random key in each part of the key space that shares i bits with ours and not the next, up to the part of our neighbours, a `parts`-th of it. */
function farKeys(own: Uint8Array, parts: number): Uint8Array[] {
  return Array.from({ length: Math.floor(Math.log2(Math.max(1, parts))) + 1 }, (_, shared) => {
    const key = own.slice()
    key[shared >> 3]! ^= 0x80 >> (shared & 7)
    return blindedKey(key, shared + 1, randomBytes(32)).preimage
  })
}
