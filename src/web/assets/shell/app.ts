import { connection, probe } from '../lib/connection.ts'
import { html, useEffect, useMemo, useRef } from '../lib/html.ts'
import { match, usePlace } from '../lib/router.ts'
import { session } from '../lib/session.ts'
import { useNow, useStore } from '../lib/store.ts'
import { duration } from '../lib/words.ts'
import { Button, Empty, LinkButton, Page } from '../parts/basics.ts'
import { Questions } from '../parts/dialog.ts'
import { Icon } from '../parts/icon.ts'
import { Toasts } from '../parts/toasts.ts'
import type { View } from '../lib/view.ts'
import { VIEWS } from '../views.ts'
import { Login } from './login.ts'
import { Navigation } from './navigation.ts'
import { TaskWatch } from '../tasks/watch.ts'
import { useTitle } from './title.ts'

/** The view of an address, with its parameters; undefined where there is none. */
function find(path: string): { view: View; params: Record<string, string> } | undefined {
  for (const view of VIEWS) {
    const params = match(view.path, path)
    if (params !== undefined) return { view, params }
  }
  return undefined
}

const Lost = ({ sinceMs }: { sinceMs: number }) => {
  const now = useNow()
  return html`
    <div class="lost" role="alert">
      <${Icon} name="warn" />
      <p>
        <strong>The daemon does not answer.</strong> What you see is from before. ${' '}<span aria-hidden="true"
          >Away for ${duration((now - sinceMs) / 1000)}; </span
        >this page tries again by itself.
      </p>
      <${Button} kind="small" onClick=${probe}>Try now<//>
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
    <${Navigation} view=${found?.view} />
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
    ${isLost && html`<${Lost} sinceMs=${sinceMs} />`}
    ${
      scopes === undefined
        ? html`<p class="quiet loading" role="status">${isLost ? '' : 'Reading…'}</p>`
        : scopes.length === 0
          ? html`<${Login} reason=${reason} />`
          : html`<div class="shell"><${Inside} /></div>`
    }
    <${Toasts} />
  `
}
