// Fuzzes one target, or each in turn: `npm run fuzz -- [TARGET] [--seconds N]`. Starts from seeds that the crates make
// (crates/{vdf,dns,https}/fuzz/src/seeds.rs), and writes findings to target/fuzz. Needs a C++ compiler for the fuzzer's
// runtime. Exit code 0 when nothing failed.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './toolchain.mjs'

/** Targets by the crate whose `fuzz` folder has them. */
const CRATES = {
  vdf: ['checkpoint', 'decode', 'discriminant', 'operations', 'pulse', 'verify'],
  dns: ['query', 'zone'],
  https: ['certificate', 'head']
}
const TARGETS = Object.values(CRATES).flat()
const DEFAULT_SECONDS = '600'

/** Longest input, in bytes: two proofs of two segments, or records of a zone of every type. */
const MAX_LENGTH = 1024
/** An input that takes longer counts as a hang. */
const TIMEOUT_SECONDS = 30

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: DEFAULT_SECONDS } },
  allowPositionals: true
})
const unknown = positionals.filter((target) => !TARGETS.includes(target))
if (unknown.length > 0 || !/^[1-9]\d*$/.test(values.seconds)) {
  process.stderr.write(`usage: npm run fuzz -- [${TARGETS.join(' | ')}] [--seconds N]\n`)
  process.exit(2)
}

const target = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target')
const output = join(target, 'fuzz')
const seeds = join(output, 'seeds')

function run(command, args, cwd, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error) process.stderr.write(`${command}: ${error.message}\n`)
  return status === 0
}

/** The crate of a target, by its folder for fuzzing. */
const folderOf = (target) => {
  const [crate] = Object.entries(CRATES).find(([, targets]) => targets.includes(target))
  return join(ROOT, 'crates', crate, 'fuzz')
}

const targets = positionals.length > 0 ? positionals : TARGETS
for (const folder of new Set(targets.map(folderOf))) {
  const env = { ...process.env, CARGO_TARGET_DIR: output, RUSTC_WRAPPER: join(folder, 'instrument.sh') }
  if (!run('cargo', ['build', '--release', '--locked', '--bins'], folder, env)) process.exit(1)
  // Without the fuzzer's runtime: with the builds of `npm run test:full`.
  const plain = { ...process.env, CARGO_TARGET_DIR: target }
  const example = ['run', '--no-default-features', '--locked', '--example', 'seeds', '--', seeds]
  if (!run('cargo', example, folder, plain)) process.exit(1)
}
let failed = false
for (const name of targets) {
  const found = join(output, 'corpus', name)
  mkdirSync(found, { recursive: true })
  process.stdout.write(`\n${name}, ${values.seconds} s\n`)
  const options = [
    `-max_total_time=${values.seconds}`,
    `-max_len=${MAX_LENGTH}`,
    '-len_control=0',
    `-timeout=${TIMEOUT_SECONDS}`,
    `-artifact_prefix=${join(output, `${name}-`)}`,
    '-keep_seed=1',
    '-print_final_stats=1',
    '-verbosity=1'
  ]
  failed = !run(join(output, 'release', name), [...options, found, join(seeds, name)], ROOT) || failed
}
process.exit(failed ? 1 : 0)
