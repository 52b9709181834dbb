/**
 * `chronym/verify` as ES modules that a browser loads without a bundler: from the sources of a checkout, whose types go
 * at serving, or from the build. A worker has no import map, so each specifier becomes a relative one here.
 */
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { posix } from 'node:path'
import type { Asset } from './index.ts'

const SRC = new URL('..', import.meta.url)
/** `.ts` in a checkout, `.js` in a build: that of this file. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const ENTRIES = ['verify/browser', 'verify/worker']

/** Files that another takes the place of, below src. */
const INSTEAD: Readonly<Record<string, string>> = { 'protocol/platform/node': 'protocol/platform/browser' }
/** Packages whose file for Node is no ES module. */
const PACKAGE_INSTEAD: Readonly<Record<string, string>> = { 'punycode/punycode.js': 'punycode/punycode.es6.js' }

/** The specifier of an import or export that begins a line; comments begin with other signs. */
const SPECIFIER = /(^[ \t]*(?:import|export)\b[^'"`;()]*?\bfrom\s*|^[ \t]*import\s*)(['"])([^'"\n]+)\2/gmu

let made: ReadonlyMap<string, Asset> | undefined

/**
 * Every module by its path below `/assets/verify/`. `index.js` has the functions, `worker.js` answers messages. Made
 * once, at the first call: some 100 files, a megabyte.
 */
export function verifyModules(): ReadonlyMap<string, Asset> {
  made ??= makeModules()
  return made
}

function makeModules(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  const left = ENTRIES.map((entry) => new URL(`${entry}${EXTENSION}`, SRC))
  for (const url of left) {
    const path = servedPath(url)
    if (assets.has(path)) continue
    const body = codeOf(url).replace(SPECIFIER, (_, before: string, quote: string, specifier: string) => {
      const target = resolve(specifier, url)
      left.push(target)
      const relative = posix.relative(posix.dirname(path), servedPath(target))
      return `${before}${quote}${relative.startsWith('.') ? relative : `./${relative}`}${quote}`
    })
    assets.set(path, { path: `/assets/verify/${path}`, type: 'text/javascript; charset=utf-8', body })
  }
  return assets
}

/** A source without its types. Only a checkout needs Node's function for it; a build has none. */
function codeOf(url: URL): string {
  const source = readFileSync(url, 'utf8')
  if (url.pathname.endsWith('.ts')) return nodeModule.stripTypeScriptTypes(source)
  // maps are not served
  return source.replace(/^\/\/# sourceMappingURL=.*$/mu, '')
}

function resolve(specifier: string, from: URL): URL {
  if (!specifier.startsWith('.')) return new URL(import.meta.resolve(PACKAGE_INSTEAD[specifier] ?? specifier))
  const url = new URL(specifier, from)
  if (!url.href.startsWith(SRC.href)) return url
  const own = url.href.slice(SRC.href.length, -EXTENSION.length)
  return new URL(`${INSTEAD[own] ?? own}${EXTENSION}`, SRC)
}

function servedPath({ href }: URL): string {
  const packages = href.indexOf('/node_modules/')
  // an installed Chronym is below node_modules itself
  if (href.startsWith(SRC.href)) {
    const own = href.slice(SRC.href.length, -EXTENSION.length)
    return own === 'verify/browser' ? 'index.js' : `${own.startsWith('verify/') ? own.slice(7) : own}.js`
  }
  return `npm/${href.slice(packages + '/node_modules/'.length)}`
}
