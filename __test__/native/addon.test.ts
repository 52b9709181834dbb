import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addon, loadAddon, type AddonSource } from '../../src/native/addon.ts'
import { addonTarget, hasGlibc } from '../../src/native/platform.ts'
import { VERSION } from '../../src/version.ts'
import { addonTarget as buildTarget } from '../../scripts/native-target.mjs'

const ROOT = resolve(import.meta.dirname, '../..')
const ADDON_FILE = join(ROOT, 'src/native/addon.ts')
const TARGET = addonTarget(process.platform, process.arch, hasGlibc())

function source(changes: Partial<AddonSource> = {}): AddonSource {
  return {
    root: '/package',
    version: '1.2.3',
    target: 'linux-x64-gnu',
    exists: () => true,
    require: () => fake('1.2.3'),
    ...changes
  }
}

function fake(version: string): unknown {
  return { ...addon(), version: () => version, backend: () => 'portable' }
}

function moduleNotFound(): never {
  throw Object.assign(new Error("Cannot find module '@chronym/native-linux-x64-gnu'\nRequire stack: ..."), {
    code: 'MODULE_NOT_FOUND'
  })
}

describe('finding the addon', () => {
  it('loads the built one, and it says the version of the package', () => {
    expect(addon().version()).toBe(VERSION)
    expect(addon()).toBe(addon())
  })

  it('takes a build beside the sources before the prebuilt package', () => {
    const asked: string[] = []
    const require = (specifier: string): unknown => {
      asked.push(specifier)
      return fake('1.2.3')
    }
    loadAddon(source({ require }))
    loadAddon(source({ require, exists: () => false }))
    expect(asked).toEqual([join('/package', 'native', 'chronym.linux-x64-gnu.node'), '@chronym/native-linux-x64-gnu'])
  })

  it('refuses an addon of another version and says how to get the right one', () => {
    const skewed = { require: () => fake('1.2.2') }
    expect(() => loadAddon(source(skewed))).toThrow(/has version 1\.2\.2, but this is Chronym 1\.2\.3\. Build it again/)
    expect(() => loadAddon(source({ ...skewed, exists: () => false }))).toThrow(
      /npm install --global \.\/chronym-\*\.tgz/
    )
  })

  it('refuses an addon of this version that lacks something, and says what', () => {
    const older = fake('1.2.3') as Record<string, unknown>
    delete older['Verifier']
    expect(() => loadAddon(source({ require: () => older }))).toThrow(
      /built from other sources: it has no Verifier\. Build it again/
    )
  })

  it('refuses the real addon in a package of another version', () => {
    const real = { root: ROOT, target: TARGET, exists: existsSync, require: createRequire(import.meta.url) }
    expect(() => loadAddon(source({ ...real, version: '99.0.0' }))).toThrow(/but this is Chronym 99\.0\.0/)
  })

  it('names both places and both cures when there is none', () => {
    const missing = source({ exists: () => false, require: moduleNotFound })
    expect(() => loadAddon(missing)).toThrow(/no native addon for linux-x64-gnu.*chronym-\*\.tgz.*npm rebuild chronym/)
    const checkout = source({ exists: (path) => path === join('/package', 'src'), require: moduleNotFound })
    expect(() => loadAddon(checkout)).toThrow(/no native addon for linux-x64-gnu.*npm run setup/)
    expect(() => loadAddon(missing)).toThrow(expect.objectContaining({ code: 'ADDON_MISSING' }) as Error)
  })

  it('gives the system\u2019s reason when the file does not load', () => {
    const require = createRequire(import.meta.url)
    const broken = source({
      root: ROOT,
      require: () => require(join(ROOT, 'package.json')) as unknown,
      exists: () => true
    })
    expect(() => loadAddon(broken)).toThrow()
    const foreign = source({
      require: () => {
        throw new Error('/package/native/x.node: invalid ELF header')
      }
    })
    expect(() => loadAddon(foreign)).toThrow(/could not be loaded: .*invalid ELF header/)
  })

  it('refuses a backend that the processor lacks and says which there are', () => {
    const ask = (backend: string) =>
      spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `import { addon } from ${JSON.stringify(ADDON_FILE)}; console.log(addon().backend())`
        ],
        { env: { ...process.env, CHRONYM_VDF_BACKEND: backend }, encoding: 'utf8' }
      )
    for (const backend of ['portable', addon().backend()]) expect(ask(backend).stdout).toBe(`${backend}\n`)
    const { status, stderr } = ask('z80')
    expect(status).toBe(1)
    expect(stderr).toMatch(/ADDON_UNAVAILABLE/)
    expect(stderr).toMatch(
      /CHRONYM_VDF_BACKEND names no backend; this processor has .*portable\. Name one of those, or unset/
    )
  })
})

describe('the name of a platform', () => {
  it('tells the C libraries of Linux apart', () => {
    expect(addonTarget('linux', 'arm64', true)).toBe('linux-arm64-gnu')
    expect(addonTarget('linux', 'x64', false)).toBe('linux-x64-musl')
    expect(addonTarget('darwin', 'arm64', false)).toBe('darwin-arm64')
    expect(addonTarget('win32', 'x64', false)).toBe('win32-x64-msvc')
  })

  it('is the same for the build and for the running program', () => {
    expect(buildTarget()).toBe(TARGET)
  })
})
