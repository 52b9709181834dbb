/** Holds the rules of src/protocol to be pure. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** What the rules may use of others: encodings, hashes, signatures, schemas. */
const PURE: Readonly<Record<string, readonly string[] | 'all'>> = {
  '@noble/curves/ed25519.js': ['ed25519'],
  '@noble/hashes/sha2.js': ['sha256', 'sha512'],
  'node:crypto': [
    'createHash',
    'timingSafeEqual',
    'hkdfSync',
    'createPrivateKey',
    'createPublicKey',
    'sign',
    'verify',
    'KeyObject'
  ],
  '@scure/bip39': ['entropyToMnemonic', 'mnemonicToEntropy'],
  '@scure/bip39/wordlists/english.js': ['wordlist'],
  canonicalize: 'all',
  cborg: ['decode', 'encode', 'rfc8949EncodeOptions', 'Tokenizer', 'Type'],
  'multiformats/bases/base58': ['base58btc'],
  'punycode/punycode.js': 'all',
  tweetnacl: 'all',
  valibot: 'all'
}

/** Globals through which time, chance, the machine or another turn of the event loop would come in. */
const IMPURE = new Set([
  'process',
  'performance',
  'console',
  'fetch',
  'globalThis',
  'global',
  'crypto',
  'navigator',
  'require',
  'eval',
  'Function',
  'Intl',
  'Atomics',
  'SharedArrayBuffer',
  'Worker',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'structuredClone',
  'AbortSignal',
  'AbortController',
  'EventTarget'
])

/** Members of globals that are pure otherwise. */
const IMPURE_MEMBERS = new Set(['Math.random', 'Date.now', 'nacl.randomBytes', 'nacl.setPRNG', 'nacl.box'])

/** Of time the rules know rounds, and instants that documents name. */
const PURE_OF_DATE = 'Date.parse'

/** The only file that may wait: for the checkers that come in. */
const WAITS = join('claim', 'valid.ts')

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
    if (
      ts.isImportDeclaration(node) &&
      ts.isStringLiteral(node.moduleSpecifier) &&
      !node.moduleSpecifier.text.startsWith('.')
    ) {
      const library = node.moduleSpecifier.text
      const allowed = PURE[library]
      const bindings = node.importClause?.namedBindings
      const names =
        bindings !== undefined && ts.isNamedImports(bindings)
          ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
          : []
      if (allowed === undefined) found.push({ file, what: library })
      else if (allowed !== 'all')
        for (const name of names) if (!allowed.includes(name)) found.push({ file, what: `${name} of ${library}` })
      if (allowed !== 'all' && names.length === 0) found.push({ file, what: `all of ${library}` })
      return
    }
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const member = `${node.expression.text}.${node.name.text}`
      if (member === PURE_OF_DATE) return
      if (IMPURE_MEMBERS.has(member)) found.push({ file, what: member })
    }
    const isName =
      ts.isIdentifier(node) &&
      !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) &&
      !ts.isPropertyAssignment(node.parent) &&
      !ts.isPropertySignature(node.parent)
    if (isName && (IMPURE.has(node.text) || node.text === 'Date')) found.push({ file, what: node.text })
    const waits =
      ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword || (isName && node.text === 'Promise')
    if (waits && file !== WAITS) found.push({ file, what: 'another turn of the event loop' })
    if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent))
      found.push({ file, what: 'import()' })
    if (
      ts.isVariableStatement(node) &&
      ts.isSourceFile(node.parent) &&
      (node.declarationList.flags & ts.NodeFlags.Const) === 0
    )
      found.push({ file, what: 'a variable of the module' })
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
  ])('would be told of: %s', (source, what) =>
    expect(impuritiesOf('x.ts', source).map((each) => each.what)).toContain(what)
  )
})
