/** What the page shows of the daemon: read once for all who show it, and again when it may have changed. */
import type { Answer, DaemonEvent } from './api.ts'
import { onEvent } from './events.ts'
import { useEffect, useState } from './html.ts'
import { connection, get } from './http.ts'

/** Events come in bursts: one reading answers for all of this time, milliseconds. */
const EVENT_DELAY_MS = 150
/** How long data that no view shows is kept, in milliseconds. */
const KEPT_MS = 30_000

/** `data`: what was read last; `error`: why a later reading failed. */
export interface Read<Data> {
  readonly data: Data | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
}

type Listener = (state: Read<never>) => void
interface Use {
  readonly every: (data: never) => number
  readonly on: readonly string[]
  readonly accept: readonly number[]
}
type Timer = ReturnType<typeof setTimeout>

const resources = new Map<string, Resource>()

class Resource {
  readonly path: string
  state: Read<unknown> = { data: undefined, error: undefined, isLoading: true }
  #users = new Map<object, Use & { listener: Listener }>()
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #leaving: Timer | undefined
  #endEvents = (): void => undefined

  constructor(path: string) {
    this.path = path
  }

  use(listener: Listener, options: Use): () => void {
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

  get isUsed(): boolean {
    return this.#users.size > 0
  }

  #hear({ type }: DaemonEvent): void {
    for (const { on } of this.#users.values())
      if (on.some((prefix) => type.startsWith(prefix))) {
        this.#schedule(EVENT_DELAY_MS)
        return
      }
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer)
    if (this.isUsed && Number.isFinite(delay)) this.#timer = setTimeout(() => void this.refresh(), delay)
  }

  /** Resolves once read; a reading under way answers for both. Never rejects: `state.error` has what went wrong. */
  refresh(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined))
    return this.#running
  }

  /** As `refresh`, with what the daemon has now: a reading under way may have begun before the change. */
  async refreshAfter(): Promise<void> {
    await this.#running
    return this.refresh()
  }

  async #read(): Promise<void> {
    try {
      const accept = this.#users.values().next().value?.accept
      this.#show({ data: await get(this.path, { accept }), error: undefined, isLoading: false })
    } catch (error) {
      // What was read before is still the best known.
      this.#show({ ...this.state, error: error as Error, isLoading: false })
    }
    this.#schedule(Math.min(...[...this.#users.values()].map(({ every }) => every(this.state.data as never))))
  }

  #show(state: Read<unknown>): void {
    this.state = state
    for (const { listener } of [...this.#users.values()]) listener(state as Read<never>)
  }
}

/** For tests; views use {@link useResource}. */
export const resourceOf = (path: string): Resource => {
  const resource = resources.get(path) ?? new Resource(path)
  resources.set(path, resource)
  return resource
}

/** For the end of a session: the next one may see less. */
export function forgetResources(): void {
  resources.clear()
}

/** Reads what begins with one of these paths again, where it is shown. For after a change. */
export const refresh = (...prefixes: string[]): Promise<unknown> =>
  Promise.all(
    [...resources.values()]
      .filter(({ path, isUsed }) => isUsed && prefixes.some((prefix) => path.startsWith(prefix)))
      .map((resource) => resource.refreshAfter())
  )

connection.subscribe(({ isLost }) => !isLost && void refresh('/'))

interface UseOptions<Data> {
  /** Milliseconds between readings, or a function of the data; Infinity reads once. */
  readonly every: number | ((data: Data | undefined) => number)
  /** Prefixes of event types that may change it. */
  readonly on: readonly string[]
  /** Statuses beside 2xx whose body is data. */
  readonly accept: readonly number[]
}

/** GET `path` as JSON; null reads nothing. */
export function useResource<P extends string>(
  path: P | null,
  { every = 10_000, on = [], accept = [] }: Partial<UseOptions<Answer<P>>> = {}
): Read<Answer<P>> {
  const nothing: Read<Answer<P>> = { data: undefined, error: undefined, isLoading: path !== null }
  const known = path === null ? undefined : (resources.get(path)?.state as Read<Answer<P>> | undefined)
  const [state, setState] = useState({ path, ...(known ?? nothing) })
  useEffect(() => {
    if (path === null) {
      setState({ path, ...nothing })
      return undefined
    }
    const resource = resourceOf(path)
    setState({ path, ...(resource.state as Read<Answer<P>>) })
    return resource.use((next) => setState({ path, ...next }), {
      every: typeof every === 'function' ? every : () => every,
      on,
      accept
    })
  }, [path])
  return state.path === path ? state : nothing
}
