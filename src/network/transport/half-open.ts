/** Inbound connections being set up, by prefix: a silent one holds its place for five seconds. */
import type { MultiaddrConnection } from '@libp2p/interface'
import { widePrefix, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import { prefixOf } from './addresses.ts'
import { ConcurrencyLimit } from '../../util/concurrency-limit.ts'

export const MAX_HALF_OPEN = 100

/**
 * Of one /24 or /48, and of one /16 or /32, where the profile limits each: five seconds at the rate of one prefix
 * (budget.ts), and twice as much.
 */
const OF_PREFIX = 25
const OF_WIDE_PREFIX = 50

export interface HalfOpen {
  /** False when its prefix has no place left. `end` or closing returns the place. */
  begin(connection: MultiaddrConnection): boolean
  end(connection: MultiaddrConnection): void
}

export function limitHalfOpen({
  answers_per_prefix: narrow,
  answers_per_wide_prefix: wide
}: DiversityLimits): HalfOpen {
  const ofPrefix = new ConcurrencyLimit(MAX_HALF_OPEN, narrow > 0 ? OF_PREFIX : MAX_HALF_OPEN)
  const ofWide = new ConcurrencyLimit(MAX_HALF_OPEN, wide > 0 ? OF_WIDE_PREFIX : MAX_HALF_OPEN)
  const ends = new WeakMap<MultiaddrConnection, () => void>()
  return {
    begin(connection) {
      const prefix = prefixOf(connection.remoteAddr)
      const taken = [ofPrefix.take(prefix), ofWide.take(widePrefix(prefix))]
      const leave = (): void => {
        for (const each of taken) each?.()
      }
      if (taken.includes(undefined)) {
        leave()
        return false
      }
      ends.set(connection, leave)
      connection.addEventListener('close', leave)
      return true
    },
    end(connection) {
      ends.get(connection)?.()
    }
  }
}
