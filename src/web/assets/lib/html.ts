/** The one place that knows the libraries of the page: views import from here. `h` checks the properties it is given. */
import { useEffect, useState } from 'preact/hooks'

export { html } from 'htm/preact'
export { h, render } from 'preact'
export type { ComponentChildren as Children, TargetedEvent } from 'preact'
export { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

export interface Store<Value> {
  get(): Value
  set(next: Value | ((former: Value) => Value)): void
  /** Returns what ends the subscription. */
  subscribe(listener: (value: Value) => void): () => void
}

/** A value that parts of the page share. `set` takes the value or a function of the former one. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<(value: Value) => void>()
  return {
    get: () => value,
    set(next) {
      const made = typeof next === 'function' ? (next as (former: Value) => Value)(value) : next
      if (Object.is(made, value)) return
      value = made
      for (const listener of [...listeners]) listener(value)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get())
  useEffect(() => {
    setValue(() => store.get())
    return store.subscribe((next) => setValue(() => next))
  }, [store])
  return value
}

/** The time in milliseconds, drawn again every `everyMs`: for countdowns. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** Reads something for these inputs once they have rested for `delayMs`; `show` takes the newest answer alone. */
export function useAnswer<Answer>(
  read: (() => Promise<Answer>) | undefined,
  show: (answer: Answer) => void,
  inputs: readonly unknown[],
  delayMs = 0
): void {
  useEffect(() => {
    if (read === undefined) return undefined
    let isNewest = true
    const timer = setTimeout(() => void read().then((answer) => isNewest && show(answer)), delayMs)
    return () => {
      isNewest = false
      clearTimeout(timer)
    }
  }, inputs)
}
