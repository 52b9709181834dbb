/**
 * Inbound connections being set up: places by prefix, and turns [peers that dial by the hundred]. A turn comes before
 * the first byte is read and anything is computed.
 */
import { setImmediate } from 'node:timers/promises'
import type { MultiaddrConnection } from '@libp2p/interface'
import { widePrefix, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import { systemClock, type Clock } from '../../time/clock.ts'
import { ConcurrencyLimit } from '../../util/concurrency.ts'
import { FairQueue } from '../budget/fair-queue.ts'
import { prefixOf } from './addresses.ts'

/**
 * - begun: those that had their turn. A silent one keeps its place for five seconds, so that a dozen turns a second come
 *   even if all are silent.
 * - waiting: one with nobody before it in its prefix waits two seconds at most.
 * - prefix, widePrefix: of one /24 or /48, and of one /16 or /32, begun or waiting, where the profile limits each. A
 *   handshake takes three round trips, so that far peers of one prefix still connect at its rate (budget.ts).
 */
export const HALF_OPEN = { begun: 64, waiting: 96, prefix: 8, widePrefix: 16 }

/** Beyond it libp2p refuses before it asks us, whatever the prefix. The margin: a waiting one that is sent away. */
export const MAX_HALF_OPEN = HALF_OPEN.begun + HALF_OPEN.waiting + 40

/**
 * Between two turns. A connection costs 4 ms of the event loop: the handshake half of it, the rest once it is open. So
 * newcomers take a fifth of it at most.
 */
const TURN_MS = 20

export interface HalfOpen {
  /**
   * True at its turn; false when its prefix has no place left, or when it makes room for prefixes that wait less. `end`
   * or closing returns the place.
   */
  begin(connection: MultiaddrConnection): Promise<boolean>
  end(connection: MultiaddrConnection): void
}

interface Waiting {
  /** False when it was closed meanwhile. */
  readonly begin: () => boolean
  readonly refuse: () => void
}

/** `mayConnect` charges the prefix for a connection, see gater.ts. */
export function limitHalfOpen(
  { answers_per_prefix: narrow, answers_per_wide_prefix: wide }: DiversityLimits,
  mayConnect: (prefix: string) => boolean,
  clock: Pick<Clock, 'sleep'> = systemClock
): HalfOpen {
  const ofPrefix = new ConcurrencyLimit(MAX_HALF_OPEN, narrow > 0 ? HALF_OPEN.prefix : MAX_HALF_OPEN)
  const ofWide = new ConcurrencyLimit(MAX_HALF_OPEN, wide > 0 ? HALF_OPEN.widePrefix : MAX_HALF_OPEN)
  const waiting = new FairQueue<Waiting>({ all: HALF_OPEN.waiting, peer: HALF_OPEN.waiting })
  const ends = new WeakMap<MultiaddrConnection, () => void>()
  const begun = new Set<MultiaddrConnection>()
  let isGiving = false
  let hasRoom = Promise.withResolvers<undefined>()

  async function giveTurns(): Promise<void> {
    isGiving = true
    for (;;) {
      await setImmediate()
      if (begun.size >= HALF_OPEN.begun) {
        hasRoom = Promise.withResolvers()
        await hasRoom.promise
      }
      const next = waiting.next()
      if (next === undefined) break
      if (next.begin()) await clock.sleep(TURN_MS)
    }
    isGiving = false
  }

  return {
    async begin(connection) {
      const prefix = prefixOf(connection.remoteAddr)
      const taken = [ofPrefix.take(prefix), ofWide.take(widePrefix(prefix))]
      const { promise, resolve } = Promise.withResolvers<boolean>()
      let isOver = false
      const end = (): void => {
        isOver = true
        for (const each of taken) each?.()
        if (begun.delete(connection)) hasRoom.resolve(undefined)
        resolve(false)
      }
      if (taken.includes(undefined) || !mayConnect(prefix)) {
        end()
        return promise
      }
      ends.set(connection, end)
      connection.addEventListener('close', end)
      const turn = {
        begin() {
          if (isOver) return false
          begun.add(connection)
          resolve(true)
          return true
        },
        refuse: end
      }
      waiting.add({ peer: prefix, prefix: widePrefix(prefix) }, turn)?.refuse()
      if (!isGiving) void giveTurns()
      return promise
    },
    end(connection) {
      ends.get(connection)?.()
    }
  }
}
