/**
 * How long to wait for each peer before others are asked beside it. A peer that is late loses no vote: its answer counts
 * if it comes before the others have decided. Quorums are counted elsewhere, and do not know of time.
 */
import type { PeerId } from '@libp2p/interface'
import { BoundedMap } from '../../util/bounded-map.ts'
import type { Node } from '../libp2p.ts'
import { ask } from './exchange.ts'
import type { Request } from './messages.ts'

/** Answer times kept of one peer and of all, and how many of one suffice to go by. */
const KEPT = { peer: 16, all: 128 }
const ENOUGH = 4
const MAX_PEERS = 4_096

/** Nine of ten answers come within it. */
const USUAL_PART = 0.9

/**
 * Between these, whatever the answers took: liars that answer at once make nobody else late, and those that answer
 * slowly hold nothing up for longer. The lower one is the farthest round trip on Earth.
 */
const PATIENCE_MS = { least: 300, most: 1_000, unknown: 500 }

/** A connection is opened first, in some three round trips. */
const DIALLED_MS = { times: 2, most: 750 }

/** After this many questions in a row without an answer in time, nobody waits for a peer for that long. */
const MISSES = 2
const SHUNNED_MS = 5 * 60_000

export interface Patience {
  /** `ask`, timed. */
  readonly ask: typeof ask
  /** Milliseconds; 0 for a peer that is late with an answer now, or repeatedly was. */
  waitMs(peer: PeerId): number
  /** Smoothed; that of unknown peers is in between. */
  roundTripMs(peer: PeerId): number
}

interface Known {
  readonly times: number[]
  roundTripMs: number | undefined
  misses: number
  shunnedUntilMs: number
  /** When the answers that are awaited are late. */
  readonly awaited: Set<{ readonly lateAtMs: number }>
}

/** Answered from memory, so that their times are those of the line. Others wait for proofs and neighbours. */
const isQuick = ({ type }: Request): boolean => type === 'get' || type === 'find'

/** `now` is monotonic, in milliseconds. */
export function createPatience(node: Node, exchange = ask, now: () => number = () => performance.now()): Patience {
  const all: number[] = []
  const peers = new BoundedMap<string, Known>(MAX_PEERS)
  const knownOf = (peer: PeerId): Known => {
    const known = peers.get(peer.toString()) ?? {
      times: [],
      roundTripMs: undefined,
      misses: 0,
      shunnedUntilMs: -Infinity,
      awaited: new Set()
    }
    peers.set(peer.toString(), known)
    return known
  }
  const isConnected = (peer: PeerId): boolean => node.getConnections(peer).length > 0
  const usualMs = (peer: PeerId): number => {
    const { times } = knownOf(peer)
    const usual = (times.length >= ENOUGH ? usualOf(times) : usualOf(all)) ?? PATIENCE_MS.unknown
    const waitMs = Math.min(PATIENCE_MS.most, Math.max(PATIENCE_MS.least, usual))
    return isConnected(peer) ? waitMs : Math.max(waitMs, Math.min(DIALLED_MS.most, waitMs * DIALLED_MS.times))
  }
  const heard = (known: Known, tookMs: number): void => {
    keep(known.times, tookMs, KEPT.peer)
    keep(all, tookMs, KEPT.all)
    known.roundTripMs = known.roundTripMs === undefined ? tookMs : (7 * known.roundTripMs + tookMs) / 8
  }

  return {
    async ask(asker, peer, request, profile, signal) {
      if (!isQuick(request)) return exchange(asker, peer, request, profile, signal)
      const known = knownOf(peer)
      const wasConnected = isConnected(peer)
      const begunMs = now()
      const question = { lateAtMs: begunMs + usualMs(peer) }
      known.awaited.add(question)
      try {
        const answer = await exchange(asker, peer, request, profile, signal)
        known.misses = 0
        if (wasConnected) heard(known, now() - begunMs)
        return answer
      } catch (error) {
        if (now() >= question.lateAtMs && ++known.misses >= MISSES) known.shunnedUntilMs = now() + SHUNNED_MS
        throw error
      } finally {
        known.awaited.delete(question)
      }
    },
    waitMs(peer) {
      const { misses, shunnedUntilMs, awaited } = knownOf(peer)
      const isShunned = misses >= MISSES && now() < shunnedUntilMs
      return isShunned || [...awaited].some(({ lateAtMs }) => now() > lateAtMs) ? 0 : usualMs(peer)
    },
    roundTripMs: (peer) => knownOf(peer).roundTripMs ?? PATIENCE_MS.least
  }
}

function keep(times: number[], tookMs: number, most: number): void {
  times.push(tookMs)
  if (times.length > most) times.shift()
}

function usualOf(times: readonly number[]): number | undefined {
  return times.toSorted((left, right) => left - right)[Math.ceil(times.length * USUAL_PART) - 1]
}

/**
 * Calls `listener` after that time; returns the function that ends the wait. What arrived meanwhile is read first: a
 * busy machine makes nobody late.
 */
export function afterWait(milliseconds: number, listener: () => void): () => void {
  let isOver = false
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isOver) listener()
    })
  }, milliseconds)
  timer.unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
