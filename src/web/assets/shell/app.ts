import { h, html, useEffect, useMemo, useRef, useState, useNow, useStore } from '../lib/html.ts'
import { connection, probe, watched } from '../lib/http.ts'
import { useResource } from '../lib/resource.ts'
import { match, usePlace, useTitle, type Component, type View } from '../lib/router.ts'
import { logOut, session } from '../lib/session.ts'
import { duration } from '../lib/words.ts'
import { STATUS_TONES } from '../home/words.ts'
import { Toasts } from '../parts/act.ts'
import { Badge, Button, Empty, LinkButton, Notice, Page, waiting } from '../parts/basics.ts'
import { Questions } from '../parts/dialog.ts'
import { Icon } from '../parts/icon.ts'
import { TaskWatch } from '../tasks/card.ts'
// Asks before a tab with edits is closed, on any view.
import '../zone/unsaved-edits.ts'
import { Login, ThemeSwitch } from './login.ts'

/** Every view of the dashboard. The first whose path fits is shown; those that are not hidden are in the navigation. */
const VIEWS: readonly View[] = [
  { path: '/', title: 'Home', icon: 'home', load: () => import('../views/home.ts') },
  { path: '/names', title: 'Names', icon: 'names', load: () => import('../views/names.ts') },
  { path: '/names/:name', title: 'Zone', icon: 'zone', isHidden: true, load: () => import('../views/zone.ts') },
  { path: '/tasks', title: 'Tasks', icon: 'tasks', load: () => import('../views/tasks.ts') },
  { path: '/lookup/:name?', title: 'Look up', icon: 'lookup', load: () => import('../views/lookup.ts') },
  { path: '/identities/:did?', title: 'Identities', icon: 'identities', load: () => import('../views/identities.ts') },
  { path: '/network', title: 'Network', icon: 'network', load: () => import('../views/network.ts') },
  { path: '/events', title: 'Events', icon: 'events', load: () => import('../views/events.ts') },
  { path: '/seed', title: 'Backup & seed', icon: 'seed', load: () => import('../views/seed.ts') },
  { path: '/tokens', title: 'Tokens', icon: 'tokens', load: () => import('../views/tokens.ts') },
  { path: '/settings', title: 'Settings', icon: 'settings', load: () => import('../views/settings.ts') }
]

/** The view of an address, with its parameters; undefined where there is none. */
function find(path: string): { view: View; params: Record<string, string> } | undefined {
  for (const view of VIEWS) {
    const params = match(view.path, path)
    if (params !== undefined) return { view, params }
  }
  return undefined
}

/** `/names/:name` is `/names`. */
const rootOf = ({ path }: View): string => path.split('/:')[0]!
const isWithin = (view: View, path: string): boolean =>
  path === rootOf(view) || (view.path !== '/' && path.startsWith(`${rootOf(view)}/`))

function Navigation() {
  const { path } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const status = useResource('/api/network-status', { every: 10_000, on: ['peer:'] }).data
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // What has the focus in the menu hides with it.
      if (document.activeElement?.closest('#navigation')) document.querySelector<HTMLElement>('.menu-button')?.focus()
      setOpen(false)
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])
  return html`
    <header class="top ${isOpen ? 'is-open' : ''}">
      <div class="top-bar">
        <a class="brand" href="#/"><img src=${new URL('../icon.svg', import.meta.url).pathname} alt="" />Chronym</a>
        ${status && h(Badge, { tone: STATUS_TONES[status.status], role: 'status' }, status.status)}
        <button
          type="button"
          class="button plain menu-button"
          aria-label="Menu"
          aria-expanded=${String(isOpen)}
          aria-controls="navigation"
          onClick=${() => setOpen(!isOpen)}
        >
          <${Icon} name=${isOpen ? 'close' : 'menu'} />
        </button>
      </div>
      <nav id="navigation" aria-label="Views">
        <ul>
          ${VIEWS.filter(({ isHidden }) => !isHidden).map(
            (view) =>
              html`<li key=${view.path}>
                <a href="#${rootOf(view)}" aria-current=${isWithin(view, path) ? 'page' : undefined}>
                  <${Icon} name=${view.icon} />${view.title}
                </a>
              </li>`
          )}
        </ul>
        <div class="nav-foot">
          ${status && html`<span class="quiet network-name" title=${status.peer_id}>network ${status.network}</span>`}
          <a class="button plain" href="/docs"><${Icon} name="out" /><span>API</span></a>
          <${ThemeSwitch} />
          ${h(Button, { kind: 'plain', icon: 'logout', label: 'Log out', onClick: logOut })}
        </div>
      </nav>
    </header>
  `
}

const Lost = ({ sinceMs }: { sinceMs: number | null }) => {
  const now = useNow()
  return html`
    <div class="lost" role="alert">
      <${Icon} name="warn" />
      <p>
        <strong>The daemon does not answer.</strong> What you see is from before. ${' '}<span aria-hidden="true"
          >Away for ${duration((now - (sinceMs ?? now)) / 1000)}; </span
        >this page tries again by itself.
      </p>
      ${h(Button, { kind: 'small', onClick: probe }, 'Try now')}
    </div>
  `
}

const NotFound = () => html`
  <${Page} title="Nothing here">
    <${Empty} icon="lookup" title="This page does not exist"><${LinkButton} href="#/">Home<//><//>
  <//>
`

/** Of the views that were shown. */
const components = new Map<View, Component>()

/** The component of a view: undefined while its module is loaded, an error where that failed. */
function useComponent(view: View | undefined): Component | Error | undefined {
  const { isLost } = useStore(connection)
  const [failure, setFailure] = useState<{ view: View; error?: Error }>()
  useEffect(() => {
    if (view === undefined || components.has(view) || isLost) return
    watched(view.load()).then(
      ({ View }) => {
        components.set(view, View)
        setFailure({ view })
      },
      (error: unknown) => setFailure({ view, error: error as Error })
    )
  }, [view, isLost])
  if (view === undefined) return NotFound
  return components.get(view) ?? (failure?.view === view ? failure.error : undefined)
}

/** After an upgrade the daemon has other modules than this page, whose addresses name their version. */
const NotLoaded = ({ title }: { title: string }) => html`
  <${Page} title=${title}>
    ${h(
      Notice,
      {
        tone: 'bad',
        title: 'This view could not be loaded',
        actions: h(Button, { kind: 'small', onClick: () => location.reload() }, 'Load the page again')
      },
      'The daemon is away, or it was upgraded after this page was opened.'
    )}
  <//>
`

/** After a change of the view the heading has the focus: a screen reader reads it, and Tab goes on from there. */
function useFocus(path: string, isShown: boolean): void {
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isShown) return
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    scrollTo(0, 0)
    if (document.querySelector('dialog[open]') === null)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path, isShown])
}

function Inside() {
  const { path, query } = usePlace()
  const found = useMemo(() => find(path), [path])
  const View = useComponent(found?.view)
  const title = found?.view.title ?? 'Nothing here'
  useFocus(path, View !== undefined)
  useTitle(title)
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <${Navigation} />
    <main id="main" tabindex="-1">
      ${
        View === undefined
          ? waiting('Reading…')
          : View instanceof Error
            ? h(NotLoaded, { title })
            : h(View, { key: found?.view.path, params: found?.params ?? {}, query })
      }
    </main>
    <${TaskWatch} />
    <${Questions} />
  `
}

/** The address is the view's: a skip link must not change it. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

export function App() {
  const { scopes, reason } = useStore(session)
  const { isLost, sinceMs } = useStore(connection)
  return html`
    ${isLost && h(Lost, { sinceMs })}
    ${
      scopes === undefined
        ? waiting(isLost ? '' : 'Reading…')
        : scopes.length === 0
          ? h(Login, { reason })
          : html`<div class="shell"><${Inside} /></div>`
    }
    <${Toasts} />
  `
}
