import { html, useEffect, useRef, useState } from '../lib/html.ts'
import { reasonOf } from '../lib/http.ts'
import { logIn } from '../lib/session.ts'
import { clearToasts, useAct } from '../parts/act.ts'
import { Button, Notice } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'
import { ThemeSwitch } from './theme.ts'

export function Login({ reason }: { reason: string }) {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((error) => setError(reasonOf(error)))
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    document.title = 'Log in · Chronym'
    form.current?.querySelector('input')?.focus()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    setError(undefined)
    clearToasts()
    return run(() => logIn(token.trim()))
  }
  return html`
    <main class="login">
      <form class="card" ref=${form} onSubmit=${submit}>
        <h1 class="brand"><img src=${new URL('../icon.svg', import.meta.url).pathname} alt="" />Chronym</h1>
        ${reason && html`<${Notice}>${reason}<//>`}
        <input type="text" autocomplete="username" value="chronym" hidden readonly />
        <${TextField}
          label="Access token"
          type="password"
          autocomplete="current-password"
          required
          value=${token}
          error=${error}
          onInput=${setToken}
          hint=${html`<code>chronym dashboard</code> opens this page logged in; <code>chronym token</code> prints the
            token. It stays between this page and your daemon.`}
        />
        <${Button} type="submit" kind="main" busy=${isBusy}>Log in<//>
      </form>
      <p class="row login-foot"><a href="/docs">HTTP interface</a><${ThemeSwitch} /></p>
    </main>
  `
}
