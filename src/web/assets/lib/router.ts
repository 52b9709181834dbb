/** Addresses within the page: `#/names/alice.chronym/zone?tab=1`, so a reload or a bookmark comes back. */
import { type Children, createStore, useEffect, useStore } from './html.ts'
import type { IconName } from '../parts/icon.ts'

interface Place {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/** `#/lookup/a%2Fb?x=1` -> {path: '/lookup/a%2Fb', query: {x: '1'}}; anything else is `/`. */
export function parseHash(hash: string): Place {
  const [path = '/', query = ''] = hash.replace(/^#/, '').split('?')
  return { path: path.startsWith('/') ? path : '/', query: Object.fromEntries(new URLSearchParams(query)) }
}

/** The parameters of `path` by `pattern`, undefined where it does not fit: `/names/:name/zone`, `/lookup/:name?`. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/').filter(Boolean)
  const given = path.split('/').filter(Boolean)
  if (given.length > wanted.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]
    const [, name, optional] = /^:(\w+)(\?)?$/.exec(part) ?? []
    if (value === undefined) {
      if (optional === undefined) return undefined
    } else if (name === undefined) {
      if (value !== part) return undefined
    } else {
      try {
        params[name] = decodeURIComponent(value)
      } catch {
        return undefined
      }
    }
  }
  return params
}

/** to('lookup', 'alice.chronym') -> `#/lookup/alice.chronym`, each part escaped. */
export const to = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`

/** Tests of the pure parts have no browser. */
const page: Partial<typeof globalThis> = globalThis
export const place = createStore(parseHash(page.location?.hash ?? ''))
page.addEventListener?.('hashchange', () => place.set(parseHash(location.hash)))

export const usePlace = (): Place => useStore(place)
/** As `go`, in the place of the address that is there. */
export function replace(hash: string): void {
  globalThis.history.replaceState(null, '', hash)
  place.set(parseHash(hash))
}
export const go = (hash: string): void => void (location.hash = hash)

/**
 * The secret of `#login=SECRET`, as `chronym dashboard` opens the page; undefined where the address has none. Removes
 * it from the address and from the history of the tab at once.
 */
export function takeLoginLink({
  location,
  history
}: {
  location: Pick<Location, 'hash' | 'pathname'>
  history: Pick<History, 'replaceState'>
}): string | undefined {
  if (!location.hash.startsWith('#login=')) return undefined
  const link = location.hash.slice('#login='.length)
  history.replaceState(null, '', `${location.pathname}#/`)
  return link
}

/** What the page shows at an address: docs/dashboard.md. */
export interface View {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** Reached from others, not from the navigation. */
  readonly isHidden?: boolean
  /** Its module, which the page needs only once the view is shown. */
  readonly load: () => Promise<{ readonly View: Component }>
}

export type Component = (props: ViewProps) => Children

export interface ViewProps {
  /** Parts of the path, such as `name` of `/names/:name`. */
  readonly params: Params
  readonly query: Readonly<Record<string, string>>
}

/** Those that paths of views have. */
interface Params {
  readonly name?: string
  readonly did?: string
}

/** What the tab's title begins with, e.g. the progress of a task; empty for nothing. */
export const titlePrefix = createStore('')

export function useTitle(title: string): void {
  const prefix = useStore(titlePrefix)
  useEffect(() => {
    document.title = `${prefix === '' ? '' : `${prefix} · `}${title} · Chronym`
  }, [title, prefix])
}
