import { useEffect, useRef, useState } from '../lib/html.ts'
import { toastError } from './toasts.ts'

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
