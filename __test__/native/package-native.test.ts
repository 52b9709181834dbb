import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadAddon } from '../../src/native/addon.ts'
import { addonTarget, hasGlibc } from '../../src/native/platform.ts'
import { VERSION } from '../../src/version.ts'
import { packageAddons, TARGETS } from '../../scripts/package-native.mjs'
import { linkedCrates, noticesOf } from '../../scripts/package/notices.mjs'
import { publishedManifest } from '../../scripts/package/manifest.mjs'

const ROOT = resolve(import.meta.dirname, '../..')
const TARGET = addonTarget(process.platform, process.arch, hasGlibc())
const scratch = mkdtempSync(join(tmpdir(), 'chronym-packages-'))
const main = { name: 'chronym', version: VERSION, license: 'MIT', engines: { node: '^22.14.0 || >=23.6.0' } }

afterAll(() => rmSync(scratch, { recursive: true }))

/** Crates of other platforms need not be on this machine. */
const noNotices = (): string => ''

/** Artifacts as a release downloads them, one folder each; this platform's is the real one. */
function artifacts(): string {
  const folder = join(scratch, 'artifacts')
  for (const target of Object.keys(TARGETS)) {
    mkdirSync(join(folder, `addon-${target}`), { recursive: true })
    const file = `chronym.${target}.node`
    writeFileSync(
      join(folder, `addon-${target}`, file),
      target === TARGET ? readFileSync(join(ROOT, 'native', file)) : ''
    )
  }
  return folder
}

describe('the packages of the prebuilt addons', () => {
  it('are seven, each for one platform, and the main package depends on them at its own version', () => {
    const out = join(scratch, 'npm')
    const checksums = packageAddons(artifacts(), out, main, undefined, noNotices)
    expect(Object.keys(checksums)).toEqual(Object.keys(TARGETS))
    const { optionalDependencies } = publishedManifest(main, checksums)
    expect(optionalDependencies).toEqual(
      Object.fromEntries(Object.keys(TARGETS).map((target) => [`@chronym/native-${target}`, VERSION]))
    )
    const musl = JSON.parse(readFileSync(join(out, 'native-linux-arm64-musl', 'package.json'), 'utf8')) as object
    expect(musl).toMatchObject({
      name: '@chronym/native-linux-arm64-musl',
      version: VERSION,
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['musl']
    })
  })

  it('are found by the importer where npm puts them', () => {
    const out = join(scratch, 'npm-installed')
    packageAddons(artifacts(), out, main, [TARGET], noNotices)
    mkdirSync(join(scratch, 'node_modules', '@chronym'), { recursive: true })
    symlinkSync(
      join(out, `native-${TARGET}`),
      join(scratch, 'node_modules', '@chronym', `native-${TARGET}`),
      'junction'
    )
    const loaded = loadAddon({
      root: scratch,
      version: VERSION,
      target: TARGET,
      require: createRequire(join(scratch, 'package.json')),
      exists: () => false
    })
    expect(loaded.version()).toBe(VERSION)
  })

  it('hold the addon, its database library and the licences, with the checksums of both', () => {
    const out = join(scratch, 'npm-files')
    const { [TARGET]: checksums } = packageAddons(artifacts(), out, main, [TARGET])
    const folder = join(out, `native-${TARGET}`)
    expect(readdirSync(folder).toSorted()).toEqual(
      [
        ...Object.keys(checksums!),
        ...['APACHE', 'MIT', 'better-sqlite3', 'crates.txt', 'rust-library.html'].map((name) => `LICENSE-${name}`),
        'package.json'
      ].toSorted()
    )
    const notices = readFileSync(join(folder, 'LICENSE-crates.txt'), 'utf8')
    for (const holder of ['NLnet Labs', 'Isis Agora Lovecruft', 'Brian Smith', 'LongYinan', 'Orson Peters'])
      expect(notices).toContain(holder)
    expect(readFileSync(join(folder, 'LICENSE-rust-library.html'), 'utf8')).toContain('Rust Standard Library')
    expect(Object.keys(checksums!).toSorted()).toEqual(['better_sqlite3.node', `chronym.${TARGET}.node`])
    for (const [file, checksum] of Object.entries(checksums!)) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')
      ).toBe(checksum)
    }
  })

  it('name each crate of Cargo.lock whose code is in the addon, and none that only built it', () => {
    const crates = linkedCrates(ROOT, TARGETS[TARGET]!.rust)
    const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8')
    const notices = noticesOf(crates)
    for (const { name, version, license } of crates) {
      expect(lock).toContain(`name = "${name}"\nversion = "${version}"`)
      expect(notices).toContain(`\n${name} ${version} (${license})\n`)
    }
    const names = crates.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['ring', 'domain', 'subtle', 'untrusted', 'foldhash', 'napi']))
    for (const builder of ['syn', 'cc', 'napi-build', 'napi-derive', 'chronym-vdf', 'rcgen'])
      expect(names).not.toContain(builder)
  })

  it('are not made without the text of a licence', () => {
    const manifest = join(scratch, 'bare', 'Cargo.toml')
    mkdirSync(join(scratch, 'bare'))
    const crate = { name: 'bare', version: '1.0.0', license: 'BSD-3-Clause', repository: null, manifest_path: manifest }
    expect(() => noticesOf([crate])).toThrow(/crate bare 1\.0\.0 \(BSD-3-Clause\) has no licence file/)
  })

  it('are for the platforms that deny.toml looks at', () => {
    const [, list] = /targets = \[(.*?)\]/su.exec(readFileSync(join(ROOT, 'deny.toml'), 'utf8'))!
    const looked = [...list!.matchAll(/"(.+?)"/gu)].map(([, target]) => target)
    expect(looked.toSorted()).toEqual(
      Object.values(TARGETS)
        .map(({ rust }) => rust)
        .toSorted()
    )
  })

  it('are not made when an artifact is missing', () => {
    const empty = join(scratch, 'empty')
    mkdirSync(empty)
    expect(() => packageAddons(empty, join(scratch, 'none'), main)).toThrow(/has no chronym\.linux-x64-gnu\.node/)
  })
})
