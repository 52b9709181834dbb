import { html } from '../lib/html.js'
import { useStore } from '../lib/store.js'
import { setTheme, theme, THEMES } from '../lib/theme.js'
import { Button } from '../parts/basics.js'

const ICONS = { auto: 'auto', light: 'sun', dark: 'moon' }
const WORDS = { auto: 'as the system', light: 'light', dark: 'dark' }

export function ThemeSwitch() {
  const now = useStore(theme)
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]
  return html`<${Button}
    kind="plain"
    icon=${ICONS[now]}
    label=${`Colours: ${WORDS[now]}. Change to: ${WORDS[next]}`}
    onClick=${() => setTheme(next)}
  />`
}
