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
  'config-service.ts': ['config.ts', 'config-sources.ts', 'errors.ts', 'api'],
  'config-sources.ts': ['config.ts', 'api'],
  'lifecycle.ts': [],
  'metrics.ts': ['backup', 'beacon', 'network', 'registry', 'tasks'],
  'network-profile.ts': ['protocol', 'errors.ts'],
  'node-version.ts': [],
  'readiness.ts': ['api', 'backup', 'beacon', 'network', 'registry', 'tasks'],
  'access-token.ts': [],
  'running-record.ts': ['paths.ts'],
  'owner-seed.ts': ['protocol', 'paths.ts', 'errors.ts'],
  'node-key.ts': ['protocol', 'paths.ts', 'errors.ts', 'owner-seed.ts'],
  'data-directory.ts': ['protocol', 'registry', 'store', 'paths.ts', 'errors.ts', 'owner-seed.ts', 'node-key.ts', 'seed-safety.ts'],
  'seed-safety.ts': ['paths.ts', 'owner-seed.ts'],
  'round-clock.ts': ['protocol', 'store', 'beacon'],
  'version.ts': [],
  native: ['protocol', 'version.ts'],
  store: ['protocol'],
  beacon: ['protocol', 'native'],
  network: ['protocol', 'store', 'beacon', 'native', 'round-clock.ts'],
  tasks: ['protocol', 'native', 'store', 'errors.ts'],
  registry: ['protocol', 'native', 'store', 'beacon', 'network', 'tasks', 'errors.ts', 'round-clock.ts'],
  api: ['protocol', 'registry', 'tasks', 'web', 'errors.ts', 'version.ts'],
  backup: ['protocol', 'store', 'registry', 'tasks', 'config.ts', 'errors.ts', 'log.ts', 'owner-seed.ts', 'paths.ts', 'seed-safety.ts', 'version.ts'],
  web: [],
  cli: ['protocol', 'api', 'backup', 'store', 'native', 'beacon', 'config.ts', 'config-sources.ts', 'paths.ts', 'errors.ts', 'log.ts', 'version.ts', 'network-profile.ts', 'node-version.ts', 'owner-seed.ts', 'seed-safety.ts', 'data-directory.ts', 'running-record.ts', 'access-token.ts', 'chronymd.ts']
}

/** The composition root sees all. */
const ROOTS: ReadonlySet<string> = new Set(['daemon.ts', 'chronymd.ts', 'main.ts'])

/** Only these may touch the addon, the database library, libp2p and the HTTP server. */
const LIBRARIES: readonly { readonly pattern: RegExp; readonly only: readonly string[] }[] = [
  { pattern: /^better-sqlite3$/, only: ['store'] },
  { pattern: /^(libp2p$|@libp2p\/|@multiformats\/multiaddr)/, only: ['network'] },
  { pattern: /^age-encryption$/, only: ['backup'] },
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

  it('make one protocol clock', () => {
    const makers = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && readFileSync(join(SRC, file), 'utf8').includes('= createRoundClock('))
    expect(makers).toEqual(['daemon.ts'])
    expect(readFileSync(join(SRC, 'daemon.ts'), 'utf8').split('createRoundClock(')).toHaveLength(2)
  })

  it.each(LIBRARIES)('keeps $pattern where it belongs', ({ pattern, only }) => {
    const broken = found.filter(({ from, to }) => pattern.test(to) && !only.includes(from))
    expect(broken.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })
})

/** What the rules may use of others: encodings, hashes, signatures, schemas. Of node:net one pure function. */
const PURE: Readonly<Record<string, readonly string[] | 'all'>> = {
  'node:crypto': ['createHash', 'timingSafeEqual', 'hkdfSync', 'createPrivateKey', 'createPublicKey', 'sign', 'verify', 'KeyObject'],
  'node:net': ['isIPv4', 'isIPv6'],
  '@scure/bip39': ['entropyToMnemonic', 'mnemonicToEntropy'],
  '@scure/bip39/wordlists/english.js': ['wordlist'],
  canonicalize: 'all',
  cborg: ['decode', 'encode', 'rfc8949EncodeOptions', 'Tokenizer', 'Type'],
  'multiformats/bases/base58': ['base58btc'],
  tweetnacl: 'all',
  valibot: 'all'
}

/** Globals through which time, chance, the machine or another turn of the event loop would come in. */
const IMPURE = new Set([
  'process', 'performance', 'console', 'fetch', 'globalThis', 'global', 'crypto', 'navigator', 'require', 'eval', 'Function', 'Intl', 'Atomics', 'SharedArrayBuffer', 'Worker',
  'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'structuredClone', 'AbortSignal', 'AbortController', 'EventTarget'
])

/** Members of globals that are pure otherwise. */
const IMPURE_MEMBERS = new Set(['Math.random', 'Date.now', 'nacl.randomBytes', 'nacl.setPRNG', 'nacl.box', 'nacl.secretbox'])

/** Of time the rules know rounds, and instants that documents name. */
const PURE_OF_DATE = 'Date.parse'

/** The only file that may wait: for the checkers that come in. */
const WAITS = 'valid.ts'

interface Finding {
  readonly file: string
  readonly what: string
}

/** Every use of what is not pure in the sources of the rules. */
function impurities(): Finding[] {
  const folder = join(SRC, 'protocol')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => impuritiesOf(file, readFileSync(join(folder, file), 'utf8')))
}

function impuritiesOf(file: string, source: string): Finding[] {
  const found: Finding[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier) && !node.moduleSpecifier.text.startsWith('.')) {
      const library = node.moduleSpecifier.text
      const allowed = PURE[library]
      const bindings = node.importClause?.namedBindings
      const names = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text) : []
      if (allowed === undefined) found.push({ file, what: library })
      else if (allowed !== 'all') for (const name of names) if (!allowed.includes(name)) found.push({ file, what: `${name} of ${library}` })
      if (allowed !== 'all' && names.length === 0) found.push({ file, what: `all of ${library}` })
      return
    }
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const member = `${node.expression.text}.${node.name.text}`
      if (member === PURE_OF_DATE) return
      if (IMPURE_MEMBERS.has(member)) found.push({ file, what: member })
    }
    const isName = ts.isIdentifier(node) && !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) && !ts.isPropertyAssignment(node.parent) && !ts.isPropertySignature(node.parent)
    if (isName && (IMPURE.has(node.text) || node.text === 'Date')) found.push({ file, what: node.text })
    const waits = ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword || (isName && node.text === 'Promise')
    if (waits && file !== WAITS) found.push({ file, what: 'another turn of the event loop' })
    if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) found.push({ file, what: 'import()' })
    if (ts.isVariableStatement(node) && ts.isSourceFile(node.parent) && (node.declarationList.flags & ts.NodeFlags.Const) === 0) found.push({ file, what: 'a variable of the module' })
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
  return found
}

describe('the rules', () => {
  it('have no I/O, clock or chance: a simulator can run thousands of nodes on them in one process', () => {
    expect(impurities()).toEqual([])
  })

  it.each([
    ["import { randomBytes } from 'node:crypto'", 'randomBytes of node:crypto'],
    ["import { readFileSync } from 'node:fs'", 'node:fs'],
    ["import pino from 'pino'", 'pino'],
    ['const now = () => Date.now()', 'Date.now'],
    ['const now = () => new Date()', 'Date'],
    ['const draw = () => Math.random()', 'Math.random'],
    ["const path = () => process.env['HOME']", 'process'],
    ['const later = async () => undefined', 'another turn of the event loop'],
    ["const late = () => import('./time.ts')", 'import()'],
    ['let held = 0', 'a variable of the module']
  ])('would be told of: %s', (source, what) => expect(impuritiesOf('x.ts', source).map((each) => each.what)).toContain(what))
})
