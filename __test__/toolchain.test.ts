import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addonTarget } from '../scripts/native-target.mjs'
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
    // No name that a module of Node or a package exports is sure to be there.
    const older = `Object.defineProperty(process.versions, 'napi', { value: '9' })
      const { registerHooks } = await import('node:module')
      const resolve = (name, context, next) => {
        if (!/^(?:\\.|file:)/.test(name)) throw new SyntaxError(name + ' does not provide an export of this name')
        return next(name, context)
      }
      registerHooks({ resolve })`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(ROOT, entry), '--version'],
      { encoding: 'utf8' }
    )
    expect(stderr).toMatch(/^chronym needs Node 22\.14 or newer/)
    expect(status).toBe(exitCode)
  })
})

it('README, contributors and package.json name the same oldest Node', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } }
  const [, oldest] = /^\^(\d+\.\d+)\.0 \|\| /.exec(engines.node)!
  for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/operate/install.md'])
    expect(readFileSync(join(ROOT, page), 'utf8').match(/\bNode \d+(?:\.\d+)?(?= or newer)/g), page).toEqual([
      `Node ${oldest}`
    ])
  expect(nodeComplaint({ node: '20.0.0', napi: '9' })).toContain(`Node ${oldest} or newer`)
})

it('a checkout runs on a Node that takes TypeScript as it is, and gets one otherwise', () => {
  expect(['22.18.0', '23.6.0', '24.0.0'].map(isRecent)).toEqual([true, true, true])
  expect(['20.20.2', '22.17.1', '23.5.0'].map(isRecent)).toEqual([false, false, false])
})

it.skipIf(process.platform === 'win32')('a Rust that does not run is told from one that is missing', () => {
  const bin = mkdtempSync(join(tmpdir(), 'chronym-rust-'))
  try {
    expect(rustComplaint({ PATH: bin })).toMatch(/^Rust is missing/)
    writeFileSync(join(bin, 'cargo'), '#!/bin/sh\necho "error: no default toolchain is configured" >&2; exit 1\n', {
      mode: 0o755
    })
    expect(rustComplaint({ PATH: bin })).toMatch(/does not run.*\nerror: no default toolchain/)
  } finally {
    rmSync(bin, { recursive: true })
  }
})

describe.skipIf(process.platform === 'win32')('the set-up of a checkout', () => {
  let directory: string
  const path = (name: string): string => join(directory, name)

  /** `node scripts/run.mjs COMMAND` where PATH has nothing but what `programs` are, in shell. */
  function setUp(programs: Record<string, string>, command = 'setup'): { status: number | null; stderr: string } {
    mkdirSync(path('bin'), { recursive: true })
    for (const [name, script] of Object.entries(programs))
      writeFileSync(path(`bin/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const env = { PATH: path('bin'), HOME: '/dev/null' }
    return spawnSync(process.execPath, [path('scripts/run.mjs'), command], { env, encoding: 'utf8' })
  }

  /** What npm does where it is called. */
  const INSTALL = `/bin/mkdir -p node_modules/better-sqlite3
    echo 'module.exports = class {}' > node_modules/better-sqlite3/index.js`

  function putBuiltAddon(): void {
    mkdirSync(path('native'))
    writeFileSync(path(`native/chronym.${addonTarget()}.node`), '')
    utimesSync(path(`native/chronym.${addonTarget()}.node`), 2e9, 2e9)
  }

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'chronym-checkout-'))
    for (const name of ['scripts', 'crates']) mkdirSync(path(name))
    for (const file of ['run.mjs', 'usage.mjs', 'toolchain.mjs', 'native-target.mjs', 'build-native.mjs'])
      copyFileSync(join(ROOT, 'scripts', file), path(`scripts/${file}`))
    for (const file of ['package.json', 'package-lock.json', 'Cargo.toml', 'Cargo.lock'])
      writeFileSync(path(file), '{}')
  })

  afterEach(() => rmSync(directory, { recursive: true }))

  it('ends without Rust before it installs anything, with the command that installs Rust', () => {
    const { status, stderr } = setUp({ npm: `: > ${path('npm-ran')}` })
    expect(stderr).toMatch(/^• setting up .*\nchronym: Rust is missing.*\n {2}curl .* https:\/\/sh\.rustup\.rs \| sh\n/)
    expect(status).toBe(1)
    expect(existsSync(path('npm-ran'))).toBe(false)
  })

  it('needs neither cargo nor npm nor a home where all is built', () => {
    putBuiltAddon()
    mkdirSync(path('node_modules'))
    writeFileSync(path('node_modules/.chronym-lock'), createHash('sha256').update('{}').digest('hex'))
    expect(setUp({})).toMatchObject({ status: 0, stderr: '' })
  })

  it('installs the packages to build and test with only for commands that need them', () => {
    putBuiltAddon()
    writeFileSync(path('scripts/demo.ts'), '')
    const npm = `echo "$*" >> ${path('npm-ran')}; ${INSTALL}`
    for (const command of ['demo', 'demo', 'setup', 'demo']) expect(setUp({ npm }, command).status).toBe(0)
    expect(readFileSync(path('npm-ran'), 'utf8')).toMatch(/^ci --omit=dev .*\nci --include=dev .*\n$/)
  })

  /** A shell's line that waits for a file, half a minute at most. */
  const waitFor = (name: string): string =>
    `for i in $(/usr/bin/seq 300); do [ -e ${path(name)} ] && break; /bin/sleep 0.1; done; [ -e ${path(name)} ] || exit 3`

  it('installs packages and builds the addon at the same time, and says what is left', () => {
    const artifact = { reason: 'compiler-artifact', target: { name: 'chronym_node' }, filenames: [path('made.so')] }
    const { status, stderr } = setUp({
      npm: `: > ${path('npm-runs')}; ${waitFor('cargo-runs')}; ${INSTALL}`,
      cargo: `[ "$1" = build ] || exit 0
        : > ${path('cargo-runs')}; ${waitFor('npm-runs')}; echo addon > ${path('made.so')}
        echo '${JSON.stringify(artifact)}'`
    })
    expect(stderr).toMatch(/^• setting up the Rust addon, npm packages: a minute on two idle cores elsewhere\n/)
    expect(stderr).toMatch(
      /: done after \d+ s; left: (the Rust addon|npm packages)\n[^]*: done after \d+ s; left: nothing\n/
    )
    expect(status).toBe(0)
    expect(readFileSync(path(`native/chronym.${addonTarget()}.node`), 'utf8')).toBe('addon\n')
    expect(existsSync(path('node_modules/.chronym-lock'))).toBe(true)
  })

  it('leaves the packages that a running checkout uses whole until the new ones are there', () => {
    putBuiltAddon()
    mkdirSync(path('node_modules/.cache'), { recursive: true })
    for (const file of ['in-use', '.cache/compiled']) writeFileSync(path(`node_modules/${file}`), 'former')
    const isWhole = `[ -e ${path('node_modules/in-use')} ] || exit 4`
    expect(setUp({ npm: `${isWhole}; exit 1` }).stderr).toContain('npm packages could not be installed')
    expect(readFileSync(path('node_modules/in-use'), 'utf8')).toBe('former')
    expect(setUp({ npm: `${isWhole}; ${INSTALL}; ${isWhole}` })).toMatchObject({ status: 0 })
    expect(existsSync(path('node_modules/in-use'))).toBe(false)
    expect(existsSync(path('node_modules/better-sqlite3/index.js'))).toBe(true)
    expect(readFileSync(path('node_modules/.cache/compiled'), 'utf8')).toBe('former')
    expect(existsSync(path('.setup'))).toBe(false)
  })

  it('stops the build when the packages cannot be installed', () => {
    const { status, stderr } = setUp({
      npm: `${waitFor('cargo-runs')}; exit 1`,
      cargo: `[ "$1" = build ] || exit 0
        echo $$ > ${path('cargo-pid')}; : > ${path('cargo-runs')}; exec /bin/sleep 100`
    })
    expect(stderr).toContain('npm packages could not be installed')
    expect(status).toBe(1)
    expect(() => process.kill(Number(readFileSync(path('cargo-pid'), 'utf8')), 0)).toThrow('ESRCH')
  })

  it('compiles SQLite where no file for the platform comes with it, and names what that takes when it fails', () => {
    putBuiltAddon()
    // npm ci leaves it without its files for other platforms; node-gyp has no compiler.
    const { status, stderr } = setUp({
      npm: `case "$1 $2" in
        "ci --include=dev") /bin/mkdir -p node_modules/better-sqlite3;;
        "--prefix node_modules/better-sqlite3") echo "gyp ERR! find Python" >&2; exit 1;;
        *) exit 2;;
      esac`
    })
    expect(stderr).toMatch(/gyp ERR! find Python\nchronym: SQLite \(better-sqlite3\) brings no compiled file.*python3/)
    expect(stderr).not.toContain('registry')
    expect(status).toBe(1)
    expect(existsSync(path('node_modules/.chronym-lock'))).toBe(false)
  })

  it('installs no packages through a link: npm would empty the directory of another checkout', () => {
    putBuiltAddon()
    mkdirSync(path('other'))
    symlinkSync(path('other'), path('node_modules'))
    const { status, stderr } = setUp({ npm: `: > ${path('npm-ran')}` })
    expect(stderr).toMatch(/^chronym: node_modules is a link to .*other, and .* Remove the link and run this again/)
    expect(status).toBe(1)
    expect(existsSync(path('npm-ran'))).toBe(false)
  })
})

describe('every script of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }

  it('is run by run.mjs under its own name', () => {
    expect(Object.entries(scripts).filter(([name, line]) => line !== `node scripts/run.mjs ${name}`)).toEqual([])
  })

  /** Commander, tsc, prettier and eslint answer these, once all is set up. */
  const others = ['start', 'chronym', 'lab:sim', 'format', 'format:check', 'lint', 'typecheck']
  it.each(Object.keys(scripts).filter((name) => !others.includes(name)))('says how %s is called', (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/run.mjs'), name, '--help'], {
      encoding: 'utf8',
      env: {}
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(name === 'test' ? 'npm test' : `npm run ${name}`)
    expect(stdout.trim().split('\n').length).toBeGreaterThan(name === 'rehearse' ? 0 : 1)
  })
})
