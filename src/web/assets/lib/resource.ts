/** What the page shows of the daemon: read once for all who show it, and again when it may have changed. */
import { useEffect, useState } from 'preact/hooks'
import { connection } from './connection.ts'
import { onEvent } from './events.ts'
import { get } from './http.ts'

/** Events come in bursts: one reading answers for all of this time, milliseconds. */
const EVENT_DELAY_MS = 150
/** So long what nobody shows now is kept for the next view, milliseconds. */
const KEPT_MS = 30_000

const resources = new Map()

class Resource {
  state = { data: undefined, error: undefined, isLoading: true }
  #users = new Map()
  #timer
  #running
  #leaving
  #endEvents = () => {}

  constructor(path) {
    this.path = path
  }

  use(listener, options) {
    const key = {}
    clearTimeout(this.#leaving)
    this.#users.set(key, { listener, ...options })
    if (this.#users.size === 1) this.#endEvents = onEvent((event) => this.#hear(event))
    void this.refresh()
    return () => {
      this.#users.delete(key)
      if (this.#users.size > 0) return
      clearTimeout(this.#timer)
      this.#endEvents()
      this.#leaving = setTimeout(() => resources.get(this.path) === this && resources.delete(this.path), KEPT_MS)
    }
  }

  get isUsed() {
    return this.#users.size > 0
  }

  #hear({ type }) {
    for (const { on } of this.#users.values())
      if (on.some((prefix) => type.startsWith(prefix))) return this.#schedule(EVENT_DELAY_MS)
  }

  #schedule(delay) {
    clearTimeout(this.#timer)
    if (this.isUsed && Number.isFinite(delay)) this.#timer = setTimeout(() => void this.refresh(), delay)
  }

  /** Resolves once read; a reading under way answers for both. Never rejects: `state.error` has what went wrong. */
  refresh() {
    this.#running ??= this.#read().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** As `refresh`, with what the daemon has now: a reading under way may have begun before the change. */
  async refreshAfter() {
    await this.#running
    return this.refresh()
  }

  async #read() {
    try {
      const [accept] = [...this.#users.values()].map((user) => user.accept)
      this.#show({ data: await get(this.path, { accept }), error: undefined, isLoading: false })
    } catch (error) {
      // What was read before is still the best known.
      this.#show({ ...this.state, error, isLoading: false })
    }
    this.#schedule(Math.min(...[...this.#users.values()].map(({ every }) => every(this.state.data))))
  }

  #show(state) {
    this.state = state
    for (const { listener } of [...this.#users.values()]) listener(state)
  }
}

/** For tests; views use {@link useResource}. */
export const resourceOf = (path) => {
  if (!resources.has(path)) resources.set(path, new Resource(path))
  return resources.get(path)
}

/** For the end of a session: the next one may see less. */
export function forgetResources() {
  resources.clear()
}

/** Reads what begins with one of these paths again, where it is shown. For after a change. */
export const refresh = (...prefixes) =>
  Promise.all(
    [...resources.values()]
      .filter(({ path, isUsed }) => isUsed && prefixes.some((prefix) => path.startsWith(prefix)))
      .map((resource) => resource.refreshAfter())
  )

connection.subscribe(({ isLost }) => !isLost && void refresh('/'))

/**
 * GET `path` as JSON: `{data, error, isLoading}`. `path` null reads nothing.
 * `every`: milliseconds between readings, or a function of the data; Infinity reads once. `on`: prefixes of event types
 * that may change it. `accept`: statuses beside 2xx whose body is data.
 */
export function useResource(path, { every = 10_000, on = [], accept = [] } = {}) {
  const [state, setState] = useState({ path, ...(resources.get(path)?.state ?? { isLoading: path !== null }) })
  useEffect(() => {
    if (path === null) return setState({ path, isLoading: false })
    const resource = resourceOf(path)
    setState({ path, ...resource.state })
    return resource.use((next) => setState({ path, ...next }), {
      every: typeof every === 'function' ? every : () => every,
      on,
      accept
    })
  }, [path])
  return state.path === path ? state : { data: undefined, error: undefined, isLoading: path !== null }
}
