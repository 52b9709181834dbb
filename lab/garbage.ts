/**
 * npm run lab:garbage [-- --json]
 *
 * What a node pays for its input: each kind of garbage beside valid input, in microseconds of one thread. It is the
 * least of many runs, since other work only ever adds. Also how long an urgent check waits in the pool behind a flood
 * of a thousand false proofs, each of its own seed.
 */
import { parseArgs } from 'node:util'
import { signDevPulse } from '../src/beacon/dev-beacon.ts'
import { addon } from '../src/native/addon.ts'
import { createNativePool } from '../src/native/pool/pool.ts'
import type { ProofQuestion } from '../src/native/types.ts'
import { DEV_BEACON_CHAIN } from '../src/protocol/profile/built-in.ts'
import { machine } from '../bench/machine.ts'
import { median } from '../bench/statistics.ts'

const BITS = 1024
const ITERATIONS = 5_000
const SPLIT = 4_500
const RUNS = 300
/** Seeds over which the time of deriving a discriminant is averaged: it differs much from one to the next. */
const SEEDS = 40
const FLOOD = 1_000
const URGENT = 40

const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
const native = addon()
const never = new Uint32Array(1)
const seed = new Uint8Array(32).fill(7)
const discriminant = native.Discriminant.fromSeed(seed, BITS)

function prove(split: number | null): Uint8Array {
  const evaluation = new native.Evaluation(discriminant, null, ITERATIONS, split, 2 ** 24)
  while (evaluation.phase() !== 'done') evaluation.advance(10_000, never)
  return evaluation.proof()!
}

function leastMicroseconds(runs: number, run: () => unknown): number {
  let least = Infinity
  for (let index = 0; index < runs; index++) {
    const began = performance.now()
    run()
    least = Math.min(least, performance.now() - began)
  }
  return Math.round(least * 10_000) / 10
}

const [proof, split] = [prove(null), prove(SPLIT)]
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, bytes[at]! ^ 1)
/** A proper form that proves nothing: y in the place of the witness. */
const unproved = new Uint8Array([...proof.subarray(0, 100), ...proof.subarray(0, 100)])
const question = (bytes: Uint8Array): ProofQuestion => ({
  seed,
  bits: BITS,
  iterations: ITERATIONS,
  split: bytes.length === 341 ? SPLIT : null,
  proof: bytes
})

/** With the discriminant remembered. */
const verifier = new native.Verifier(4)
const known = (bytes: Uint8Array): number => leastMicroseconds(RUNS, () => verifier.verify([question(bytes)], never))
/** With the discriminant derived: the mean over seeds. */
const derived = (bytes: Uint8Array): number => {
  const times = Array.from({ length: SEEDS }, (_, index) =>
    leastMicroseconds(8, () =>
      new native.Verifier(1).verify([{ ...question(bytes), seed: seed.with(0, index) }], never)
    )
  )
  return Math.round(times.reduce((sum, time) => sum + time, 0) / SEEDS)
}

const key = new native.ChainKey(new Uint8Array(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex')))
const signature = signDevPulse(5)
const pulse = (round: number, bytes: Uint8Array): number => leastMicroseconds(RUNS, () => key.verify(round, bytes))

const pool = createNativePool({ evaluationThreads: 1 })
await pool.verifyProof(question(proof))

async function remembered(): Promise<number> {
  await pool.verifyProof(question(unproved))
  let least = Infinity
  for (let index = 0; index < RUNS; index++) {
    const began = performance.now()
    await pool.verifyProof(question(unproved))
    least = Math.min(least, performance.now() - began)
  }
  return Math.round(least * 10_000) / 10
}

/**
 * Milliseconds of a pulse check of our own while a thousand false proofs are refused, expected ones, each of its own
 * seed.
 */
async function urgentDuringFlood(): Promise<number[]> {
  const seeds = Array.from({ length: FLOOD }, (_, index) => seed.with(0, index & 255).with(1, index >> 8))
  const flood = Promise.all(
    seeds.map((each) => pool.verifyProof({ ...question(unproved), seed: each }, { urgency: 'expected' }))
  )
  const waits: number[] = []
  for (let index = 0; index < URGENT; index++) {
    const began = performance.now()
    await pool.verifyPulse({
      publicKey: new Uint8Array(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex')),
      round: 100 + index,
      signature
    })
    waits.push(performance.now() - began)
  }
  await flood
  return waits.toSorted((a, b) => a - b)
}

// Warm-up: the engine compiles the calls into the addon.
for (let index = 0; index < 20 * RUNS; index++) verifier.verify([question(proof.subarray(1))], never)

const microseconds = {
  'proof of another length': known(proof.subarray(1)),
  'proof with impossible flags': known(proof.with(0, 0xff)),
  'proof that is not a form, discriminant known': known(flipped(proof, 70)),
  'proof that is not a form, discriminant derived': derived(flipped(proof, 70)),
  'forms that prove nothing, discriminant known': known(unproved),
  'two segments, the first with another prime': known(flipped(split, 220)),
  'two segments, nothing proved by the last': known(new Uint8Array([...unproved, ...split.subarray(200)])),
  'valid proof, discriminant known': known(proof),
  'valid proof of two segments, discriminant known': known(split),
  'a verdict remembered, asked through the pool': await remembered(),
  'pulse of another length': pulse(5, signature.subarray(1)),
  'pulse that is not a point of the group': pulse(5, flipped(signature, 20)),
  'pulse of another round': pulse(6, signature),
  'valid pulse': pulse(5, signature)
}
const waits = await urgentDuringFlood()
await pool.close()
const urgentMs = { median: Number(median(waits).toFixed(1)), most: Number(waits.at(-1)!.toFixed(1)) }

if (values.json === true) {
  process.stdout.write(
    `${JSON.stringify({
      machine: machine(),
      backend: native.backend(),
      bits: BITS,
      microseconds,
      urgent_during_flood_ms: urgentMs
    })}\n`
  )
} else {
  const { cpu, cores, node } = machine()
  process.stdout.write(
    `${cpu}, ${cores} cores, Node ${node}, backend ${native.backend()}; ${BITS} bits; ` +
      `microseconds of one thread, the least of ${RUNS} runs\n\n`
  )
  for (const [kind, time] of Object.entries(microseconds))
    process.stdout.write(`  ${kind.padEnd(52)}${time.toFixed(1).padStart(9)}\n`)
  process.stdout.write(
    `\n  an urgent check during a flood of ${FLOOD.toLocaleString('en')} false proofs ` +
      `waits ${urgentMs.median} ms (median), ${urgentMs.most} ms (most)\n`
  )
}
