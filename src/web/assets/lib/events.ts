/** The daemon's events: one stream for the page, kept while the tab is seen. */
import type { DaemonEvent } from './api.ts'
import { createStore } from './html.ts'
import { loggedOut, noteLost, sessionHeaders } from './http.ts'

const MAX_EVENTS = 1000

/** Newest first. */
export const events = createStore<readonly DaemonEvent[]>([])

type Listener = (event: DaemonEvent) => void

const listeners = new Set<Listener>()
let close = (): void => undefined
let isWanted = false
let last: string | undefined

/** Calls the listener for each event from now on. Returns what ends it. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function open(): void {
  close()
  close = stream(
    '/api/events',
    (_type, event, id) => {
      note(event as DaemonEvent)
      last = id
    },
    last
  )
}

function note(event: DaemonEvent): void {
  // After a restart of the daemon ids begin again; within one run a resumed stream repeats nothing.
  events.set((known) => [event, ...known].slice(0, MAX_EVENTS))
  for (const listener of [...listeners]) listener(event)
}

/** A browser opens six connections to one daemon: tabs that nobody sees use none. */
const follow = (): void => {
  if (!isWanted) return
  if (document.hidden) close()
  else open()
}

export function startEvents(): void {
  isWanted = true
  last = undefined
  events.set([])
  document.addEventListener('visibilitychange', follow)
  open()
}

export function stopEvents(): void {
  isWanted = false
  close()
  document.removeEventListener('visibilitychange', follow)
}

/** Between the end of a stream and the next try. */
const RETRY_MS = 2000

type StreamListener = (type: string, data: unknown, id: string | undefined) => void

/**
 * Calls `listener(type, data, id)` for each event. Connects again by itself, from the last event on. Returns what
 * closes the stream. `last`: the id after which it begins.
 */
export function stream(path: string, listener: StreamListener, last: string | undefined): () => void {
  const closed = new AbortController()
  void followStream(path, listener, closed.signal, last)
  return () => closed.abort()
}

async function followStream(
  path: string,
  listener: StreamListener,
  signal: AbortSignal,
  from: string | undefined
): Promise<void> {
  let last = from
  const isOpen = (): boolean => !signal.aborted
  while (isOpen()) {
    const headers = { ...sessionHeaders(), ...(last !== undefined && { 'Last-Event-ID': last }) }
    try {
      const response = await fetch(path, { credentials: 'same-origin', signal, headers })
      if (response.status === 401) {
        loggedOut(headers)
        return
      }
      if (response.status === 403 || response.status === 404) return
      if (response.ok && response.body !== null) {
        for await (const { id, type, data } of eventsIn(response.body)) {
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

async function* eventsIn(
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
