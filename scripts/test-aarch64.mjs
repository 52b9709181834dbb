// `npm run test:aarch64 -- [FILTER]` on an x86-64 processor: the kernel's tests (or those whose names have FILTER) built
// for aarch64, under qemu-user. docs/testing.md says what it needs. Exit code 0 when all passed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ROOT } from './toolchain.mjs'

const TARGET = 'aarch64-unknown-linux-gnu'
/** Of Debian's libc6-dev-arm64-cross. */
const LIBRARIES = '/usr/aarch64-linux-gnu'

/** A backend is forced, since a test under qemu cannot start itself again. Each kind of steps has its turn. */
const RUNS = [
  { backend: 'aarch64-neon', steps: 'ordered', args: ['--lib', '--tests'] },
  { backend: 'aarch64', steps: 'compiled', args: ['--lib', '--tests'] },
  { backend: 'aarch64-neon', steps: 'ordered', args: ['--lib', '--features', 'stress'], filter: ['lattice', 'form'] }
]

function fail(message) {
  process.stderr.write(`test:aarch64: ${message}\n`)
  process.exit(1)
}

const output = (command, ...args) => {
  const { status, stdout } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

for (const [command, of] of [
  ['aarch64-linux-gnu-gcc', 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross'],
  ['qemu-aarch64', 'qemu-user']
]) {
  if (output(command, '--version') === undefined) fail(`needs ${command}: apt-get install ${of}`)
}
const standard = output(process.env.RUSTC ?? 'rustc', '--print', 'target-libdir', '--target', TARGET)
if (standard === undefined || !existsSync(standard)) {
  fail(`needs Rust's standard library for the target: rustup target add ${TARGET}, or see docs/testing.md`)
}

const [filter] = process.argv.slice(2)
for (const { backend, steps, args, filter: ownFilter = [] } of RUNS) {
  const env = {
    ...process.env,
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: 'aarch64-linux-gnu-gcc',
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER: `qemu-aarch64 -L ${LIBRARIES}`,
    // builds sooner
    CARGO_PROFILE_RELEASE_LTO: 'off',
    CHRONYM_VDF_BACKEND: backend,
    CHRONYM_VDF_STEPS: steps
  }
  const names = filter === undefined ? ownFilter : [filter]
  const test = ['test', '--release', '-p', 'chronym-vdf', '--target', TARGET, '--locked', ...args, '--', ...names]
  process.stderr.write(`${backend}, ${steps} steps, ${args.join(' ')}\n`)
  const { status, error } = spawnSync('cargo', test, { cwd: ROOT, env, stdio: 'inherit' })
  if (error) fail(error.message)
  if (status !== 0) process.exit(1)
}
