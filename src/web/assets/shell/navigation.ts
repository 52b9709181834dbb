import { html, useEffect, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { usePlace } from '../lib/router.ts'
import { logOut } from '../lib/session.ts'
import { Badge, Button } from '../parts/basics.ts'
import { Icon } from '../parts/icon.ts'
import type { View } from '../lib/view.ts'
import { VIEWS } from '../views.ts'
import { ThemeSwitch } from './theme-switch.ts'

const TONES = { online: 'good', connecting: 'warn', offline: 'bad' }

/** `/names/:name` belongs to `/names`. */
const isWithin = (view: View, path: string): boolean =>
  view.path === '/'
    ? path === '/'
    : path === view.path.split('/:')[0] || path.startsWith(`${view.path.split('/:')[0]}/`)

export function Navigation() {
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
        ${status && html`<${Badge} tone=${TONES[status.status]} role="status">${status.status}<//>`}
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
                <a href="#${view.path.split('/:')[0]}" aria-current=${isWithin(view, path) ? 'page' : undefined}>
                  <${Icon} name=${view.icon} />${view.title}
                </a>
              </li>`
          )}
        </ul>
        <div class="nav-foot">
          ${status && html`<span class="quiet network-name" title=${status.peer_id}>network ${status.network}</span>`}
          <a class="button plain" href="/docs"><${Icon} name="out" /><span>API</span></a>
          <${ThemeSwitch} />
          <${Button} kind="plain" icon="logout" label="Log out" onClick=${logOut} />
        </div>
      </nav>
    </header>
  `
}
