/** Holds the arrows of docs/architecture.md against what the sources import. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { circles } from './circles.ts'

const SRC = resolve(import.meta.dirname, '../src')

/** Folder (or file directly below src) -> those it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'error-table.ts': [],
  'errors.ts': ['error-table.ts'],
  // Types of the parts below, and the base of their errors.
  views: ['protocol', 'error-table.ts', 'errors.ts'],
  'service-errors.ts': ['protocol', 'native', 'store', 'beacon', 'network', 'error-table.ts', 'errors.ts'],
  'log.ts': [],
  'version.ts': [],
  util: [],
  protocol: [],
  // Verification of VDF proofs without the addon.
  vdf: ['protocol'],
  // chronym/client/node: finds the daemon of this machine. chronym/client itself is api/client.
  library: ['protocol', 'api', 'config', 'data-directory', 'util'],
  // chronym/verify
  verify: ['protocol', 'vdf', 'native', 'util'],
  time: ['protocol', 'store', 'beacon'],
  config: ['protocol', 'util', 'views', 'error-table.ts', 'errors.ts'],
  native: ['protocol', 'vdf', 'util', 'version.ts'],
  store: ['protocol', 'native', 'util'],
  beacon: ['protocol', 'native', 'util'],
  network: ['protocol', 'store', 'beacon', 'native', 'time', 'util'],
  // Squarings alone: no names, no claims.
  evaluations: ['native', 'util', 'errors.ts'],
  // Squarings on other machines.
  farm: ['evaluations', 'native', 'views', 'util'],
  registry: [
    'protocol',
    'native',
    'store',
    'beacon',
    'network',
    'evaluations',
    'time',
    'util',
    'views',
    'error-table.ts',
    'errors.ts',
    'service-errors.ts'
  ],
  'data-directory': ['protocol', 'store', 'native', 'util', 'error-table.ts', 'errors.ts'],
  api: [
    'protocol',
    'registry',
    'config',
    'views',
    'web',
    'util',
    'error-table.ts',
    'errors.ts',
    'service-errors.ts',
    'version.ts'
  ],
  backup: [
    'protocol',
    'store',
    'registry',
    'config',
    'data-directory',
    'time',
    'util',
    'views',
    'error-table.ts',
    'errors.ts',
    'log.ts',
    'version.ts'
  ],
  dns: ['protocol', 'native', 'registry', 'config', 'util', 'views', 'error-table.ts', 'errors.ts'],
  // Of api and verify types alone; of util what a browser can load.
  web: ['api', 'verify', 'util'],
  cli: [
    'protocol',
    'api',
    'backup',
    'store',
    'native',
    'beacon',
    'config',
    'data-directory',
    'daemon',
    'farm',
    'library',
    'vdf',
    'verify',
    'util',
    'views',
    'error-table.ts',
    'errors.ts',
    'service-errors.ts',
    'log.ts',
    'version.ts'
  ],
  daemon: [
    'protocol',
    'native',
    'store',
    'beacon',
    'network',
    'registry',
    'api',
    'backup',
    'config',
    'data-directory',
    'dns',
    'farm',
    'time',
    'util',
    'views',
    'error-table.ts',
    'errors.ts',
    'service-errors.ts',
    'log.ts',
    'version.ts'
  ]
}

/** Only these may touch the addon, the database library, libp2p and the HTTP server. */
const LIBRARIES: readonly { readonly pattern: RegExp; readonly only: readonly string[] }[] = [
  { pattern: /^better-sqlite3$/, only: ['store'] },
  { pattern: /^(libp2p$|@libp2p\/|@multiformats\/multiaddr)/, only: ['network'] },
  { pattern: /^age-encryption$/, only: ['backup'] },
  { pattern: /^piscina$/, only: ['native'] },
  { pattern: /^@nats-io\//, only: ['farm'] },
  { pattern: /^(hono$|hono\/|@hono\/|hono-openapi)/, only: ['api', 'beacon'] },
  { pattern: /^pino$/, only: ['log.ts', 'api', 'network', 'registry', 'beacon'] }
]

interface Import {
  readonly file: string
  /** The imported file below src; undefined for a library. */
  readonly path?: string
  readonly from: string
  readonly to: string
}

function imports(below: string): Import[] {
  return readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const path = join(below, file)
      return ts.preProcessFile(readFileSync(path, 'utf8'), true, true).importedFiles.map(({ fileName }): Import => {
        if (!fileName.startsWith('.')) return { file, from: part(file), to: fileName }
        const imported = relative(below, resolve(dirname(path), fileName))
        return { file, path: imported, from: part(file), to: part(imported) }
      })
    })
}

function part(file: string): string {
  return file.split(/[\\/]/)[0]!
}

/** What a file is in among the rooms: `network/client` for all files below it, itself for a file that is in no room. */
function room(file: string): string {
  const parts = file.split(/[\\/]/)
  return parts.length > 2 ? parts.slice(0, 2).join('/') : file
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|mjs|mts)$/.test(file) && !/(?:^|\/)(?:node_modules|target)\//.test(file))
    .map((file) => join(folder, file))
}

/** What the files of a folder import, as paths from the root of the checkout. */
function importsFromRoot(folder: string): { readonly file: string; readonly imported: string }[] {
  const root = resolve(SRC, '..')
  return sourcesBelow(join(root, folder)).flatMap((path) =>
    ts
      .preProcessFile(readFileSync(path, 'utf8'), true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => ({
        file: relative(root, path),
        imported: relative(root, resolve(dirname(path), fileName))
      }))
  )
}

/** What imports what, of files or of what they are in. */
function fileGraph(nodeOf: (file: string) => string, among = found): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { file, path } of among) {
    if (path === undefined || !path.endsWith('.ts')) continue
    const [from, to] = [nodeOf(file), nodeOf(path)]
    if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  return graph
}

const found = imports(SRC)

describe('the arrows of the architecture', () => {
  it('has a rule for every folder and file below src', () => {
    const parts = readdirSync(SRC)
    expect(parts.filter((name) => !(name in ARROWS))).toEqual([])
  })

  it('sees the imports it is meant to judge', () => {
    expect(found.length).toBeGreaterThan(100)
    expect(found.some((each) => each.from === 'registry' && each.to === 'network')).toBe(true)
  })

  it('lets a part import only what its arrows allow', () => {
    const parts = new Set(Object.keys(ARROWS))
    const broken = found.filter(({ from, to }) => parts.has(to) && from !== to && !(ARROWS[from] ?? []).includes(to))
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })

  it('form no circle of files', () => expect(circles(fileGraph((file) => file))).toEqual([]))

  it('form no circle of rooms, below the folders of src', () => expect(circles(fileGraph(room))).toEqual([]))

  it('form no circle of files in the simulator', () => {
    const simulator = imports(resolve(SRC, '../lab/sim'))
    expect(simulator.length).toBeGreaterThan(100)
    expect(circles(fileGraph((file) => file, simulator))).toEqual([])
  })

  it('lead into the lab from nowhere but itself and tests with whole networks', () => {
    expect(importsFromRoot('lab').some(({ imported }) => imported.startsWith('lab/'))).toBe(true)
    const borrowers = ['src', 'bench', 'scripts', 'docs/examples', '__test__']
      .flatMap(importsFromRoot)
      .filter(({ file, imported }) => imported.startsWith('lab/') && !file.startsWith('__test__/e2e/'))
    expect(borrowers).toEqual([])
  })

  it('exports only what another file names, but for the published modules', () => {
    const texts = new Map(
      ['src', 'bench', 'lab', 'scripts', '__test__'].flatMap((folder) =>
        sourcesBelow(resolve(SRC, '..', folder)).map((file) => [file, readFileSync(file, 'utf8')] as const)
      )
    )
    const uses = new Map<string, number>()
    for (const text of texts.values())
      for (const word of new Set(text.match(/\w+/g))) uses.set(word, (uses.get(word) ?? 0) + 1)
    const published = /^src\/(?:library|verify|api\/client)\//
    const lonely = [...texts].flatMap(([file, text]) => {
      const path = relative(resolve(SRC, '..'), file)
      if (published.test(path)) return []
      const names = text.matchAll(/^export (?:async |abstract )*(?:function\*?|const|class|interface|type) (\w+)/gm)
      return Array.from(names, ([, name]) => name!)
        .filter((name) => uses.get(name) === 1)
        .map((name) => `${path}: ${name}`)
    })
    expect(lonely).toEqual([])
  })

  it('make one protocol clock', () => {
    const makers = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && readFileSync(join(SRC, file), 'utf8').includes('= createRoundClock(')
    )
    expect(makers).toEqual([join('daemon', 'daemon.ts')])
    expect(readFileSync(join(SRC, 'daemon/daemon.ts'), 'utf8').split('createRoundClock(')).toHaveLength(2)
  })

  it.each(LIBRARIES)('keeps $pattern where it belongs', ({ pattern, only }) => {
    const broken = found.filter(({ from, to }) => pattern.test(to) && !only.includes(from))
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })
})
