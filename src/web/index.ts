/** The dashboard: static files that talk to the daemon over HTTP like any other client. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { EXTENSION, modulesOf, ownPath, script, withoutMap, type Asset } from './modules.ts'
import { readTextFile } from '../util/utf8.ts'

interface Dashboard {
  readonly assets: readonly Asset[]
  /** The only inline script of the page, its import map, as a source of a Content-Security-Policy. */
  readonly importMapSource: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const FOLDER = new URL('./assets/', import.meta.url)
const OWN = 'web/assets/'
const PAGE = 'index.html'

/** Browser modules of packages: what they are imported as, and the file beside the package's own entry. */
const LIBRARIES = {
  preact: { entry: 'preact', file: 'preact.mjs' },
  'preact/hooks': { entry: 'preact/hooks', file: 'hooks.mjs' },
  htm: { entry: 'htm', file: 'htm.module.js' },
  'htm/preact': { entry: 'htm/preact', file: 'index.module.js' },
  qr: { entry: 'qr', file: 'index.js' },
  'punycode/punycode.js': { entry: 'punycode/punycode.js', file: 'punycode.es6.js' }
} as const

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
  const found = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((file) => new URL(file.replaceAll('\\', '/'), FOLDER))
  const entries = found.filter(({ pathname }) => pathname.endsWith(EXTENSION))
  const modules = new Map(modulesOf(entries, moduleAt, servedPath))
  const files = new Map<string, string>()
  for (const url of found)
    if (extname(url.pathname) in TYPES) files.set(url.href.slice(FOLDER.href.length), readTextFile(url))
  const { resolve } = createRequire(import.meta.url)
  const library = ({ entry, file }: { entry: string; file: string }) =>
    withoutMap(readTextFile(join(dirname(resolve(entry)), file)))
  const vendored = Object.entries(LIBRARIES).map(
    ([name, of]) => [name, `vendor/${name.replace('/', '-').replace('.js', '')}.js`, of] as const
  )
  for (const [, path, of] of vendored) modules.set(path, { source: library(of), isTyped: false })

  const sources = [...files, ...[...modules].map(([path, { source }]) => [path, source])]
  const version = digest(sources.flat().join('\0'), 'hex').slice(0, 12)
  const base = `/assets/${version}/`
  const importMap = JSON.stringify({ imports: Object.fromEntries(vendored.map(([name, path]) => [name, base + path])) })
  const page = files
    .get(PAGE)!
    .replaceAll('"/assets/', `"${base}`)
    .replace('<script type="importmap"></script>', () => `<script type="importmap">${importMap}</script>`)
  const assets = [
    ...[...files].map(([file, body]) => ({
      path: file === PAGE ? '/' : base + file,
      type: TYPES[extname(file)]!,
      body: file === PAGE ? page : body
    })),
    ...[...modules].map(([path, module]) => script(base + path, module))
  ]
  return { assets, importMapSource: `'sha256-${digest(importMap, 'base64')}'` }
}

/** Packages stay as the import map has them. */
const moduleAt = (specifier: string, from: URL): URL | undefined =>
  specifier.startsWith('.') ? new URL(specifier, from) : undefined

/** What the page shares with the rest of src is in a folder of its own. */
function servedPath(url: URL): string {
  const path = `${ownPath(url)!}.js`
  return path.startsWith(OWN) ? path.slice(OWN.length) : `shared/${path}`
}

function digest(text: string, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(text).digest(encoding)
}
