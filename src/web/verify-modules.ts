/** `chronym/verify` as ES modules. A worker has no import map, so each specifier becomes a relative one. */
import { EXTENSION, modulesOf, ownPath, script, SRC, type Asset } from './modules.ts'

const ENTRIES = ['verify/browser', 'verify/worker']

/** Files that another takes the place of, below src. */
const INSTEAD: Readonly<Record<string, string>> = { 'protocol/platform/node': 'protocol/platform/browser' }
/** Packages whose file for Node is not an ES module. */
const PACKAGE_INSTEAD: Readonly<Record<string, string>> = { 'punycode/punycode.js': 'punycode/punycode.es6.js' }

let made: ReadonlyMap<string, Asset> | undefined

/**
 * Every module by its path below `/assets/verify/`. `index.js` has the functions, `worker.js` answers messages. Made
 * once, at the first call: some 100 files, a megabyte.
 */
export function verifyModules(): ReadonlyMap<string, Asset> {
  made ??= new Map(
    [...modulesOf(ENTRIES.map(own), resolve, servedPath)].map(([path, module]) => [
      path,
      script(`/assets/verify/${path}`, module)
    ])
  )
  return made
}

const own = (path: string): URL => new URL(`${path}${EXTENSION}`, SRC)

function resolve(specifier: string, from: URL): URL {
  if (!specifier.startsWith('.')) return new URL(import.meta.resolve(PACKAGE_INSTEAD[specifier] ?? specifier))
  const url = new URL(specifier, from)
  const path = ownPath(url)
  return path === undefined ? url : own(INSTEAD[path] ?? path)
}

function servedPath(url: URL): string {
  const path = ownPath(url)
  // an installed Chronym is below node_modules itself
  if (path === undefined) return `npm/${url.href.split('/node_modules/').slice(1).join('/node_modules/')}`
  return path === 'verify/browser' ? 'index.js' : `${path.startsWith('verify/') ? path.slice(7) : path}.js`
}
