import { createStore, h, html, useEffect, useRef, useState, useStore } from '../lib/html.ts'
import { logIn } from '../lib/session.ts'
import { clearToasts, useForm } from '../parts/act.ts'
import { Button, Notice } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'

export function Login({ reason }: { reason: string }) {
  const [token, setToken] = useState('')
  const { error, isBusy, onSubmit } = useForm(() => {
    clearToasts()
    return logIn(token.trim())
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    document.title = 'Log in · Chronym'
    form.current?.querySelector('input')?.focus()
  }, [])
  return html`
    <main class="login">
      <form class="card" ref=${form} onSubmit=${onSubmit}>
        <h1 class="brand"><img src=${new URL('../icon.svg', import.meta.url).pathname} alt="" />Chronym</h1>
        ${reason && html`<${Notice}>${reason}<//>`}
        <input type="text" autocomplete="username" value="chronym" hidden readonly="" />
        ${h(TextField, {
          label: 'Access token',
          type: 'password',
          autocomplete: 'current-password',
          required: true,
          value: token,
          error,
          onInput: setToken,
          hint: html`<code>chronym dashboard</code> opens this page logged in; <code>chronym token</code> prints the
            token. It stays between this page and your daemon.`
        })}
        ${h(Button, { type: 'submit', kind: 'main', busy: isBusy }, 'Log in')}
      </form>
      <p class="row login-foot"><a href="/docs">HTTP interface</a><${ThemeSwitch} /></p>
    </main>
  `
}

/** Light or dark: as the system has it, until someone chooses. theme-boot.ts applies it at first. */
const KEY = 'chronym-theme'
const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const
const WORDS = { auto: 'as the system', light: 'light', dark: 'dark' }

const theme = createStore((document.documentElement.dataset['theme'] ?? 'auto') as Theme)

function setTheme(next: Theme): void {
  if (next === 'auto') {
    delete document.documentElement.dataset['theme']
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset['theme'] = next
    localStorage.setItem(KEY, next)
  }
  theme.set(next)
  dispatchEvent(new Event('chronym:theme'))
}

export function ThemeSwitch() {
  const now = useStore(theme)
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]!
  const label = `Colours: ${WORDS[now]}. Change to: ${WORDS[next]}`
  return h(Button, { kind: 'plain', icon: ICONS[now], label, onClick: () => setTheme(next) })
}
