/** A farm whose workers, server and daemon are killed at random instants, again and again; what became of its work. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NatsServer } from '../../scripts/nats-server.ts'
import type { FarmTimes } from '../../src/farm/link.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { temporary } from '../temporary.ts'
import { FarmProcess, ITERATIONS, monotonicMs, planOf, questionOf, type Stretch, WorkerProcess } from './processes.ts'

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
  readonly repeats: readonly Repeat[]
}

/** An evaluation that another worker took up. */
interface Repeat {
  /**
   * `up`: the worker before was killed, and the server was there from the beginning of its last save on; `away`: it was
   * not. `twice`: nobody was killed, and both had it.
   */
  readonly kind: 'up' | 'away' | 'twice'
  /** Squarings that were done, and done again. */
  readonly squarings: number
  /** How many of those were saved before. */
  readonly saved: number
  /** How long the worker before had been past where the other one went on, when it was killed. */
  readonly seconds: number
}

interface Outage {
  readonly fromMs: number
  readonly toMs: number
}

export async function runFaults({
  kills,
  seed,
  checkpointSeconds,
  iterations = ITERATIONS,
  mostMs
}: {
  readonly kills: number
  readonly seed: number
  readonly checkpointSeconds: number
  /** Of each evaluation. */
  readonly iterations?: number
  /** Between two kills at most. */
  readonly mostMs: number
}): Promise<FaultsOutcome> {
  const random = generator(seed)
  const directory = temporary()
  const server = await NatsServer.started(temporary())
  const common = { url: server.url, network: NETWORK, times: TIMES }
  const daemonArguments = { ...common, directory, tasks: TASKS, checkpointSeconds, iterations }
  const stretches: Stretch[][] = []
  const outages: Outage[] = []
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
        const fromMs = monotonicMs()
        await server.kill()
        await server.start()
        outages.push({ fromMs, toMs: monotonicMs() })
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
  return { kills: counts, ...(await judge(directory, iterations)), repeats: repeatsOf(stretches.flat(), outages) }
}

async function judge(directory: string, iterations: number): Promise<Pick<FaultsOutcome, 'proved' | 'wrong' | 'lost'>> {
  const begun = readdirSync(join(directory, 'running'))
  const proofs = join(directory, 'proofs')
  const proved = readdirSync(proofs).filter((name) => existsSync(join(proofs, name, 'proof')))
  const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
  try {
    const questions = proved.map((name) =>
      questionOf(planOf(Number(name), iterations), readFileSync(join(proofs, name, 'proof')))
    )
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

function repeatsOf(stretches: readonly Stretch[], outages: readonly Outage[]): Repeat[] {
  const inOrder = stretches.toSorted((one, other) => one.takenMs - other.takenMs)
  return [...Map.groupBy(inOrder, ({ job }) => job).values()].flatMap((ofJob) =>
    ofJob.slice(1).map((follower, index) => {
      const reachedBy = (stretch: Stretch): number =>
        Math.max(...stretch.reached.filter(({ ms }) => ms <= follower.takenMs).map(({ squarings }) => squarings))
      const before = ofJob.slice(0, index + 1)
      const leader = before.reduce((one, other) => (reachedBy(other) > reachedBy(one) ? other : one))
      return repeatOf(leader, reachedBy(leader), follower, outages)
    })
  )
}

function repeatOf(leader: Stretch, reached: number, follower: Stretch, outages: readonly Outage[]): Repeat {
  const { killedMs } = leader.worker
  const squarings = Math.max(0, reached - follower.from)
  if (killedMs > follower.takenMs) return { kind: 'twice', squarings, saved: 0, seconds: 0 }
  const sinceMs = leader.saved?.beganMs ?? leader.takenMs
  const isAway = outages.some(({ fromMs, toMs }) => fromMs <= killedMs && toMs >= sinceMs)
  const thereMs = leader.reached.findLast((at) => at.squarings <= follower.from)?.ms ?? leader.takenMs
  return {
    kind: isAway ? 'away' : 'up',
    squarings,
    saved: Math.max(0, (leader.saved?.squarings ?? leader.from) - follower.from),
    seconds: squarings === 0 ? 0 : (killedMs - thereMs) / 1000
  }
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
