/** Light or dark: as the system has it, until someone chooses. theme-boot.ts applies it at first. */
import { createStore, h, useStore } from '../lib/html.ts'
import { Button } from '../parts/basics.ts'

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
