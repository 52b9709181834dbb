/** A farm whose workers, server and daemon are killed at random instants, again and again; what became of its work. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NatsServer } from '../../scripts/nats-server.ts'
import type { FarmTimes } from '../../src/farm/link.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { temporary } from '../temporary.ts'
import { computationOf, FarmProcess, planOf, type Stretch, WorkerProcess } from './processes.ts'

const TIMES: FarmTimes = { reportMs: 100, silentMs: 1500, lookMs: 300, homeMs: 60_000 }
const NETWORK = 'faults'
const WORKERS = 2
const TASKS = 3
const LEAST_MS = 200

interface FaultsOutcome {
  readonly kills: Readonly<Record<'worker' | 'server' | 'daemon', number>>
  readonly proved: number
  /** Proofs that do not verify. */
  readonly wrong: number
  /** Begun, and without a proof at the end. */
  readonly lost: number
  /** Seconds of squaring that ran again, for each evaluation that was taken up again, in order. */
  readonly repeatedSeconds: readonly number[]
}

export async function runFaults({
  kills,
  seed,
  checkpointSeconds,
  mostMs
}: {
  readonly kills: number
  readonly seed: number
  readonly checkpointSeconds: number
  /** Between two kills at most. */
  readonly mostMs: number
}): Promise<FaultsOutcome> {
  const random = generator(seed)
  const directory = temporary()
  const server = await NatsServer.started(temporary())
  const common = { url: server.url, network: NETWORK, times: TIMES }
  const daemonArguments = { ...common, directory, tasks: TASKS, checkpointSeconds }
  const stretches: Stretch[][] = []
  const startWorker = (index: number): WorkerProcess => {
    const worker = new WorkerProcess({ ...common, name: `w${index}` })
    stretches.push(worker.stretches)
    return worker
  }
  const workers = Array.from({ length: WORKERS }, (_, index) => startWorker(index))
  let daemon = new FarmProcess('daemon-process.ts', daemonArguments)
  const counts = { worker: 0, server: 0, daemon: 0 }
  try {
    for (let kill = 0; kill < kills; kill++) {
      await delay(LEAST_MS + random() * (mostMs - LEAST_MS))
      const victim = (['worker', 'server', 'daemon'] as const)[Math.floor(random() * 3)]!
      counts[victim]++
      if (victim === 'worker') {
        const index = Math.floor(random() * WORKERS)
        await workers[index]!.kill()
        workers[index] = startWorker(index)
      } else if (victim === 'server') {
        await server.kill()
        await server.start()
      } else {
        await daemon.kill()
        daemon = new FarmProcess('daemon-process.ts', daemonArguments)
      }
    }
    writeFileSync(join(directory, 'enough'), '')
    while (!daemon.hasEnded) await delay(50)
  } finally {
    await Promise.all([daemon.kill(), ...workers.map((worker) => worker.kill())])
    await server.kill()
  }
  return { kills: counts, ...(await judge(directory)), repeatedSeconds: repeated(stretches.flat()) }
}

async function judge(directory: string): Promise<Pick<FaultsOutcome, 'proved' | 'wrong' | 'lost'>> {
  const begun = readdirSync(join(directory, 'running'))
  const proofs = join(directory, 'proofs')
  const proved = readdirSync(proofs).filter((name) => existsSync(join(proofs, name, 'proof')))
  const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
  try {
    const questions = proved.map((name) => ({
      ...computationOf(planOf(Number(name))),
      proof: readFileSync(join(proofs, name, 'proof'))
    }))
    const verdicts = await Promise.all(questions.map((question) => pool.verifyProof(question)))
    return {
      proved: proved.length,
      wrong: verdicts.filter((isValid) => !isValid).length,
      lost: begun.filter((name) => !proved.includes(name)).length
    }
  } finally {
    await pool.close()
  }
}

/** What was squared more than once, by how fast it was squared. */
function repeated(stretches: readonly Stretch[]): number[] {
  const seconds = [...Map.groupBy(stretches, ({ job }) => job).values()].flatMap((ofJob) => {
    let reached = 0
    return ofJob.flatMap(({ from, to, squaringsPerSecond }, index) => {
      const again = Math.max(0, reached - from)
      reached = Math.max(reached, to)
      return index === 0 || squaringsPerSecond === 0 ? [] : [again / squaringsPerSecond]
    })
  })
  return seconds.sort((left, right) => left - right)
}

/** mulberry32: the same kills for the same seed, as far as processes allow. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
