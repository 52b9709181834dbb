/** The dashboard: static files that talk to the daemon over HTTP like any other client. */
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

export interface Asset {
  readonly path: string
  readonly type: string
  readonly body: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const FILES = [
  ...[
    'index.html',
    'icon.svg',
    'style.css',
    'main.js',
    'http.js',
    'elements.js',
    'dialog.js',
    'questions.js',
    'seed.js'
  ],
  ...[
    'names.js',
    'name-input.js',
    'tasks.js',
    'task-acts.js',
    'task-state.js',
    'zone/editor.js',
    'zone/acts.js',
    'zone/records.js',
    'zone/unsaved-edits.js'
  ]
]

let read: readonly Asset[] | undefined

/** Every file of the dashboard, read once; the page itself is served at `/`. */
export function dashboardAssets(): readonly Asset[] {
  read ??= FILES.map((file) => ({
    path: file === 'index.html' ? '/' : `/assets/${file}`,
    type: TYPES[extname(file)]!,
    body: readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8')
  }))
  return read
}
