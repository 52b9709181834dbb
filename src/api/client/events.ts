/** Reads server-sent events, connecting again where a stream is cut. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Backoff } from '../../util/backoff.ts'
import { ProblemError, type Sender, UnreachableError } from './transport.ts'
import type { DaemonEvent, DaemonEventMessage, StreamOptions, TaskEventMessage, TaskView } from './types.ts'

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
  const pauses = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS)
  for (let attempts = 0; attempts <= MAX_ATTEMPTS; attempts++) {
    if (attempts > 0) {
      whenLost?.()
      if (!(await waited(pauses.next(), signal))) return
    }
    try {
      const response = await connect(lastEventId, attempts > 0)
      if (response?.body == null) return
      isConnected = true
      for await (const message of parseEvents(heard(response.body, silenceMs))) {
        lastEventId = message.id
        attempts = 0
        pauses.reset()
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
async function waited(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), milliseconds)
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
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const complete: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => complete.push(event) })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const { id = '', event = 'message', data } of complete.splice(0))
      yield { id, event, data: JSON.parse(data) as unknown }
  }
}

const openStream = ({ send }: Sender, path: string, lastEventId: string | undefined, signal?: AbortSignal) =>
  send('GET', path, {
    headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId },
    signal,
    timeoutMs: Infinity
  })

/** Ends after `completed` or `failed`, or when the signal aborts. */
export async function* taskEvents(
  sender: Sender,
  path: string,
  { signal, lastEventId, onLost }: StreamOptions
): AsyncGenerator<TaskEventMessage, void> {
  let last = Number(lastEventId ?? 0)
  let ended: TaskView | undefined
  const connect = async (seen: string | undefined, again: boolean) => {
    const task = again ? await sender.json<TaskView>('GET', path, { signal }) : undefined
    if (task !== undefined && task.status !== 'running') ended = task
    return ended === undefined ? await openStream(sender, `${path}/events`, seen ?? lastEventId, signal) : undefined
  }
  for await (const { id, event, data } of withoutBreaks(readEventStream(connect, signal, onLost), sender.base)) {
    const type = event as TaskEventMessage['type']
    last = Number(id)
    yield { id: last, type, task: data as TaskView }
    if (type === 'completed' || type === 'failed') return
  }
  // It ended while nobody was connected, and its events are gone.
  if (ended !== undefined && ended.status !== 'running') yield { id: last, type: ended.status, task: ended }
}

/** Ends when the signal aborts. */
export async function* daemonEvents(
  sender: Sender,
  { signal, lastEventId, onLost }: StreamOptions
): AsyncGenerator<DaemonEventMessage, void> {
  const connect = (seen: string | undefined) => openStream(sender, '/api/events', seen ?? lastEventId, signal)
  for await (const { id, data } of withoutBreaks(readEventStream(connect, signal, onLost), sender.base))
    yield { id, event: data as DaemonEvent }
}

/** Turns the platform's errors of a broken stream into {@link UnreachableError}. */
async function* withoutBreaks<T>(events: AsyncIterable<T>, base: string): AsyncGenerator<T, void> {
  try {
    yield* events
  } catch (cause) {
    if (cause instanceof ProblemError || cause instanceof UnreachableError) throw cause
    throw new UnreachableError(`The daemon at ${base} answers no more.`, { cause })
  }
}
