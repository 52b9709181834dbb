/** Server-sent events over fetch: EventSource sends no header. */
import { loggedOut, sessionHeaders } from './http.ts'
import { noteLost } from './connection.ts'

/** Between the end of a stream and the next try. */
const RETRY_MS = 2000

type Listener = (type: string, data: unknown, id: string | undefined) => void

/**
 * Calls `listener(type, data, id)` for each event. Connects again by itself, from the last event on. Returns what
 * closes the stream. `last`: the id after which it begins.
 */
export function stream(path: string, listener: Listener, last: string | undefined): () => void {
  const closed = new AbortController()
  void follow(path, listener, closed.signal, last)
  return () => closed.abort()
}

async function follow(path: string, listener: Listener, signal: AbortSignal, from: string | undefined): Promise<void> {
  let last = from
  const isOpen = (): boolean => !signal.aborted
  while (isOpen()) {
    try {
      const response = await fetch(path, {
        credentials: 'same-origin',
        signal,
        headers: { ...sessionHeaders(), ...(last !== undefined && { 'Last-Event-ID': last }) }
      })
      if (response.status === 401) {
        loggedOut()
        return
      }
      if (response.status === 403 || response.status === 404) return
      if (response.ok && response.body !== null) {
        for await (const { id, type, data } of events(response.body)) {
          last = id ?? last
          listener(type, JSON.parse(data), last)
        }
      }
    } catch {
      // The daemon has gone, or the stream was closed.
      if (isOpen()) noteLost()
    }
    if (isOpen()) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function* events(
  body: ReadableStream<BufferSource>
): AsyncGenerator<{ id: string | undefined; type: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields: Readonly<Record<string, string>> = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()])
      )
      const { id, event: type = 'message', data } = fields as Readonly<Partial<Record<string, string>>>
      if (data !== undefined) yield { id, type, data }
    }
  }
}
