// Which Node runs the project, and whether the checkout is set up. Plain JavaScript without
// dependencies: it has to run on the Node that a machine happens to have (20 or newer).
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAddonCurrent } from './native-target.mjs'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Installed beside the checkout when the running Node is too old to run TypeScript sources. */
const NODE_VERSION = '24.21.0'
/** First release, and first of Node 23, with type stripping on by default, which running from sources needs. */
const MINIMUM = [22, 18]
const MINIMUM_OF_23 = 6

const RUST_CURE = `Rust is missing: there is no cargo on PATH. Install it (https://rustup.rs), then run this again:
${
  process.platform === 'win32'
    ? '  winget install Rustlang.Rustup'
    : `  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh
  . "$HOME/.cargo/env"`
}`

export function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major === 23) return minor >= MINIMUM_OF_23
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])
}

function fail(message) {
  process.stderr.write(`chronym: ${message}\n`)
  process.exit(1)
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options
  })
  if (result.error !== undefined) fail(`${command} could not be started: ${result.error.message}`)
  return result.status ?? 1
}

function note(message) {
  process.stderr.write(`\u2022 ${message}\n`)
}

/** The Node binary to use, installing one into .toolchain/ when the running one is too old. */
export function ensureNode() {
  if (isRecent(process.versions.node)) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const packageName = `node-${platform}-${process.arch}`
  const home = join(ROOT, '.toolchain')
  const binary = join(home, 'node_modules', packageName, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (!existsSync(binary) || execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim() !== `v${NODE_VERSION}`) {
    note(
      `Node ${process.versions.node} is too old for running from sources; ` +
        `installing Node ${NODE_VERSION} into .toolchain/, for this checkout only`
    )
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
    const status = run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--loglevel=error', `${packageName}@${NODE_VERSION}`],
      { cwd: home }
    )
    if (status !== 0 || !existsSync(binary)) {
      fail(
        `Node ${NODE_VERSION} could not be installed. ` +
          `Install Node ${MINIMUM.join('.')} or newer yourself and run this again.`
      )
    }
  }
  return binary
}

/** Environment in which `node`, and what npm scripts start, is the chosen one. */
export function environment(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
}

/** Keeps what Node compiles as src/util/compile-cache.ts does, from the first file on and for worker threads too. */
function keepingCompiledCode(env) {
  if (env.SUDO_UID !== undefined) return env
  return { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/chronym'), ...env }
}

/** `npm ci` empties what a link leads to: the packages of another checkout. */
function refuseLink(directory) {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  const target = existsSync(directory) ? realpathSync(directory) : 'a directory that is missing'
  fail(
    `node_modules is a link to ${target}, and holds other packages than package-lock.json here names. ` +
      'Installing would empty that directory. Remove the link and run this again, which installs packages here; ' +
      'or run `npm run setup` in the checkout that it leads to, where both have the same package-lock.json.'
  )
}

function canOpenSqlite(node, env) {
  const script = "new (require('better-sqlite3'))(':memory:')"
  return spawnSync(node, ['-e', script], { cwd: ROOT, env, stdio: 'ignore' }).status === 0
}

/**
 * better-sqlite3 brings files compiled for the usual platforms, and compiling is for the others. `npm ci` would run
 * node-gyp on all of them, which fails without python3 and Node's headers though it has nothing to do.
 */
function ensureSqlite(node, env) {
  if (canOpenSqlite(node, env)) return
  const platform = `${process.platform}-${process.arch}`
  note(`compiling SQLite (better-sqlite3), which brings no compiled file that runs here (${platform})`)
  const build = ['--prefix', join('node_modules', 'better-sqlite3'), 'run', 'build-release']
  if (run('npm', build, { env }) === 0 && canOpenSqlite(node, env)) return
  fail(
    `SQLite (better-sqlite3) brings no compiled file that runs here (${platform}), and compiling it failed; see the ` +
      'message above. It takes python3, make and a compiler for C++20 (Debian: `apt-get install python3 make g++`), ' +
      'and the headers of Node from nodejs.org: without that host, name a folder that has them in npm_config_nodedir. ' +
      'Then run this again.'
  )
}

function ensureDependencies(node, env) {
  const stamp = join(ROOT, 'node_modules', '.chronym-lock')
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  refuseLink(dirname(stamp))
  note('installing npm packages; this takes about half a minute')
  if (run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { env }) !== 0) {
    fail(
      'npm packages could not be installed; npm says why above. After ENOTFOUND, ECONNREFUSED or ETIMEDOUT, see that ' +
        'the registry can be reached: `npm config get registry` names it.'
    )
  }
  ensureSqlite(node, env)
  writeFileSync(stamp, wanted)
}

/**
 * Why Rust cannot build here, and the cure; undefined when it can. Without a toolchain, rustup's `cargo` says what is
 * missing.
 */
export function rustComplaint(env) {
  const { error, status, stderr } = spawnSync('cargo', ['--version'], {
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32'
  })
  if (error === undefined && status === 0) return undefined
  return stderr?.trim() ? `Rust does not run (\`cargo --version\`):\n${stderr.trim()}` : RUST_CURE
}

/**
 * Sets up what is missing: Node, npm packages, the Rust addon. What it cannot bring itself comes first: Rust, which
 * only a build needs.
 */
export function setUp() {
  const isBuilt = isAddonCurrent(ROOT)
  const complaint = isBuilt ? undefined : rustComplaint(process.env)
  if (complaint !== undefined) fail(complaint)
  const node = ensureNode()
  const env = environment(node)
  ensureDependencies(node, env)
  if (!isBuilt && run(node, [join('scripts', 'build-native.mjs')], { env }) !== 0)
    fail('the Rust addon could not be built; see the message above.')
  return { node, env: keepingCompiledCode(env) }
}
