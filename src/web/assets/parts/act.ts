/** What a person asks for, one thing at a time, and what the page says of it. */
import { createStore, html, useEffect, useRef, useState, useStore } from '../lib/html.ts'
import { everyReason, Unreachable } from '../lib/http.ts'
import { Icon } from './icon.ts'

/**
 * `[run, isBusy]`: `run(work)` runs one asynchronous work at a time; a second meanwhile is ignored. An error goes to
 * `onError`, without it to a toast. Resolves to what the work gives, undefined after an error.
 */
export function useAct(
  onError: (error: Error) => void = toastError
): readonly [run: <Result>(work: () => Result) => Promise<Awaited<Result> | undefined>, isBusy: boolean] {
  const [isBusy, setBusy] = useState(false)
  const state = useRef({ isBusy: false, isShown: true })
  useEffect(() => {
    state.current.isShown = true
    return () => void (state.current.isShown = false)
  }, [])
  const run = async <Result>(work: () => Result): Promise<Awaited<Result> | undefined> => {
    if (state.current.isBusy) return undefined
    state.current.isBusy = true
    try {
      const going = work()
      if (going instanceof Promise) setBusy(true)
      return await going
    } catch (error) {
      onError(error as Error)
      return undefined
    } finally {
      state.current.isBusy = false
      if (state.current.isShown) setBusy(false)
    }
  }
  return [run, isBusy]
}

export interface Form {
  readonly error: string | undefined
  readonly isBusy: boolean
  readonly setError: (error: string | undefined) => void
  readonly onSubmit: (event: Event) => void
  /** The same setter, for a control: a change takes the error away. */
  readonly clearing: <Value>(set: (value: Value) => void) => (value: Value) => void
}

/** A form that `work` submits. What `work` throws is the error, in the words of `reason`. */
export function useForm(work: () => unknown, reason: (error: Error) => string = everyReason): Form {
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) => setError(reason(trouble)))
  return {
    error,
    isBusy,
    setError,
    onSubmit(event) {
      event.preventDefault()
      setError(undefined)
      void run(work)
    },
    clearing: (set) => (value) => {
      set(value)
      setError(undefined)
    }
  }
}

/** Good news goes by itself; an error stays until it is closed. */
const SHOWN_MS = 6000
const MAX_TOASTS = 4

export type Told = 'good' | 'bad' | ''
interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Told
}

const toasts = createStore<readonly Toast[]>([])
let serial = 0

const drop = (id: number): void => toasts.set((now) => now.filter((each) => each.id !== id))

/** Says what has happened, at the edge of the page. */
export function toast(text: string, tone: Told = 'good'): void {
  const id = ++serial
  toasts.set((now) => [...now.filter((each) => each.text !== text), { id, text, tone }].slice(-MAX_TOASTS))
  if (tone !== 'bad') setTimeout(() => drop(id), SHOWN_MS)
}

/** An error of what a person asked for. That the daemon is away is said at the top of the page already. */
export const toastError = (error: Error): void => toast(error.message, error instanceof Unreachable ? '' : 'bad')

export const clearToasts = (): void => toasts.set([])

/** Two regions, since a screen reader interrupts for errors only. */
export function Toasts() {
  const all = useStore(toasts)
  const list = (isBad: boolean) =>
    all
      .filter(({ tone }) => (tone === 'bad') === isBad)
      .map(
        ({ id, text, tone }) => html`
          <div class="toast ${tone}" key=${id}>
            <${Icon} name=${tone === 'good' ? 'check' : tone === 'bad' ? 'bad' : 'info'} />
            <p>${text}</p>
            <button type="button" class="button plain small" aria-label="Close this message" onClick=${() => drop(id)}>
              <${Icon} name="close" />
            </button>
          </div>
        `
      )
  return html`
    <div class="toasts">
      <div role="alert">${list(true)}</div>
      <div role="status">${list(false)}</div>
    </div>
  `
}
