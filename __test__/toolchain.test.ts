import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRecent, rustComplaint } from '../scripts/toolchain.mjs'
import { nodeComplaint } from '../src/util/node-version.ts'

const ROOT = resolve(import.meta.dirname, '..')

describe('a Node that cannot run the database', () => {
  it('is told by its Node-API, with the cure', () => {
    expect(nodeComplaint({ node: '22.13.1', napi: '9' })).toMatch(
      /needs Node 22\.14 or newer .*this is 22\.13\.1\. Install a newer Node/
    )
    expect(nodeComplaint({ node: '22.14.0', napi: '10' })).toBeUndefined()
    expect(nodeComplaint(process.versions)).toBeUndefined()
  })

  it('is one without the Node-API that the database was built for', () => {
    const binding = readFileSync(join(ROOT, 'node_modules/better-sqlite3/binding.gyp'), 'utf8')
    const builtFor = Number(/NAPI_VERSION=(\d+)/.exec(binding)?.[1])
    expect(nodeComplaint({ node: '99.0.0', napi: String(builtFor) })).toBeUndefined()
    expect(nodeComplaint({ node: '99.0.0', napi: String(builtFor - 1) })).toBeDefined()
  })

  it.each([
    ['src/daemon/main.ts', 1],
    ['src/cli/main.ts', 8]
  ])('is refused by %s before anything else is loaded', (entry, exitCode) => {
    const older = `Object.defineProperty(process.versions, 'napi', { value: '9' })`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(ROOT, entry), '--version'],
      { encoding: 'utf8' }
    )
    expect(stderr).toMatch(/^chronym needs Node 22\.14 or newer/)
    expect(status).toBe(exitCode)
  })
})

it('a checkout runs on a Node that takes TypeScript as it is, and gets one otherwise', () => {
  expect(['22.18.0', '23.6.0', '24.0.0'].map(isRecent)).toEqual([true, true, true])
  expect(['20.20.2', '22.17.1', '23.5.0'].map(isRecent)).toEqual([false, false, false])
})

it.skipIf(process.platform === 'win32')('a Rust that does not run is told from one that is missing', () => {
  const bin = mkdtempSync(join(tmpdir(), 'chronym-rust-'))
  try {
    expect(rustComplaint({ PATH: bin })).toMatch(/Rust is missing: install it/)
    writeFileSync(join(bin, 'cargo'), '#!/bin/sh\necho "error: no default toolchain is configured" >&2; exit 1\n', {
      mode: 0o755
    })
    expect(rustComplaint({ PATH: bin })).toMatch(/does not run.*\nerror: no default toolchain/)
  } finally {
    rmSync(bin, { recursive: true })
  }
})

it.skipIf(process.platform === 'win32')(
  'packages are not installed through a link: npm would empty the directory of another checkout',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'chronym-link-'))
    const [checkout, other, bin] = ['checkout', 'other', 'bin'].map((name) => join(directory, name)) as [
      string,
      string,
      string
    ]
    try {
      for (const path of [join(checkout, 'scripts'), other, bin]) mkdirSync(path, { recursive: true })
      copyFileSync(join(ROOT, 'scripts/toolchain.mjs'), join(checkout, 'scripts/toolchain.mjs'))
      writeFileSync(join(checkout, 'package-lock.json'), '{}')
      writeFileSync(join(other, '.chronym-lock'), 'of another package-lock.json')
      // What npm ci does first.
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\n/bin/rm -f '${join(other, '.chronym-lock')}'\nexit 1\n`, {
        mode: 0o755
      })
      symlinkSync(other, join(checkout, 'node_modules'))
      const { status, stderr } = spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `(await import(${JSON.stringify(join(checkout, 'scripts/toolchain.mjs'))})).setUp()`
        ],
        { env: { PATH: bin }, encoding: 'utf8' }
      )
      expect(stderr).toMatch(/^chronym: node_modules is a link to .*other, and .* Remove the link and run this again/)
      expect(status).toBe(1)
      expect(existsSync(join(other, '.chronym-lock'))).toBe(true)
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
)
