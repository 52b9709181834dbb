/**
 * npm run bench:vdf [-- --json] [--rounds N]
 *
 * Squarings per second of the addon called directly and through the worker pool, in alternated runs so that a
 * noisy machine disturbs both alike; the time to derive a discriminant and to verify a proof and a pulse. Medians.
 */
import { parseArgs } from 'node:util'
import { addon } from '../src/native/addon.ts'
import { createNativePool } from '../src/native/pool.ts'
import { machine, median } from './machine.ts'

const BITS = 1024
const SEED = new Uint8Array(32).fill(7)
const MEMORY_BYTES = 256 * 2 ** 20
/** Long enough that starting and proving do not blur the rate of squaring. */
const RUN_MS = 1_000
/** Squarings of the proof that is verified; verifying takes the same for any number. */
const PROVED = 20_000

const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: { type: 'string' } } })
const rounds = Number(values.rounds ?? 5)

const native = addon()
const never = new Uint32Array(new SharedArrayBuffer(4))
const discriminant = native.Discriminant.fromSeed(SEED, BITS)

function seconds(action: () => unknown): number {
  const began = performance.now()
  action()
  return (performance.now() - began) / 1000
}

function directRate(): number {
  const evaluation = new native.Evaluation(discriminant, null, 2 ** 40, null, MEMORY_BYTES)
  // The first forms are small and cheap; leave them out.
  evaluation.advance(2_000, never)
  const before = evaluation.squarings()
  const began = performance.now()
  while (performance.now() - began < RUN_MS) evaluation.advance(2_000, never)
  return ((evaluation.squarings() - before) * 1000) / (performance.now() - began)
}

const pool = createNativePool({ evaluationThreads: 1 })
const direct: number[] = []
const pooled: number[] = []
for (let round = 0; round < rounds; round++) {
  direct.push(directRate())
  pooled.push(await pool.measureRate(BITS, RUN_MS))
}
await pool.close()

const evaluation = new native.Evaluation(discriminant, null, PROVED, null, MEMORY_BYTES)
const proving = seconds(() => {
  while (evaluation.phase() !== 'done') evaluation.advance(10_000, never)
})
const proof = evaluation.proof()!
const verify = Array.from({ length: 4 * rounds + 1 }, () => seconds(() => native.verifyProof(discriminant, null, PROVED, proof, 0)))
const derive = Array.from({ length: 4 * rounds + 1 }, (_, index) => seconds(() => native.Discriminant.fromSeed(SEED.with(0, index), BITS)))

const result = {
  machine: machine(),
  backend: native.backend(),
  seed: Buffer.from(SEED).toString('hex'),
  bits: BITS,
  rounds,
  squarings_per_second: Math.round(median(direct)),
  pool_to_direct: Number(median(pooled.map((rate, index) => rate / direct[index]!)).toFixed(3)),
  prove_20000_seconds: Number(proving.toFixed(3)),
  verify_ms: Number((median(verify) * 1000).toFixed(2)),
  discriminant_ms: Number((median(derive) * 1000).toFixed(2))
}

if (values.json === true) {
  process.stdout.write(`${JSON.stringify(result)}\n`)
} else {
  const { cpu, cores, node } = result.machine
  process.stdout.write(`${cpu}, ${cores} cores, Node ${node}, backend ${result.backend}; ${BITS} bits, seed ${result.seed.slice(0, 8)}..., medians of ${rounds} alternated rounds

  squarings per second, one thread   ${result.squarings_per_second.toLocaleString('en')}
  through the pool, as a ratio       ${result.pool_to_direct}
  ${PROVED.toLocaleString('en')} squarings with proof       ${result.prove_20000_seconds} s
  verify a proof                     ${result.verify_ms} ms
  derive a discriminant              ${result.discriminant_ms} ms
`)
}
