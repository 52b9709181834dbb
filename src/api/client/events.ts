/** Reads server-sent events, connecting again where a stream is cut. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'

export interface EventMessage {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** First pause before connecting again; doubled up to the last. */
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5000
/**
 * The daemon sends something every 15 s. A connection silent for longer is dead, even without an error (the machine
 * slept, a tunnel broke).
 */
const SILENCE_MS = 45_000
/** Attempts in a row without an event before the caller gets the error. */
const MAX_ATTEMPTS = 8

/**
 * Opens the stream after `lastEventId`; undefined when there is nothing more to come. `again` is false for the first
 * connection.
 */
export type Connect = (lastEventId: string | undefined, again: boolean) => Promise<Response | undefined>

/**
 * Yields the events of a stream. When it is cut, or ends because the daemon stops, it connects again, naming the last
 * event seen. Ends when `connect` says so or `signal` aborts. The error of the first connection is thrown at once, and
 * so is a problem at any. `whenLost` is called at each connection that failed or ended, before the pause.
 */
export async function* readEventStream(
  connect: Connect,
  signal?: AbortSignal,
  whenLost?: () => void,
  silenceMs = SILENCE_MS
): AsyncGenerator<EventMessage, void> {
  let lastEventId: string | undefined
  let failure: unknown
  let isConnected = false
  for (let attempts = 0; attempts <= MAX_ATTEMPTS; attempts++) {
    if (attempts > 0) {
      whenLost?.()
      if (!(await waited(attempts, signal))) return
    }
    try {
      const response = await connect(lastEventId, attempts > 0)
      if (response?.body == null) return
      isConnected = true
      for await (const message of parseEvents(heard(response.body, silenceMs))) {
        lastEventId = message.id
        attempts = 0
        yield message
      }
      failure = new Error('The event stream ended again and again without an event')
    } catch (error) {
      if (signal?.aborted === true) return
      // A restarting daemon is briefly absent; one that answers with a problem has decided.
      if (!isConnected || (error instanceof Error && error.name === 'ProblemError')) throw error
      failure = error
    }
  }
  throw failure
}

/** False when the signal aborts meanwhile. */
async function waited(attempts: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS))
  const abort = () => resolve(false)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** The chunks of a stream; throws when none comes for `silenceMs`. */
async function* heard(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const silent = Promise.withResolvers<never>()
      const timer = setTimeout(() => silent.reject(new Error('The event stream has fallen silent')), silenceMs)
      try {
        const { done, value } = await Promise.race([reader.read(), silent.promise])
        if (done) return
        yield value
      } finally {
        clearTimeout(timer)
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Events of one connection; skips comments and `retry`. Throws SyntaxError for data that is not JSON. */
export async function* parseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventMessage, void> {
  const decoder = new TextDecoder()
  const complete: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => complete.push(event) })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const { id = '', event = 'message', data } of complete.splice(0))
      yield { id, event, data: JSON.parse(data) as unknown }
  }
}
