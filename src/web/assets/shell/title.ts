import { useEffect } from '../lib/html.ts'
import { createStore, useStore } from '../lib/store.ts'

/** What the tab's title begins with, e.g. the progress of a task; empty for nothing. */
export const titlePrefix = createStore('')

export function useTitle(title: string): void {
  const prefix = useStore(titlePrefix)
  useEffect(() => {
    document.title = `${prefix === '' ? '' : `${prefix} · `}${title} · Chronym`
  }, [title, prefix])
}
