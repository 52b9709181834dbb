/**
 * The daemon's side of a farm in its own process, behind the line protocol (program.ts): node daemon.ts URL. Evaluations
 * are begun as the daemon's places do it, as many as the farm has room for.
 */
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Farm } from '../../src/farm/farm.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { Evaluation, EvaluationTerms, NativePool } from '../../src/native/types.ts'
import type { PlaceHandle } from '../../src/evaluations/places.ts'
import { BENCH_NETWORK } from './scene.ts'

type Plan = Omit<Evaluation, 'seed'> & EvaluationTerms

export type DaemonRequest =
  /** Waits until the farm has room for that many. */
  | { do: 'room'; count: number }
  /** That many evaluations, on the farm or on as many threads of this process; answers `Proved`. */
  | { do: 'prove'; on: 'farm' | number; count: number; plan: Plan }
  /** That many, which go on; answers once workers have them all. */
  | { do: 'hold'; count: number; plan: Plan }
  | { do: 'view' }

export interface Proved {
  readonly seconds: number
  /** Of each, from its beginning to its verified proof. */
  readonly taskMs: readonly number[]
}

const POLL_MS = 1

const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}
const pool = createNativePool({ evaluationThreads: 1 })
const farm = new Farm({
  address: { url: process.argv[2]!, credentials: '', ca: '', network: BENCH_NETWORK },
  pool,
  log
})
let seeds = 0

function evaluationOf({ discriminantBits, iterations, split }: Plan): Evaluation {
  const seed = new Uint8Array(32)
  new DataView(seed.buffer).setUint32(0, ++seeds)
  return { seed, discriminantBits, iterations, split }
}

async function holds(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(POLL_MS)
}

async function prove({ on, count, plan }: Extract<DaemonRequest, { do: 'prove' }>): Promise<Proved> {
  const local = on === 'farm' ? undefined : createNativePool({ evaluationThreads: on, provingThreads: on })
  const taskMs: number[] = []
  let running = 0
  const began = performance.now()
  const one = async (): Promise<void> => {
    const evaluation = evaluationOf(plan)
    const startedMs = performance.now()
    await provedBy(evaluation, plan, local ?? farm)
    taskMs.push(performance.now() - startedMs)
    if (local === undefined) farm.forget(evaluation)
    running--
  }
  const all: Promise<void>[] = []
  while (all.length < count) {
    await holds(() => running < (on === 'farm' ? farm.room() : on))
    running++
    all.push(one())
  }
  await Promise.all(all)
  const seconds = (performance.now() - began) / 1000
  await local?.close()
  return { seconds, taskMs }
}

async function provedBy(
  evaluation: Evaluation,
  terms: EvaluationTerms,
  place: Pick<NativePool, 'evaluate'> | Farm
): Promise<void> {
  const outcome = await place.evaluate(evaluation, terms, () => undefined).outcome
  if (outcome.kind !== 'proof') throw new Error(`an evaluation ended with ${JSON.stringify(outcome)}`)
  const { discriminantBits: bits, ...others } = evaluation
  if (!(await pool.verifyProof({ ...others, bits, proof: outcome.proof })))
    throw new Error('a proof of our own was refused')
}

async function hold({ count, plan }: Extract<DaemonRequest, { do: 'hold' }>): Promise<object> {
  const handles: PlaceHandle[] = []
  while (handles.length < count) {
    await holds(() => handles.length < farm.room())
    handles.push(farm.evaluate(evaluationOf(plan), plan, () => undefined))
  }
  await holds(() => handles.every((handle) => typeof handle.progress().worker === 'string'))
  return {}
}

async function answer(request: DaemonRequest): Promise<unknown> {
  if (request.do === 'room') {
    await holds(() => farm.room() >= request.count)
    return {}
  }
  if (request.do === 'prove') return prove(request)
  if (request.do === 'hold') return hold(request)
  return farm.view()
}

await farm.start()
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as DaemonRequest))}\n`)
