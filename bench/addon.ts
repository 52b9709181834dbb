/** The addon and the pool as the daemon runs them, behind the line protocol (program.ts). */
import { createInterface } from 'node:readline'
import { createNativePool } from '../src/native/pool/pool.ts'
import type { ProofQuestion } from '../src/native/types.ts'
import { BITS, type Proof } from './bench.ts'
import type { Times } from './program.ts'

/** More than any run does. */
const ENDLESS = 2 ** 40
/** As the daemon saves them by default (`vdf.checkpoint_seconds`). */
const CHECKPOINT_SECONDS = 10
const THREADS = 2

type Request = { do: 'squarings'; seed: string; milliseconds: number } | { do: 'verify'; proofs: Proof[] }

/** Squares for about that long. The time includes starting and stopping, a few milliseconds. */
async function square(
  pool: ReturnType<typeof createNativePool>,
  seed: string,
  milliseconds: number
): Promise<{ squarings: number; times: Times }> {
  let squarings = 0
  const { times } = await timed(async () => {
    const evaluation = {
      seed: Buffer.from(seed, 'hex'),
      discriminantBits: BITS,
      iterations: ENDLESS,
      split: null
    }
    const handle = pool.evaluate(evaluation, { checkpointSeconds: CHECKPOINT_SECONDS }, (checkpoint) => {
      squarings = checkpoint.squarings
    })
    setTimeout(() => handle.stop(), milliseconds)
    const outcome = await handle.outcome
    if (outcome.kind !== 'stopped') throw new Error(`the evaluation ended with ${outcome.kind}`)
  })
  return { squarings, times }
}

/** Verifies them all from their seeds on two threads, in a new pool, so that no cache knows any of them. */
async function verify(proofs: readonly Proof[]): Promise<{ times: Times }> {
  const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: THREADS })
  const questions = proofs.map(({ seed, iterations, proof }): ProofQuestion => {
    return { seed: Buffer.from(seed, 'hex'), bits: BITS, iterations, split: null, proof: Buffer.from(proof, 'hex') }
  })
  // The threads are there before the clock runs: wrong proofs in seeds of their own, several for each thread.
  const others = questions.slice(0, 4 * THREADS).map((question) => ({ ...question, seed: question.seed.toReversed() }))
  await pool.verifyProofs(others)
  const { value, times } = await timed(() => pool.verifyProofs(questions))
  await pool.close()
  if (value.includes(false)) throw new Error('a proof of our own was refused')
  return { times }
}

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; times: Times }> {
  const [began, before] = [performance.now(), process.cpuUsage()]
  const value = await run()
  const { user, system } = process.cpuUsage(before)
  return { value, times: { wall: (performance.now() - began) / 1e3, cpu: (user + system) / 1e6 } }
}

const pool = createNativePool({ evaluationThreads: 1 })
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  const answer =
    request.do === 'squarings' ? await square(pool, request.seed, request.milliseconds) : await verify(request.proofs)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
await pool.close()
