/** The dashboard: static files that talk to the daemon over HTTP like any other client. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Asset {
  readonly path: string
  readonly type: string
  readonly body: string
}

export interface Dashboard {
  readonly assets: readonly Asset[]
  /** The only inline script of the page, its import map, as a source of a Content-Security-Policy. */
  readonly importMapSource: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const FOLDER = fileURLToPath(new URL('./assets', import.meta.url))
const PAGE = 'index.html'

/** Browser modules of packages: what they are imported as, and the file beside the package's own entry. */
const LIBRARIES = {
  preact: { entry: 'preact', file: 'preact.mjs' },
  'preact/hooks': { entry: 'preact/hooks', file: 'hooks.mjs' },
  htm: { entry: 'htm', file: 'htm.module.js' },
  'htm/preact': { entry: 'htm/preact', file: 'index.module.js' },
  uplot: { entry: 'uplot', file: 'uPlot.esm.js' },
  qr: { entry: 'qr', file: 'index.js' }
} as const
const STYLES = { 'vendor/uplot.css': { entry: 'uplot', file: 'uPlot.min.css' } } as const

let made: Dashboard | undefined

/** Every file of the dashboard, read once. The page is served at `/`, what it needs below `/assets/<version>/`. */
export function dashboard(): Dashboard {
  made ??= readDashboard()
  return made
}

/** Path of a file of the dashboard, for pages that share its look: `style/base.css`. Throws where there is none. */
export function assetPath(file: string): string {
  const found = dashboard().assets.find(({ path }) => path.endsWith(`/${file}`))
  if (found === undefined) throw new Error(`the dashboard has no file ${file}`)
  return found.path
}

function readDashboard(): Dashboard {
  const files = new Map<string, string>()
  const read = (path: string) => readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).sort())
    if (TYPES[extname(file)] !== undefined) files.set(file.replaceAll('\\', '/'), read(join(FOLDER, file)))
  const { resolve } = createRequire(import.meta.url)
  const library = ({ entry, file }: { entry: string; file: string }) => read(join(dirname(resolve(entry)), file))
  const vendored = Object.entries(LIBRARIES).map(
    ([name, of]) => [name, `vendor/${name.replace('/', '-')}.js`, of] as const
  )
  for (const [, path, of] of vendored) files.set(path, library(of))
  for (const [path, of] of Object.entries(STYLES)) files.set(path, library(of))

  const version = digest([...files].flat().join('\0'), 'hex').slice(0, 12)
  const base = `/assets/${version}/`
  const importMap = JSON.stringify({ imports: Object.fromEntries(vendored.map(([name, path]) => [name, base + path])) })
  const page = files
    .get(PAGE)!
    .replaceAll('"/assets/', `"${base}`)
    .replace('<script type="importmap"></script>', () => `<script type="importmap">${importMap}</script>`)
  const assets = [...files].map(([file, body]) => ({
    path: file === PAGE ? '/' : base + file,
    type: TYPES[extname(file)]!,
    body: file === PAGE ? page : body
  }))
  return { assets, importMapSource: `'sha256-${digest(importMap, 'base64')}'` }
}

function digest(text: string, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(text).digest(encoding)
}
