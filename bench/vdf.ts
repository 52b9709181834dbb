/**
 * npm run bench:vdf [-- --json] [--rounds N] [--only ROW,ROW] [--quick] [--seed HEX]
 *
 * Every figure that docs/reference/performance.md promises, measured on this machine beside its target. With `--json`, stdout has
 * one object and nothing else, provided that npm runs with `--silent`.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { createBench, BITS, type Row } from './bench.ts'
import type { Figure } from './figure.ts'
import { machine } from './machine.ts'
import { table } from './report.ts'
import { addon } from './rows/addon.ts'
import { backends } from './rows/backends.ts'
import { evaluation, proving } from './rows/evaluation.ts'
import { placement } from './rows/placement.ts'
import { portable } from './rows/portable.ts'
import { pulse } from './rows/pulse.ts'
import { baseline, squaring } from './rows/squaring.ts'
import { throughput } from './rows/throughput.ts'
import { fromSeed, verification } from './rows/verification.ts'

const ROWS: readonly Row[] = [
  baseline,
  squaring,
  addon,
  backends,
  placement,
  verification,
  fromSeed,
  portable,
  pulse,
  throughput,
  evaluation,
  proving
]
const ROUNDS = 15
const QUICK_ROUNDS = 5
const SEED = '07'.repeat(32)

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean' },
    seed: { type: 'string' }
  }
})
const quick = values.quick ?? false
const rounds = Number(values.rounds ?? (quick ? QUICK_ROUNDS : ROUNDS))
const seed = values.seed ?? SEED
const wanted = values.only?.split(',') ?? ROWS.map((row) => row.id)
if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds takes a number from 1 on')
if (!/^[0-9a-f]{64}$/.test(seed)) fail('--seed takes 32 bytes in lower-case hexadecimal')
const unknown = wanted.find((id) => ROWS.every((row) => row.id !== id))
if (unknown !== undefined)
  fail(`--only: there is no row "${unknown}"; there are ${ROWS.map((row) => row.id).join(', ')}`)

const bench = createBench(seed, { rounds, quick }, machine())
const began = performance.now()
const figures: Figure[] = []
for (const row of ROWS.filter((row) => wanted.includes(row.id))) {
  process.stderr.write(`• ${row.id}\n`)
  figures.push(...(await row.run(bench)))
}
const { backend } = await (await bench.ours('baseline')).ask<{ backend: string }>({ do: 'hello' })
bench.close()

const result = {
  machine: bench.machine,
  backend,
  commit: commit(),
  seed,
  bits: BITS,
  rounds,
  quick,
  seconds: Math.round((performance.now() - began) / 1e3),
  figures
}
process.stdout.write(values.json === true ? `${JSON.stringify(result)}\n` : text())

function text(): string {
  const { cpu, cores, features, pinned_to, node, rustc } = result.machine
  const pinned =
    pinned_to === null
      ? 'not pinned to a CPU: there is no taskset here'
      : `single threads pinned to CPU ${pinned_to.one}`
  return `${cpu}, ${cores} cores (${features.join(' ')}); ${pinned}
Node ${node}, ${rustc}, backend ${backend}, commit ${result.commit}
${BITS} bits, seed ${seed}; medians of ${rounds} alternated rounds, quartiles in brackets; ${result.seconds} s

${table(figures)}
`
}

/** The commit that was measured, with `-dirty` where files differ from it. */
function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore']
    }).trim()
  } catch {
    return 'unknown'
  }
}

function fail(message: string): never {
  process.stderr.write(`bench:vdf: ${message}\n`)
  process.exit(2)
}
