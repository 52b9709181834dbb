// Builds the Rust addon and puts it where src/native/addon.ts looks: native/chronym.<target>.node.
// Dependency-free, for Node 20 and newer. Arguments (`--locked`, `--target TRIPLE`) go to cargo, which then builds a
// release. Without any it is the checkout's build, and an addon newer than its sources is left as it is.
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, utimesSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtAddon, isAddonCurrent } from './native-target.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const LIBRARY = 'chronym_node'

function fail(message) {
  process.stderr.write(`build-native: ${message}\n`)
  process.exit(1)
}

/** Runs cargo and returns the path of the library that it says it made. */
async function build(profile, cargoArguments) {
  const args = ['build', '--profile', profile, '-p', 'chronym-node', '--message-format=json-render-diagnostics']
  // cargo's progress and errors stay visible; its messages are ours to read.
  const cargo = spawn('cargo', [...args, ...cargoArguments], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('SIGTERM', () => cargo.kill())
  let stdout = ''
  cargo.stdout.on('data', (chunk) => (stdout += chunk))
  const status = await new Promise((resolve) => {
    cargo.on('error', ({ message }) =>
      fail(
        `cargo could not be started (${message}). ` +
          'Install Rust from https://rustup.rs and see that cargo is on PATH.'
      )
    )
    cargo.on('close', resolve)
  })
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

/**
 * Copies by rename, so that a process that has the old file mapped keeps it whole. Dated by the start of the build: a
 * source changed meanwhile is newer.
 */
function install(library, destination, startedAt) {
  mkdirSync(dirname(destination), { recursive: true })
  const temporary = `${destination}.${process.pid}.tmp`
  copyFileSync(library, temporary)
  utimesSync(temporary, startedAt, startedAt)
  renameSync(temporary, destination)
}

const cargoArguments = process.argv.slice(2)
const isRelease = cargoArguments.length > 0
if (isRelease || !isAddonCurrent(ROOT)) {
  process.stderr.write(
    `\u2022 building the Rust addon; the first time takes ${isRelease ? 'a few minutes' : 'a minute or two'}\n`
  )
  const startedAt = new Date()
  install(await build(isRelease ? 'release' : 'dev', cargoArguments), builtAddon(ROOT), startedAt)
}
