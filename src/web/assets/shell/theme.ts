/** Light or dark: as the system has it, until someone chooses. shell/theme-boot.js applies it at first. */
import { createStore, html, useStore } from '../lib/html.ts'
import { Button } from '../parts/basics.ts'

const KEY = 'chronym-theme'
export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const theme = createStore((document.documentElement.dataset['theme'] ?? 'auto') as Theme)

export function setTheme(next: Theme): void {
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

const ICONS = { auto: 'auto', light: 'sun', dark: 'moon' }
const WORDS = { auto: 'as the system', light: 'light', dark: 'dark' }

export function ThemeSwitch() {
  const now = useStore(theme)
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]!
  return html`<${Button}
    kind="plain"
    icon=${ICONS[now]}
    label=${`Colours: ${WORDS[now]}. Change to: ${WORDS[next]}`}
    onClick=${() => setTheme(next)}
  />`
}
