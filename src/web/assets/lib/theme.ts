/** Light or dark: as the system has it, until someone chooses. shell/theme-boot.js applies it at first. */
import { createStore } from './store.ts'

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
