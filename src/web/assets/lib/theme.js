/** Light or dark: as the system has it, until someone chooses. Applied before the first paint by shell/theme-boot.js. */
import { createStore } from './store.js'

const KEY = 'chronym-theme'
export const THEMES = ['auto', 'light', 'dark']

export const theme = createStore(document.documentElement.dataset.theme ?? 'auto')

export function setTheme(next) {
  if (next === 'auto') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = next
    localStorage.setItem(KEY, next)
  }
  theme.set(next)
  dispatchEvent(new Event('chronym:theme'))
}
