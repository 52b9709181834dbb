/** Server-sent events (HTML Living Standard, 9.2). */
import type { Context } from 'hono'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from './request.ts'

/** docs/api.md, "Events". */
export const HEARTBEAT_MS = 15_000
/**
 * Drops a client that has taken nothing for this many heartbeats. Until then it costs the socket's buffers and one
 * event: the source is not asked for another. Last-Event-ID gives it everything again.
 */
const STALLED_HEARTBEATS = 4
/** The browser's pause before it reconnects. */
const RETRY_MS = 2000

/** Open at once by one token, its sessions included: above the tabs of a browser, a tenth of all connections. */
export const MAX_STREAMS = 100

export interface ServerSentEvent {
  readonly id: number
  /** Left out: `message`, which is what EventSource hands to onmessage. */
  readonly event?: string
  readonly data: unknown
}

export interface EventStreamOptions {
  readonly heartbeatMs: number
  /** Ends the stream when the server closes. */
  readonly shutdown: AbortSignal
  /** Open ones by token. */
  readonly open: Map<string, number>
}

/** The Last-Event-ID of a client that comes back; undefined when there is none, or none of ours. */
export function lastEventId(c: Context<AppEnv>): number | undefined {
  const header = c.req.header('Last-Event-ID')
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

/**
 * Answers with a stream of events at the reader's pace. It takes an event from the source only when the client has
 * room, so the source may coalesce. Sends a comment after `heartbeatMs` of silence. Ends once the caller's token or
 * session is no longer valid. SVC-REQ-005 beyond {@link MAX_STREAMS}.
 */
export function eventStream(
  c: Context<AppEnv>,
  source: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { heartbeatMs, shutdown, open }: EventStreamOptions
): Response {
  c.header('Content-Type', 'text/event-stream')
  c.header('Cache-Control', 'no-store')
  c.header('X-Accel-Buffering', 'no')
  if (c.req.method === 'HEAD') return c.body(null)
  const caller = c.get('caller')
  const closed = new AbortController()
  takePlace(open, caller.token ?? '', heartbeatMs, closed.signal)
  dropWhenStalled(c, heartbeatMs)

  const close = () => {
    shutdown.removeEventListener('abort', close)
    closed.abort()
  }
  const encoder = new TextEncoder()
  // Sources end when their signal aborts, so closing needs no word of its own here.
  const events = source(closed.signal)[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (shutdown.aborted) close()
      else shutdown.addEventListener('abort', close)
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`))
    },
    async pull(controller) {
      next ??= events.next()
      const turn = await orHeartbeat(next, heartbeatMs)
      if (!caller.isCurrent()) {
        close()
        controller.close()
        await events.return?.()
        return
      }
      if (turn === 'heartbeat') {
        controller.enqueue(encoder.encode(': heartbeat\n\n'))
        return
      }
      next = undefined
      if (turn.done !== true) {
        controller.enqueue(encoder.encode(format(turn.value)))
        return
      }
      close()
      controller.close()
    },
    async cancel() {
      close()
      await events.return?.()
    }
  })
  return c.body(body)
}

/** Counts the stream until it closes. */
function takePlace(open: Map<string, number>, token: string, heartbeatMs: number, closed: AbortSignal): void {
  const others = open.get(token) ?? 0
  if (others >= MAX_STREAMS)
    throw new ServiceError(
      'SVC-REQ-005',
      `This token has ${others} event streams open, the most that one may have. Close some, or use a token of its ` +
        'own for each program. GET /api/events has what all tasks do in one stream.',
      // By then a stream whose reader has gone is noticed.
      { retryAfter: heartbeatMs / 1000 }
    )
  open.set(token, others + 1)
  closed.addEventListener('abort', () => {
    const left = open.get(token)! - 1
    if (left > 0) open.set(token, left)
    else open.delete(token)
  })
}

/**
 * Node's own measure: a socket times out when it has written nothing for so long. Node takes the time-out back with the
 * next request.
 */
function dropWhenStalled(c: Context<AppEnv>, heartbeatMs: number): void {
  const bindings = c.env as AppEnv['Bindings'] | undefined
  bindings?.incoming?.socket.setTimeout(STALLED_HEARTBEATS * heartbeatMs)
}

function format({ id, event, data }: ServerSentEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `id: ${id}\n${name}data: ${JSON.stringify(data)}\n\n`
}

async function orHeartbeat<T>(event: Promise<T>, heartbeatMs: number): Promise<T | 'heartbeat'> {
  const { promise, resolve } = Promise.withResolvers<'heartbeat'>()
  const timer = setTimeout(() => resolve('heartbeat'), heartbeatMs)
  try {
    return await Promise.race([event, promise])
  } finally {
    clearTimeout(timer)
  }
}
