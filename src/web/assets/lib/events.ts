/** The daemon's events: one stream for the page, kept while the tab is seen. */
import type { DaemonEvent } from './api.ts'
import { createStore } from './store.ts'
import { stream } from './stream.ts'

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
