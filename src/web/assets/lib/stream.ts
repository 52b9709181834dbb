/** Server-sent events over fetch: EventSource sends no header. */
import { loggedOut, sessionHeaders } from './http.ts'
import { noteLost } from './connection.ts'

/** Between the end of a stream and the next try. */
const RETRY_MS = 2000

/**
 * Calls `listener(type, data, id)` for each event. Connects again by itself, from the last event on. Returns what
 * closes the stream. `last`: the id after which it begins.
 */
export function stream(path, listener, last) {
  const closed = new AbortController()
  void follow(path, listener, closed.signal, last)
  return () => closed.abort()
}

async function follow(path, listener, signal, from) {
  let last = from
  while (!signal.aborted) {
    try {
      const response = await fetch(path, {
        credentials: 'same-origin',
        signal,
        headers: { ...sessionHeaders(), ...(last !== undefined && { 'Last-Event-ID': last }) }
      })
      if (response.status === 401) return loggedOut()
      if (response.status === 403 || response.status === 404) return
      if (response.ok) {
        for await (const { id, type, data } of events(response.body)) {
          last = id ?? last
          listener(type, JSON.parse(data), last)
        }
      }
    } catch {
      // The daemon has gone, or the stream was closed.
      if (!signal.aborted) noteLost()
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop()
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()])
      )
      if (fields.data !== undefined) yield { id: fields.id, type: fields.event ?? 'message', data: fields.data }
    }
  }
}
