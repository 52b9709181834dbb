/** The daemon's events: one stream for the page, kept while the tab is seen. */
import { createStore } from './store.ts'
import { stream } from './stream.ts'

const MAX_EVENTS = 1000

/** `{id, at, type, detail}`, newest first. */
export const events = createStore([])

const listeners = new Set()
let close = () => {}
let isWanted = false
let last

/** `listener({id, at, type, detail})` for each event from now on. Returns what ends it. */
export function onEvent(listener) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function open() {
  close()
  close = stream('/api/events', (_type, event, id) => (note(event), (last = id)), last)
}

function note(event) {
  // After a restart of the daemon ids begin again; within one run a resumed stream repeats nothing.
  events.set((known) => [event, ...known].slice(0, MAX_EVENTS))
  for (const listener of [...listeners]) listener(event)
}

/** A browser opens six connections to one daemon: tabs that nobody sees use none. */
const follow = () => {
  if (!isWanted) return
  if (document.hidden) close()
  else open()
}

export function startEvents() {
  isWanted = true
  last = undefined
  events.set([])
  document.addEventListener('visibilitychange', follow)
  open()
}

export function stopEvents() {
  isWanted = false
  close()
  document.removeEventListener('visibilitychange', follow)
}
