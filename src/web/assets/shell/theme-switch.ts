import { html } from '../lib/html.ts'
import { useStore } from '../lib/store.ts'
import { setTheme, theme, THEMES } from '../lib/theme.ts'
import { Button } from '../parts/basics.ts'

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
