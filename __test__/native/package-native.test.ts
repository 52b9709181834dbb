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
import { publishedManifest } from '../../scripts/package/manifest.mjs'

const ROOT = resolve(import.meta.dirname, '../..')
const TARGET = addonTarget(process.platform, process.arch, hasGlibc())
const scratch = mkdtempSync(join(tmpdir(), 'chronym-packages-'))
const main = { name: 'chronym', version: VERSION, license: 'MIT', engines: { node: '^22.14.0 || >=23.6.0' } }

afterAll(() => rmSync(scratch, { recursive: true }))

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
    const checksums = packageAddons(artifacts(), out, main)
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
    packageAddons(artifacts(), out, main)
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
      [...Object.keys(checksums!), 'LICENSE-APACHE', 'LICENSE-MIT', 'LICENSE-better-sqlite3', 'package.json'].toSorted()
    )
    expect(Object.keys(checksums!).toSorted()).toEqual(['better_sqlite3.node', `chronym.${TARGET}.node`])
    for (const [file, checksum] of Object.entries(checksums!)) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')
      ).toBe(checksum)
    }
  })

  it('are not made when an artifact is missing', () => {
    const empty = join(scratch, 'empty')
    mkdirSync(empty)
    expect(() => packageAddons(empty, join(scratch, 'none'), main)).toThrow(/has no chronym\.linux-x64-gnu\.node/)
  })
})
