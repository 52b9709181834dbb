/** Keeps the table full: looks for peers as they become known, and again from time to time. Estimates the network's size. */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { blindedKey } from '../../protocol/neighbourhood/key-space.ts'
import { OWN_BITS, positionOf } from '../table.ts'
import type { Node } from '../libp2p.ts'
import type { LookUps } from './look-ups.ts'
import type { Clock } from '../../time/clock.ts'

/**
 * Nearer keys do not count for the network's size: peers there may have chosen ids near ours [a crowd around one node].
 */
const MAX_SAMPLED_BITS = 6

/**
 * Growth of the table since the last look that makes the size estimate too small. A table can grow by this at most
 * eleven times.
 */
const GROWTH = 1.5

/** Networks grow slowly, and a look-up costs some 70 KB. */
const SAMPLE_EVERY_MS = 6 * 60 * 60_000

/** A look-up near this node and one at a random key take turns. */
const REFRESH_EVERY_MS = 10 * 60_000

/**
 * Starts; returns the function that ends it. Below k known peers, looks up this node's neighbours. Then looks up each
 * farther part of the key space, as in Kademlia, and repeats when half as many more are known. `random`: bytes that nobody can foresee; seeded ones in a simulated network.
 */
export function discoverPeers(
  node: Node,
  k: number,
  lookUps: LookUps,
  timers: Pick<Clock, 'every'>,
  log: Pick<Logger, 'debug'>,
  random: (length: number) => Uint8Array = randomBytes
): () => void {
  const { table } = node.services
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
  /** Each part is half of what is left; the last is that of our neighbours. */
  const lookFar = async (): Promise<void> => {
    try {
      for (let shared = 0; shared < OWN_BITS && 2 ** shared * k <= lookUps.networkSize(); shared++) {
        const key = farKey(positionOf(node.peerId), shared, random(32))
        if (shared < MAX_SAMPLED_BITS) await lookUps.sample(key, ended.signal, shared === 0)
        else await lookUps.askNetwork(key, ended.signal)
      }
    } finally {
      knownAtLook = table.size
    }
  }
  const request = (wanted: boolean): void => {
    if (running) again ||= wanted
    else if (!wanted || ended.signal.aborted) return
    else if (table.size < k) void run(() => lookUps.askNetwork(positionOf(node.peerId), ended.signal))
    else if (table.size >= GROWTH * knownAtLook) void run(lookFar)
  }
  const endListening = table.onAdded(() => {
    request(true)
  })
  // Those that looked before this node was announced did not hear of it, and now have something to tell.
  const onAnnounced = (): void => {
    request(table.size > 0)
  }
  node.addEventListener('self:peer:update', onAnnounced)
  const endSampling = timers.every(SAMPLE_EVERY_MS, () => {
    if (table.size >= k) void attempt(() => lookUps.sample(random(32), ended.signal))
  })
  return () => {
    endListening()
    node.removeEventListener('self:peer:update', onAnnounced)
    endSampling()
    ended.abort()
  }
}

/** Keeps looking, near this node and at a random key by turns; returns the function that ends it. */
export function refreshTable(
  node: Node,
  lookUps: Pick<LookUps, 'askNetwork'>,
  timers: Pick<Clock, 'every'>,
  log: Pick<Logger, 'debug'>
): () => void {
  const ended = new AbortController()
  let looks = 0
  const end = timers.every(REFRESH_EVERY_MS, () => {
    if (node.services.table.size === 0) return
    const key = looks++ % 2 === 0 ? positionOf(node.peerId) : randomBytes(32)
    lookUps.askNetwork(key, ended.signal).catch((error: unknown) => {
      if (!ended.signal.aborted) log.debug({ err: error }, 'looking for peers failed')
    })
  })
  return () => {
    end()
    ended.abort()
  }
}

function farKey(own: Uint8Array, shared: number, random: Uint8Array): Uint8Array {
  const key = own.slice()
  key[shared >> 3]! ^= 0x80 >> (shared & 7)
  return blindedKey(key, shared + 1, random)
}
