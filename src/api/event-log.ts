import type { DaemonEvent, EventLog } from './services.ts'

export interface EventLogOptions {
  /** Events kept for those who come later. */
  readonly capacity: number
  readonly clock: () => number
}

export interface WritableEventLog extends EventLog {
  append(type: string, detail: Record<string, unknown>): void
}

/** The last events of the daemon, in memory. Ids begin anew with each start. */
export function createEventLog({ capacity, clock }: EventLogOptions): WritableEventLog {
  const kept: DaemonEvent[] = []
  let newest = 0
  let news = Promise.withResolvers<undefined>()
  /** Every waiting reader looks again. */
  const wake = () => {
    news.resolve(undefined)
    news = Promise.withResolvers()
  }

  return {
    append(type, detail) {
      kept.push({ id: ++newest, at: new Date(clock()).toISOString(), type, detail })
      if (kept.length > capacity) kept.shift()
      wake()
    },
    async *stream(lastEventId, signal) {
      // An id we never gave is from before a restart: everything is news.
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
