// Runs after npm has installed the package, and on `npm rebuild chronym`. Where no prebuilt addon fits this platform it
// builds one, if cargo is there. It never fails the installation: parts of the library need no addon, and the programs
// say what is missing. Dependency-free.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addonTarget, builtAddon } from './native-target.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const SQLITE = join(ROOT, 'dist/node_modules/better-sqlite3')
const LOCK = join(ROOT, 'dist/sqlite')
const CURE =
  'The daemon and the command line need it: install Rust from https://rustup.rs, then run `npm rebuild chronym`.'
const SQLITE_CURE =
  'Where no file for this platform comes with it, compiling takes python3, make, a compiler for C++20 and the headers ' +
  'of Node from nodejs.org. Then run `npm rebuild chronym`.'

const target = addonTarget()
const note = (message) => process.stderr.write(`chronym: ${message}\n`)

function isPrebuilt() {
  try {
    createRequire(import.meta.url).resolve(`@chronym/native-${target}/package.json`)
    return true
  } catch {
    return false
  }
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { shell: process.platform === 'win32', stdio: 'inherit', ...options }).status === 0
}

function buildAddon() {
  // Lines of panics are of use to developers alone, and are three quarters of an addon.
  const env = { ...process.env, CARGO_PROFILE_RELEASE_STRIP: 'debuginfo' }
  return run(process.execPath, [join(ROOT, 'scripts/build-native.mjs'), '--locked'], { env, shell: false })
}

/** The database library, whose files for all platforms are left out of this package: from its own package. */
function installSqlite() {
  const binding = join(SQLITE, 'build/Release/better_sqlite3.node')
  if (existsSync(binding)) return true
  const scratch = mkdtempSync(join(tmpdir(), 'chronym-sqlite-'))
  try {
    // With the hashes of the lock file: npm takes no other bytes for this version.
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(LOCK, file), join(scratch, file))
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--global=false']
    if (!run('npm', ['ci', ...options, '--prefix', scratch], { cwd: scratch })) return false
    const own = join(scratch, 'node_modules/better-sqlite3')
    const { getPrebuildPath } = createRequire(import.meta.url)(join(own, 'lib/binding.js'))
    // Compiled where no file for this platform comes with it.
    if (getPrebuildPath() === null) run('npm', ['--prefix', own, 'run', 'build-release'])
    mkdirSync(dirname(binding), { recursive: true })
    copyFileSync(getPrebuildPath() ?? join(own, 'build/Release/better_sqlite3.node'), binding)
    return true
  } catch (error) {
    note(error.message)
    return false
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

if (!isPrebuilt() && !existsSync(builtAddon(ROOT))) {
  if (!run('cargo', ['--version'], { stdio: 'ignore' })) {
    note(`there is no prebuilt addon for ${target} here, and no cargo to build one. ${CURE}`)
  } else if (!buildAddon()) {
    note(`the addon for ${target} could not be built; see the messages above. ${CURE}`)
  } else if (!installSqlite()) {
    note(`SQLite (better-sqlite3) could not be installed; see the messages above. ${SQLITE_CURE}`)
  } else {
    // What cargo made on the way is a hundred times as large as the addon.
    rmSync(join(ROOT, 'target'), { recursive: true, force: true })
    note(`the addon for ${target} was built on this machine.`)
  }
}
