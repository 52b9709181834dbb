import type { DaemonEvent } from './schemas/daemon.ts'

interface EventLogOptions {
  /** Number of events kept for later readers. */
  readonly capacity: number
  readonly now: () => number
}

export interface EventLog {
  /** Kept events after `lastEventId`, then new ones. A slow reader loses the oldest. */
  stream(lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<DaemonEvent>
}

export interface WritableEventLog extends EventLog {
  append(type: string, detail: Record<string, unknown>): void
}

/**
 * The last events of the daemon, in memory. Ids start at the time of the start in milliseconds. No run has as many
 * events as milliseconds, so a reader with an id of the last run misses nothing of this one.
 */
export function createEventLog({ capacity, now }: EventLogOptions): WritableEventLog {
  const kept: DaemonEvent[] = []
  let newest = now()
  let news = Promise.withResolvers<undefined>()
  /** Every waiting reader looks again. */
  const wake = () => {
    news.resolve(undefined)
    news = Promise.withResolvers()
  }

  return {
    append(type, detail) {
      kept.push({ id: ++newest, at: new Date(now()).toISOString(), type, detail })
      if (kept.length > capacity) kept.shift()
      wake()
    },
    async *stream(lastEventId, signal) {
      // An id we never gave, as after a clock that was set back: everything is news.
      let seen = lastEventId === undefined || lastEventId > newest ? 0 : lastEventId
      signal.addEventListener('abort', wake, { once: true })
      while (!signal.aborted) {
        const event = kept.find(({ id }) => id > seen)
        if (event === undefined) await news.promise
        else {
          seen = event.id
          yield event
        }
      }
    }
  }
}
