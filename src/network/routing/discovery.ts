/**
 * Looks for peers when one becomes known: kad-dht does so once at the start, when nobody is there yet, and then every
 * five minutes. And asks from time to time at a random key, for the size of the network.
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { blindedKey } from '../../protocol/claim/record-key.ts'
import { OWN_BITS } from '../kad/near-table.ts'
import type { Node } from '../libp2p.ts'
import type { LookUps } from './look-ups.ts'
import { onPeerKnown, tableSize } from './routing.ts'
import { positionOf } from '../position.ts'
import type { Clock } from '../../time/clock.ts'

/**
 * Nearer keys do not count for the network's size: peers there may have chosen their place to be near ourselves [a
 * crowd around one node].
 */
const MAX_SAMPLED_BITS = 6

/**
 * When a table holds this many times the peers of the last look, the network has grown, and its estimated size is too
 * small. A table can't grow so more than eleven times.
 */
const GROWTH = 1.5

/** Networks grow slowly, and a look-up costs some 70 KB. */
const SAMPLE_EVERY_MS = 6 * 60 * 60_000

/**
 * Starts. While fewer than k peers are known our own neighbours are looked up; then each part of the key space that is
 * farther away than they are, as a node does that joins a Kademlia network, and again whenever half as many more are
 * known. Kad-dht's own refreshes are enough besides. Returns the function that ends it.
 */
export function discoverPeers(
  node: Node,
  k: number,
  lookUps: LookUps,
  timers: Pick<Clock, 'every'>,
  log: Logger
): () => void {
  const ended = new AbortController()
  let running = false
  let again = false
  let knownAtLook = 0
  const attempt = async (look: () => Promise<unknown>): Promise<void> => {
    try {
      await look()
    } catch (error) {
      if (!ended.signal.aborted) log.debug({ err: error }, 'looking for peers failed')
    }
  }
  const run = async (look: () => Promise<unknown>): Promise<void> => {
    running = true
    again = false
    await attempt(look)
    running = false
    request(again)
  }
  /** Each part is the half of what is left; the last is that of our neighbours. */
  const lookFar = async (): Promise<void> => {
    try {
      for (let shared = 0; shared < OWN_BITS && 2 ** shared * k <= lookUps.networkSize(); shared++) {
        const key = farKey(positionOf(node.peerId), shared)
        if (shared < MAX_SAMPLED_BITS) await lookUps.sample(key, ended.signal, shared === 0)
        else await lookUps.anew(key, ended.signal)
      }
    } finally {
      knownAtLook = tableSize(node)
    }
  }
  const request = (wanted: boolean): void => {
    if (running) again ||= wanted
    else if (!wanted || ended.signal.aborted) return
    else if (tableSize(node) < k) void run(() => lookUps.anew(positionOf(node.peerId), ended.signal))
    else if (tableSize(node) >= GROWTH * knownAtLook) void run(lookFar)
  }
  const endListening = onPeerKnown(node, () => {
    request(true)
  })
  const endSampling = timers.every(SAMPLE_EVERY_MS, () => {
    if (tableSize(node) >= k) void attempt(() => lookUps.sample(randomBytes(32), ended.signal))
  })
  return () => {
    endListening()
    endSampling()
    ended.abort()
  }
}

/** A random key in the part of the key space that shares the first `shared` bits with ours and not the next. */
function farKey(own: Uint8Array, shared: number): Uint8Array {
  const key = own.slice()
  key[shared >> 3]! ^= 0x80 >> (shared & 7)
  return blindedKey(key, shared + 1, randomBytes(32))
}
