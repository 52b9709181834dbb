/** Looks for our own neighbours whenever a peer becomes known: kad-dht does so once at the start, when nobody is there yet, and then every five minutes. */
import type { Logger } from 'pino'
import type { Node } from './node.ts'
import type { LookUps } from './look-ups.ts'
import { onPeerKnown, tableSize } from './routing.ts'

/** Starts; with k peers or more in the table kad-dht's own refreshes are enough. Returns the function that ends it. */
export function discoverNeighbours(node: Node, k: number, lookUps: LookUps, log: Logger): () => void {
  const ended = new AbortController()
  let running = false
  let again = false
  const lookUp = async (): Promise<void> => {
    running = true
    again = false
    try {
      await lookUps.anew(node.peerId.toMultihash().bytes, ended.signal)
    } catch (error) {
      if (!ended.signal.aborted) log.debug({ err: error }, 'looking for neighbours failed')
    }
    running = false
    request(again)
  }
  const request = (wanted: boolean): void => {
    if (running) again = wanted
    else if (wanted && tableSize(node) < k && !ended.signal.aborted) void lookUp()
  }
  const endListening = onPeerKnown(node, () => {
    request(true)
  })
  return () => {
    endListening()
    ended.abort()
  }
}
