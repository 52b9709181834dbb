/** The dashboard: static files that talk to the daemon over HTTP like any other client. */
import { readFileSync } from 'node:fs'

export interface Asset {
  readonly path: string
  readonly type: string
  readonly body: string
}

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

const FILES = [
  { path: '/', file: 'index.html', type: HTML },
  { path: '/assets/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
  { path: '/assets/style.css', file: 'style.css', type: STYLE },
  { path: '/assets/main.js', file: 'main.js', type: SCRIPT },
  { path: '/assets/http.js', file: 'http.js', type: SCRIPT },
  { path: '/assets/elements.js', file: 'elements.js', type: SCRIPT },
  { path: '/assets/names.js', file: 'names.js', type: SCRIPT },
  { path: '/assets/tasks.js', file: 'tasks.js', type: SCRIPT },
  { path: '/assets/zone-editor.js', file: 'zone-editor.js', type: SCRIPT }
] as const

let read: readonly Asset[] | undefined

/** Every file of the dashboard, read once. */
export function dashboardAssets(): readonly Asset[] {
  read ??= FILES.map(({ path, file, type }) => ({ path, type, body: readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8') }))
  return read
}
