// Fuzzes one target, or each in turn: `npm run fuzz -- [TARGET] [--seconds N]`. Starts from crates/vdf/fuzz/corpus,
// which it does not change, and writes findings to target/fuzz. Needs a C++ compiler for the fuzzer's runtime. Exit
// code 0 when nothing failed.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './toolchain.mjs'

const TARGETS = ['checkpoint', 'decode', 'discriminant', 'operations', 'pulse', 'verify']
const DEFAULT_SECONDS = '600'

/** Longest input, in bytes: two proofs of two segments. */
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

const FUZZ = join(ROOT, 'crates', 'vdf', 'fuzz')
const output = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target', 'fuzz')
const env = { ...process.env, CARGO_TARGET_DIR: output, RUSTC_WRAPPER: join(FUZZ, 'instrument.sh') }

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error) process.stderr.write(`${command}: ${error.message}\n`)
  return status === 0
}

if (!run('cargo', ['build', '--release', '--locked', '--bins'], FUZZ)) process.exit(1)
let failed = false
for (const target of positionals.length > 0 ? positionals : TARGETS) {
  const found = join(output, 'corpus', target)
  mkdirSync(found, { recursive: true })
  process.stdout.write(`\n${target}, ${values.seconds} s\n`)
  const options = [
    `-max_total_time=${values.seconds}`,
    `-max_len=${MAX_LENGTH}`,
    '-len_control=0',
    `-timeout=${TIMEOUT_SECONDS}`,
    `-artifact_prefix=${join(output, `${target}-`)}`,
    '-keep_seed=1',
    '-print_final_stats=1',
    '-verbosity=1'
  ]
  failed = !run(join(output, 'release', target), [...options, found, join(FUZZ, 'corpus', target)], ROOT) || failed
}
process.exit(failed ? 1 : 0)
