// Builds the Rust addon and puts it where src/native/addon.ts looks: native/chronym.<target>.node.
// Dependency-free, for Node 20 and newer. Arguments (`--locked`, `--target TRIPLE`) go to cargo. Nothing changed: a fraction of a second.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addonTarget } from './native-target.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const LIBRARY = 'chronym_node'

function fail(message) {
  process.stderr.write(`build-native: ${message}\n`)
  process.exit(1)
}

/** Runs cargo and returns the path of the library that it says it made. The first build takes a minute and shows its progress. */
function build(cargoArguments, isFirst) {
  const args = ['build', ...(isFirst ? [] : ['--quiet']), '--release', '-p', 'chronym-node', '--message-format=json-render-diagnostics', ...cargoArguments]
  const { error, status, stdout } = spawnSync('cargo', args, {
    cwd: ROOT,
    encoding: 'utf8',
    // cargo's progress and errors stay visible; its messages are ours to read.
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024
  })
  if (error !== undefined) fail(`cargo could not be started (${error.message}). Install Rust from https://rustup.rs and see that cargo is on PATH.`)
  if (status !== 0) fail('cargo failed; see its message above.')
  const artifacts = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === 'compiler-artifact' && message.target.name === LIBRARY)
    .flatMap((message) => message.filenames)
  const library = artifacts.find((file) => /\.(so|dylib|dll)$/.test(file))
  if (library === undefined) fail(`cargo made no dynamic library (it names: ${artifacts.join(', ') || 'nothing'}).`)
  return library
}

/** Copies by rename, so that a process that has the old file mapped keeps it whole. */
function install(library, destination) {
  const made = statSync(library)
  if (existsSync(destination)) {
    const present = statSync(destination)
    if (present.size === made.size && present.mtimeMs >= made.mtimeMs) return
  }
  mkdirSync(dirname(destination), { recursive: true })
  const temporary = `${destination}.${process.pid}.tmp`
  copyFileSync(library, temporary)
  renameSync(temporary, destination)
}

const destination = join(ROOT, 'native', `chronym.${addonTarget()}.node`)
install(build(process.argv.slice(2), !existsSync(destination)), destination)
