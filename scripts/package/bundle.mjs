// Copies the packages that the program runs on into dist/node_modules, without what only their developers need: source
// maps, TypeScript sources, tests, binaries of other systems. Node finds them there from every file of dist.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'

/** Needed to compile better-sqlite3, never to run it. */
const FOR_COMPILING = new Set(['node-addon-api'])

const KEPT = new Set(['.js', '.mjs', '.cjs', '.json', '.css'])
const TYPES = /\.d\.[mc]?ts$/
const LICENCE = /^(?:licen[cs]e|copying|notice)/i
const FOR_DEVELOPERS = new Set([
  'test',
  'tests',
  '__tests__',
  'example',
  'examples',
  'bench',
  'benchmark',
  'benchmarks',
  'doc',
  'docs',
  'deps',
  'node_modules',
  '.github'
])
/** A whole library in one file, for pages that load it by itself. */
const WHOLE_LIBRARY = join('dist', 'index.min.js')

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Where Node finds the package `name` from `folder`, as the path below `root`. */
function find(root, folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(root, found, 'package.json'))) return found
    if (at === '.' || at === '') throw new Error(`${name} is not installed, but ${folder} needs it: run npm ci`)
  }
}

/**
 * The folders (below `root`) of these packages and of all that they depend on. Optional dependencies are left out: the
 * program runs without.
 */
export function closure(root, names) {
  const folders = new Set()
  const visit = (name, from) => {
    if (FOR_COMPILING.has(name)) return
    const folder = find(root, from, name)
    if (folders.has(folder)) return
    folders.add(folder)
    for (const needed of Object.keys(readManifest(join(root, folder)).dependencies ?? {})) visit(needed, folder)
  }
  for (const name of names) visit(name, '.')
  return [...folders].sort()
}

/** The files of one package that a user needs, below its folder. */
function neededFiles(folder, withTypes, binaries) {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const isNeeded = (path) => {
    const [top] = path.split(/[\\/]/)
    if (top !== path && FOR_DEVELOPERS.has(top)) return false
    if (path === WHOLE_LIBRARY && !manifest.includes('index.min.js')) return false
    if (TYPES.test(path)) return withTypes
    if (extname(path) === '.node') return binaries.includes(path.split(/[\\/]/).at(-1))
    return KEPT.has(extname(path)) || LICENCE.test(path.split(/[\\/]/).at(-1))
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(isNeeded)
}

/**
 * Bundles packages into `destination`.
 * @param names direct dependencies
 * @param typed packages that keep their types, since types of ours name them
 * @param binaries file names of compiled files to keep, such as `linux-x64.node`
 * @returns the bundled packages, `name@version`
 */
export function bundle(root, destination, { names, typed = [], binaries = [] }) {
  rmSync(destination, { recursive: true, force: true })
  const withTypes = new Set(closure(root, typed))
  const bundled = []
  for (const folder of closure(root, names)) {
    const source = join(root, folder)
    const files = neededFiles(source, withTypes.has(folder), binaries)
    // Nothing but types.
    if (!files.some((path) => ['.js', '.mjs', '.cjs'].includes(extname(path)) || TYPES.test(path))) continue
    for (const path of files) {
      const target = join(destination, relative('node_modules', folder), path)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(source, path), target)
    }
    const { name, version } = readManifest(source)
    bundled.push(`${name}@${version}`)
  }
  return bundled
}
