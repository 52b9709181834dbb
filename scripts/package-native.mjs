// Makes the npm packages of the prebuilt addons, and native/checksums.json, which names them and their files:
//   node scripts/package-native.mjs ARTIFACTS OUT [--only TARGET]
// ARTIFACTS holds chronym.<target>.node for every target below (in any subfolder), OUT gets one folder a package.
// scripts/package/prepack.mjs then makes the main package depend on those that the checksums name.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256, writeChecksums } from './package/checksums.mjs'
import { libraryNotices, linkedCrates, noticesOf } from './package/notices.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const SQLITE = join(ROOT, 'node_modules', 'better-sqlite3')
const LICENCES = ['LICENSE-APACHE', 'LICENSE-MIT']

/**
 * npm installs the one that fits; src/native/addon.ts imports it by its target. `sqlite` and `rust` are what
 * better-sqlite3 and Rust call the target.
 */
export const TARGETS = {
  'linux-x64-gnu': { os: 'linux', cpu: 'x64', libc: 'glibc', sqlite: 'linux-x64', rust: 'x86_64-unknown-linux-gnu' },
  'linux-x64-musl': {
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
    sqlite: 'linuxmusl-x64',
    rust: 'x86_64-unknown-linux-musl'
  },
  'linux-arm64-gnu': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    sqlite: 'linux-arm64',
    rust: 'aarch64-unknown-linux-gnu'
  },
  'linux-arm64-musl': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
    sqlite: 'linuxmusl-arm64',
    rust: 'aarch64-unknown-linux-musl'
  },
  'darwin-x64': { os: 'darwin', cpu: 'x64', sqlite: 'darwin-x64', rust: 'x86_64-apple-darwin' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', sqlite: 'darwin-arm64', rust: 'aarch64-apple-darwin' },
  'win32-x64-msvc': { os: 'win32', cpu: 'x64', sqlite: 'win32-x64', rust: 'x86_64-pc-windows-msvc' }
}

export function packageName(target) {
  return `@chronym/native-${target}`
}

/** The crates linked into the addon of a target, as cargo knows them. */
const linkedNotices = (rustTarget) => noticesOf(linkedCrates(ROOT, rustTarget))

/**
 * Writes the packages of `targets`. Throws when an artifact is missing, or the text of a licence.
 * @returns `{ "<target>": { "<file>": "<sha256>" } }`
 */
export function packageAddons(artifacts, out, main, targets = Object.keys(TARGETS), notices = linkedNotices) {
  const found = new Map(
    readdirSync(artifacts, { recursive: true, encoding: 'utf8' }).map((path) => [
      path.split(/[\\/]/).at(-1),
      join(artifacts, path)
    ])
  )
  const checksums = {}
  for (const target of targets) {
    const { os, cpu, libc, sqlite, rust } = TARGETS[target]
    const file = `chronym.${target}.node`
    const artifact = found.get(file)
    if (artifact === undefined) throw new Error(`${artifacts} has no ${file}`)
    const folder = join(out, `native-${target}`)
    mkdirSync(folder, { recursive: true })
    copyFileSync(artifact, join(folder, file))
    stripDebugSections(join(folder, file))
    const binding = 'better_sqlite3.node'
    copyFileSync(join(SQLITE, 'prebuilds', `${sqlite}.node`), join(folder, binding))
    for (const licence of LICENCES) copyFileSync(join(ROOT, licence), join(folder, licence))
    copyFileSync(join(SQLITE, 'LICENSE'), join(folder, 'LICENSE-better-sqlite3'))
    writeFileSync(join(folder, 'LICENSE-crates.txt'), notices(rust))
    copyFileSync(libraryNotices(ROOT), join(folder, 'LICENSE-rust-library.html'))
    writeJson(join(folder, 'package.json'), {
      name: packageName(target),
      version: main.version,
      description: `The native addon of chronym for ${target}, and its build of SQLite.`,
      license: main.license,
      ...(main.repository === undefined ? {} : { repository: main.repository }),
      engines: main.engines,
      os: [os],
      cpu: [cpu],
      ...(libc === undefined ? {} : { libc: [libc] }),
      main: file,
      files: [file, binding, 'LICENSE-*']
    })
    checksums[target] = { [file]: sha256(join(folder, file)), [binding]: sha256(join(folder, binding)) }
  }
  return checksums
}

/**
 * Lines of panics are of use to developers alone, and are three quarters of an addon. Without a `strip` for this format
 * (another system's addon), the file is left as it was built.
 */
function stripDebugSections(file) {
  const [command, flag] = process.platform === 'darwin' ? ['strip', '-S'] : ['strip', '--strip-debug']
  if (process.platform !== 'win32') spawnSync(command, [flag, file], { stdio: 'ignore' })
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [artifacts, out, option, only] = process.argv.slice(2)
  const isValid = option === undefined || (option === '--only' && Object.hasOwn(TARGETS, only ?? ''))
  if (artifacts === undefined || out === undefined || !isValid) {
    process.stderr.write(
      'usage: node scripts/package-native.mjs ARTIFACTS OUT [--only TARGET]\n' +
        `TARGET is one of ${Object.keys(TARGETS).join(', ')}\n`
    )
    process.exit(2)
  }
  const main = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeChecksums(ROOT, packageAddons(artifacts, out, main, only === undefined ? undefined : [only]))
}
