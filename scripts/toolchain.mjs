// Which Node runs the project, and whether the checkout is set up. Plain JavaScript without
// dependencies: it has to run on the Node that a machine happens to have (20 or newer).
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Installed beside the checkout when the running Node is too old to run TypeScript sources. */
const NODE_VERSION = '24.21.0'
/** First release, and first of Node 23, with type stripping on by default, which running from sources needs. */
const MINIMUM = [22, 18]
const MINIMUM_OF_23 = 6

const RUST_CURE = 'Rust is missing: install it from https://rustup.rs (cargo must be on PATH), then run this again.'

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

function ensureDependencies(env) {
  const stamp = join(ROOT, 'node_modules', '.chronym-lock')
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  refuseLink(dirname(stamp))
  note('installing npm packages; this takes about half a minute')
  if (run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env }) !== 0) {
    fail('npm packages could not be installed; see the message above. Is the npm registry reachable?')
  }
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

/** Sets up what is missing: Node, npm packages, the Rust addon. Takes less than a second when all is there. */
export function setUp() {
  const node = ensureNode()
  const env = environment(node)
  ensureDependencies(env)
  const complaint = rustComplaint(env)
  if (complaint !== undefined) fail(complaint)
  if (run(node, [join('scripts', 'build-native.mjs')], { env }) !== 0)
    fail('the Rust addon could not be built; see the message above.')
  return { node, env }
}
