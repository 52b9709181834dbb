/** Holds the arrows of docs/architecture.md against what the sources import. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Folder (or file directly below src) -> those it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  'errors.ts': [],
  'log.ts': [],
  'paths.ts': [],
  'config.ts': ['errors.ts'],
  'config-service.ts': ['config.ts', 'errors.ts', 'api'],
  'lifecycle.ts': [],
  'metrics.ts': ['beacon', 'network', 'registry', 'tasks'],
  'network-profile.ts': ['protocol', 'errors.ts'],
  'node-version.ts': [],
  'readiness.ts': ['api', 'beacon', 'network', 'protocol', 'registry', 'tasks'],
  'owner-seed.ts': ['protocol', 'paths.ts'],
  'version.ts': [],
  native: ['protocol', 'version.ts'],
  store: ['protocol'],
  beacon: ['protocol', 'native'],
  network: ['protocol', 'store', 'beacon', 'native'],
  tasks: ['protocol', 'native', 'store', 'errors.ts'],
  registry: ['protocol', 'native', 'store', 'beacon', 'network', 'tasks', 'errors.ts'],
  api: ['protocol', 'registry', 'tasks', 'web', 'errors.ts', 'version.ts'],
  web: [],
  cli: ['protocol', 'api', 'native', 'beacon', 'config.ts', 'paths.ts', 'errors.ts', 'log.ts', 'version.ts', 'network-profile.ts', 'node-version.ts', 'owner-seed.ts', 'chronymd.ts']
}

/** The composition root sees all. */
const ROOTS: ReadonlySet<string> = new Set(['daemon.ts', 'chronymd.ts', 'main.ts'])

/** Only these may touch the addon, the database library, libp2p and the HTTP server. */
const LIBRARIES: readonly { readonly pattern: RegExp; readonly only: readonly string[] }[] = [
  { pattern: /^better-sqlite3$/, only: ['store'] },
  { pattern: /^(libp2p$|@libp2p\/|@multiformats\/multiaddr)/, only: ['network'] },
  { pattern: /^piscina$/, only: ['native'] },
  { pattern: /^(hono$|hono\/|@hono\/|hono-openapi)/, only: ['api', 'beacon'] },
  { pattern: /^pino$/, only: ['log.ts', 'api', 'network', 'registry', 'tasks', 'beacon'] }
]

interface Import {
  readonly file: string
  readonly from: string
  readonly to: string
}

function imports(): Import[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const path = join(SRC, file)
      return ts.preProcessFile(readFileSync(path, 'utf8'), true, true).importedFiles.map(({ fileName }) => ({
        file,
        from: part(file),
        to: fileName.startsWith('.') ? part(relative(SRC, resolve(dirname(path), fileName))) : fileName
      }))
    })
}

function part(file: string): string {
  return file.split(/[\\/]/)[0]!
}

const found = imports()

describe('the arrows of the architecture', () => {
  it('has a rule for every folder and file below src', () => {
    const parts = readdirSync(SRC).filter((name) => !ROOTS.has(name))
    expect(parts.filter((name) => !(name in ARROWS))).toEqual([])
  })

  it('sees the imports it is meant to judge', () => {
    expect(found.length).toBeGreaterThan(100)
    expect(found.some((each) => each.from === 'registry' && each.to === 'network')).toBe(true)
  })

  it('lets a part import only what its arrows allow', () => {
    const parts = new Set([...Object.keys(ARROWS), ...ROOTS])
    const broken = found.filter(
      ({ from, to }) => parts.has(to) && from !== to && !ROOTS.has(from) && !(ARROWS[from] ?? []).includes(to)
    )
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })

  it('keeps the rules pure: protocol imports no I/O of Node', () => {
    // Of node:net only `isIP`, a pure function, is used.
    const allowed = new Set(['node:crypto', 'node:buffer', 'node:util', 'node:net'])
    const broken = found.filter(({ from, to }) => from === 'protocol' && to.startsWith('node:') && !allowed.has(to))
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })

  it.each(LIBRARIES)('keeps $pattern where it belongs', ({ pattern, only }) => {
    const broken = found.filter(({ from, to }) => pattern.test(to) && !only.includes(from))
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })
})
