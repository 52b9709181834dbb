// Which Node runs the project, and whether the checkout is set up. Plain JavaScript without
// dependencies: it has to run on the Node that a machine happens to have (20 or newer).
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAddonCurrent } from './native-target.mjs'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

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

/** What set-up has running: none of it outlives a failure. */
const running = new Set()

function fail(message) {
  process.stderr.write(`chronym: ${message}\n`)
  for (const child of running) child.kill()
  process.exit(1)
}

function run(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    // Standard output belongs to the command that is run afterwards.
    stdio: ['ignore', 2, 2],
    shell: command === 'npm' && process.platform === 'win32',
    ...options
  })
  running.add(child)
  return new Promise((resolve) => {
    child.on('error', (error) => fail(`${command} could not be started: ${error.message}`))
    child.on('close', (status) => {
      running.delete(child)
      resolve(status ?? 1)
    })
  })
}

function note(message) {
  process.stderr.write(`\u2022 ${message}\n`)
}

/** The Node that is installed beside the checkout when the running one is too old: versions, and hashes by npm's lock. */
const PINNED_NODE = join(ROOT, 'scripts', 'node')
const NODE_HOME = join(ROOT, '.toolchain')
const NODE_PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** The Node binary to use: one in .toolchain/, for this checkout only, when the running one is too old. */
function chosenNode() {
  if (isRecent(process.versions.node)) return process.execPath
  return join(NODE_HOME, 'node_modules', NODE_PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

function pinnedVersion() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(PINNED_NODE, 'package.json'), 'utf8'))
  return Object.values(optionalDependencies)[0]
}

function isThere(node) {
  if (node === process.execPath) return true
  return existsSync(node) && execFileSync(node, ['--version'], { encoding: 'utf8' }).trim() === `v${pinnedVersion()}`
}

async function installNode() {
  mkdirSync(NODE_HOME, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(PINNED_NODE, file), join(NODE_HOME, file))
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  // npm leaves out a package that is for another system, and one whose hash is not the one of the lock file.
  const status = await run('npm', args, { cwd: NODE_HOME })
  if (status === 0 && isThere(chosenNode())) return
  fail(
    `Node ${pinnedVersion()} could not be installed. ` +
      `Install Node ${MINIMUM.join('.')} or newer yourself and run this again.`
  )
}

/** Environment in which `node`, and what npm scripts start, is the chosen one. */
function environment(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
}

/** Keeps what Node compiles as src/util/compile-cache.ts does, from the first file on and for worker threads too. */
function keepingCompiledCode(env) {
  if (env.SUDO_UID !== undefined) return env
  return { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/chronym'), ...env }
}

/** A link leads to the packages of another checkout, which are not ours to replace. */
function refuseLink(directory) {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  const target = existsSync(directory) ? realpathSync(directory) : 'a directory that is missing'
  fail(
    `node_modules is a link to ${target}, and holds other packages than package-lock.json here names. ` +
      'Remove the link and run this again, which installs packages here; ' +
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
async function ensureSqlite(node, env) {
  if (canOpenSqlite(node, env)) return
  const platform = `${process.platform}-${process.arch}`
  note(`compiling SQLite (better-sqlite3), which brings no compiled file that runs here (${platform})`)
  const build = ['--prefix', join('node_modules', 'better-sqlite3'), 'run', 'build-release']
  if ((await run('npm', build, { env })) === 0 && canOpenSqlite(node, env)) return
  fail(
    `SQLite (better-sqlite3) brings no compiled file that runs here (${platform}), and compiling it failed; see the ` +
      'message above. It takes python3, make and a compiler for C++20 (Debian: `apt-get install python3 make g++`), ' +
      'and the headers of Node from nodejs.org: without that host, name a folder that has them in npm_config_nodedir. ' +
      'Then run this again.'
  )
}

const STAMP = join(ROOT, 'node_modules', '.chronym-lock')

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
}

/** Where packages are installed, beside those that this checkout may be running on. */
const STAGE = join(ROOT, '.setup')

async function installPackages(omitted) {
  rmSync(STAGE, { recursive: true, force: true })
  mkdirSync(STAGE)
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(ROOT, file), join(STAGE, file))
  // NODE_ENV=production leaves out what the set-up builds with.
  const chosen = omitted.length > 0 ? omitted : ['--include=dev']
  const args = ['ci', ...chosen, '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  if ((await run('npm', args, { cwd: STAGE })) === 0) return putIntoPlace()
  rmSync(STAGE, { recursive: true, force: true })
  fail(
    'npm packages could not be installed; npm says why above. After ENOTFOUND, ECONNREFUSED or ETIMEDOUT, see that ' +
      'the registry can be reached: `npm config get registry` names it.'
  )
}

/** Two renames, so that a program of this checkout finds all of the former packages, or all of the new ones. */
function putIntoPlace() {
  const [made, used] = [join(STAGE, 'node_modules'), dirname(STAMP)]
  mkdirSync(made, { recursive: true })
  if (existsSync(used)) {
    // What Node has compiled is as good as before.
    if (existsSync(join(used, '.cache'))) renameSync(join(used, '.cache'), join(made, '.cache'))
    renameSync(used, join(STAGE, 'former'))
  }
  renameSync(made, used)
  rmSync(STAGE, { recursive: true, force: true })
}

async function buildAddon() {
  if ((await run(process.execPath, [join('scripts', 'build-native.mjs')])) === 0) return
  fail('the Rust addon could not be built; see the message above.')
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

/** Runs all jobs at once, and says what is left whenever one has ended. */
async function together(jobs) {
  const left = new Set(jobs.keys())
  const startedAt = Date.now()
  const finish = async ([name, job]) => {
    await job()
    left.delete(name)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    note(`${name}: done after ${seconds} s; left: ${[...left].join(', ') || 'nothing'}`)
  }
  await Promise.all([...jobs].map(finish))
}

/**
 * Sets up what is missing, all at the same time: Node, npm packages, the Rust addon. What it cannot bring itself comes
 * first: Rust, which only a build needs. Before that a line says what is missing, since rustup may fetch a toolchain.
 *
 * @param isForUse leaves out the packages to build and test with, half of all
 */
export async function setUp(isForUse = false) {
  const isBuilt = isAddonCurrent(ROOT)
  const omitted = isForUse ? ['--omit=dev'] : []
  const mark = [lockHash(), ...omitted].join(' ')
  const isInstalled = existsSync(STAMP) && [mark, lockHash()].includes(readFileSync(STAMP, 'utf8'))
  if (!isInstalled) refuseLink(dirname(STAMP))
  const node = chosenNode()
  const jobs = new Map()
  if (!isBuilt) jobs.set('the Rust addon', buildAddon)
  if (!isInstalled) jobs.set('npm packages', () => installPackages(omitted))
  if (!isThere(node))
    jobs.set(`Node ${pinnedVersion()} in .toolchain/, since ${process.versions.node} is too old`, installNode)
  if (jobs.size > 0) note(`setting up ${[...jobs.keys()].join(', ')}: a minute on two idle cores elsewhere`)
  const complaint = isBuilt ? undefined : rustComplaint(process.env)
  if (complaint !== undefined) fail(complaint)
  await together(jobs)
  const env = environment(node)
  if (!isInstalled) {
    await ensureSqlite(node, env)
    writeFileSync(STAMP, mark)
  }
  return { node, env: keepingCompiledCode(env) }
}
