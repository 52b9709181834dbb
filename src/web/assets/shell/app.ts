import { h, html, useEffect, useMemo, useRef, useState, useNow, useStore } from '../lib/html.ts'
import { connection, probe } from '../lib/http.ts'
import { useResource } from '../lib/resource.ts'
import { match, usePlace, useTitle, type View } from '../lib/router.ts'
import { logOut, session } from '../lib/session.ts'
import { duration } from '../lib/words.ts'
import { Toasts } from '../parts/act.ts'
import { Badge, Button, Empty, LinkButton, Page, waiting } from '../parts/basics.ts'
import { Questions } from '../parts/dialog.ts'
import { Icon } from '../parts/icon.ts'
import { TaskWatch } from '../tasks/card.ts'
import * as events from '../views/events.ts'
import * as home from '../views/home.ts'
import * as identities from '../views/identities.ts'
import * as lookup from '../views/lookup.ts'
import * as names from '../views/names.ts'
import * as network from '../views/network.ts'
import * as seed from '../views/seed.ts'
import * as settings from '../views/settings.ts'
import * as tasks from '../views/tasks.ts'
import * as tokens from '../views/tokens.ts'
import * as zone from '../views/zone.ts'
import { Login } from './login.ts'
import { ThemeSwitch } from './theme.ts'

/** Every view of the dashboard. The first whose path fits is shown; those that are not hidden are in the navigation. */
const VIEWS: readonly View[] = [
  home,
  names,
  zone,
  tasks,
  lookup,
  identities,
  network,
  events,
  seed,
  tokens,
  settings
].map((module) => module.view)

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
      if (event.key === 'Escape') setOpen(false)
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])
  return html`
    <header class="top ${isOpen ? 'is-open' : ''}">
      <div class="top-bar">
        <a class="brand" href="#/"><img src=${new URL('../icon.svg', import.meta.url).pathname} alt="" />Chronym</a>
        ${status && h(Badge, { tone: network.TONES[status.status], role: 'status' }, status.status)}
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

/** After a change of the view the heading has the focus: a screen reader reads it, and Tab goes on from there. */
function useFocus(path: string): void {
  const isFirst = useRef(true)
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    scrollTo(0, 0)
    if (document.querySelector('dialog[open]') === null)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path])
}

function Inside() {
  const { path, query } = usePlace()
  const found = useMemo(() => find(path), [path])
  useFocus(path)
  useTitle(found?.view.title ?? 'Nothing here')
  const { View } = found?.view ?? { View: NotFound }
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <${Navigation} />
    <main id="main" tabindex="-1">
      <${View} key=${found?.view.path} params=${found?.params ?? {}} query=${query} />
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
