/** What users get of the main package; `npm run test:install` installs it. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle, closure } from '../scripts/package/bundle.mjs'
import { publishedManifest } from '../scripts/package/manifest.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const main = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  files: string[]
  dependencies: Record<string, string>
}

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'chronym-published-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('the published manifest', () => {
  const manifest = publishedManifest(main, { 'linux-x64-gnu': {}, 'darwin-arm64': {} })

  it('asks npm for nothing but the platform packages that were made, at its own version', () => {
    expect(manifest.optionalDependencies).toEqual({
      '@chronym/native-linux-x64-gnu': main.version,
      '@chronym/native-darwin-arm64': main.version
    })
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('devDependencies')
  })

  it('runs one script, which is packed with all that it imports', () => {
    expect(manifest.scripts).toEqual({ postinstall: 'node scripts/install-native.mjs' })
    for (const script of ['install-native', 'build-native', 'native-target'])
      expect(main.files).toContain(`scripts/${script}.mjs`)
  })

  it('packs licences, documents and the crates, and nothing of tests', () => {
    const folder = join(scratch, 'package')
    mkdirSync(join(folder, 'dist'), { recursive: true })
    for (const path of ['README.md', 'CHANGELOG.md', 'LICENSE-APACHE', 'LICENSE-MIT', 'Cargo.toml', 'Cargo.lock'])
      cpSync(join(ROOT, path), join(folder, path))
    for (const path of ['crates', 'scripts', '__test__/store'])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const npm = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
    const [packed] = JSON.parse(
      execFileSync('npm', npm, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    ) as { files: { path: string }[] }[]
    const paths = packed!.files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'Cargo.lock']))
    for (const crate of readdirSync(join(ROOT, 'crates')))
      expect(paths).toEqual(expect.arrayContaining([`crates/${crate}/Cargo.toml`, `crates/${crate}/src/lib.rs`]))
    expect(
      paths.filter((path) => /__test__|fuzz\/|\.test\.|^scripts\/(?!(install|build)-native|native-target)/.test(path))
    ).toEqual([])
  })
})

describe('the bundled packages', () => {
  // Those with most of what is left out: maps, types, sources in C, tests, builds in one file.
  const SAMPLE = ['better-sqlite3', 'multiformats', 'pino', '@libp2p/peer-id', 'preact', 'htm']
  let folder: string
  let bundled: string[]
  beforeAll(() => {
    folder = join(scratch, 'bundled')
    bundled = bundle(ROOT, folder, { names: SAMPLE })
  })

  it('are all that the program imports, and what these need', () => {
    const all = closure(ROOT, Object.keys(main.dependencies))
    for (const name of [...Object.keys(main.dependencies), 'sonic-boom', 'uint8arrays'])
      expect(all).toContain(join('node_modules', name))
    expect(all).not.toContain(join('node_modules', 'node-addon-api'))
    expect(() => closure(ROOT, ['not-installed'])).toThrow('not-installed is not installed')
  })

  it('hold no source maps, no TypeScript, no tests, no compiled files', () => {
    const files = filesBelow(folder)
    expect(files.filter((file) => /\.(?:map|[mc]?ts|node|[ch]pp)$|index\.min\.js$/.test(file))).toEqual([])
    expect(files.filter((file) => /\/(?:test|tests|deps|src\/objects)\//.test(file))).toEqual([])
    // Whole packages, so with their modules.
    for (const file of ['preact/dist/preact.mjs', 'htm/dist/htm.module.js'])
      expect(existsSync(join(folder, file)), file).toBe(true)
    expect(bundled.some((name) => name.startsWith('better-sqlite3@'))).toBe(true)
  })

  it('keep their types where types of ours name them', () => {
    const typed = join(scratch, 'typed')
    bundle(ROOT, typed, { names: ['valibot', 'htm'], typed: ['valibot'] })
    const types = filesBelow(typed).filter((file) => /\.d\.[mc]?ts$/.test(file))
    expect(types.length).toBeGreaterThan(0)
    expect(types.every((file) => file.includes('/valibot/'))).toBe(true)
  })

  it('keep the licence of each package that ships one', () => {
    const licence = /^(?:licen[cs]e|copying|notice)/i
    const lost = SAMPLE.filter((name) => {
      const shipped = readdirSync(join(ROOT, 'node_modules', name)).filter((file) => licence.test(file))
      return shipped.some((file) => !existsSync(join(folder, name, file)))
    })
    expect(lost).toEqual([])
  })
})
