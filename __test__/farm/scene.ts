/**
 * A daemon's farm on a real nats-server, with workers of the real kernel. A file that imports this has one for each of
 * its tests.
 */
import type { JsMsg } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import type { Evaluator } from '../../src/evaluations/evaluator.ts'
import type { PlaceProgress } from '../../src/evaluations/places.ts'
import type { Evaluation, NativePool } from '../../src/native/types.ts'
import { Farm } from '../../src/farm/farm.ts'
import { type FarmTimes, type Link, openLink } from '../../src/farm/link.ts'
import { encodeAlive, encodeReport, jobOf } from '../../src/farm/messages.ts'
import { readState, saveProof } from '../../src/farm/saved-state.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { type FakeEvaluation, FakePool, silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { questionOf, evaluationWith, Places, planOf, WorkerProcess } from './processes.ts'
import { FEW, SteppedPool } from './stepped-pool.ts'
import { startWorker, type StartedWorker } from './workers.ts'

/** Never done before its test stops it. */
export const ENDLESS = 10 ** 9
export const MOVED = 'the evaluation goes on at another place'
const CHECKPOINT_SECONDS = 0.05
export const TIMES: FarmTimes = { reportMs: 100, silentMs: 1000, lookMs: 200, homeMs: 1500 }
/** Of a farm from which no evaluation comes home. */
export const PATIENT: FarmTimes = { ...TIMES, homeMs: 120_000 }

export let server: NatsServer
/** Verifies; nothing is squared there. */
export let pool: NativePool
export let network: string
export let farm: Farm
let networks = 0
export const ends: (() => Promise<unknown>)[] = []

export const address = () => ({ url: server.url, credentials: '', ca: '', network })

/** The daemon ends, and starts again. */
export async function restartFarm(times = TIMES): Promise<void> {
  await farm.close()
  farm = await createFarm(times)
}

async function createFarm(times = TIMES): Promise<Farm> {
  const made = new Farm({ address: address(), pool, log: silentLog, times })
  await made.start()
  return made
}

export function worker(name: string, itsPool?: Pick<NativePool, 'evaluate'>, times = TIMES): StartedWorker {
  const started = startWorker(address(), name, times, itsPool)
  ends.push(started.drain)
  return started
}

export async function linked(): Promise<Link> {
  const link = await openLink(address(), TIMES)
  ends.push(() => link.close())
  return link
}

export const begun = (fake: FakePool): Promise<FakeEvaluation> =>
  waitFor(() => {
    expect(fake.evaluations).toHaveLength(1)
    return fake.evaluations[0]!
  }, 10)

export function workerProcess(name: string, heldAt: number | null = null, times = TIMES): WorkerProcess {
  const made = new WorkerProcess({ url: server.url, network, name, times, heldAt })
  ends.push(() => made.kill())
  return made
}

/** The only worker of a patient farm. */
export async function onlyWorker(): Promise<WorkerProcess> {
  await restartFarm(PATIENT)
  const made = workerProcess('w1', null, PATIENT)
  await hasRoom()
  return made
}

/** Sends wrong proofs for as long as it is asked. */
export const liar = (name: string): Promise<void> =>
  bad(name, async (link, job, message) => {
    await saveProof(link, job, { proof: new Uint8Array(300), worker: name })
    await message.ackAck()
  })

/** Takes evaluations, and reports a fault of each. */
export const faulty = (name: string, fault: string): Promise<void> =>
  bad(name, async (link, job, message) => {
    const nothing = { phase: 'squaring', squarings: 0, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 } as const
    const report = { ...nothing, worker: name, saved: 0, event: 'fault', message: fault } as const
    await link.connection.request(link.names.at(job), encodeReport(report)).catch(() => undefined)
    message.nak(100)
  })

export async function bad(
  name: string,
  answer: (link: Link, job: string, message: JsMsg) => Promise<void>
): Promise<void> {
  const link = await openLink(address(), TIMES)
  const alive = setInterval(
    () =>
      link.connection.publish(
        link.names.alive,
        encodeAlive({ worker: name, threads: 1, busy: 0, squaringsPerSecond: 0, leaving: false })
      ),
    TIMES.reportMs
  )
  const ended = new AbortController()
  const lies = (async () => {
    const consumer = await link.consumer()
    while (!ended.signal.aborted) {
      const message = await consumer.next({ expires: 1000 }).catch(() => null)
      if (message === null) continue
      await answer(link, message.subject.split('.').at(-1)!, message)
    }
  })()
  ends.push(async () => {
    ended.abort()
    clearInterval(alive)
    await lies
    await link.close()
  })
}

/** A daemon's evaluation. */
export class Task {
  readonly abort = new AbortController()
  readonly directory: string
  readonly evaluation: Evaluator
  readonly said: string[] = []
  /** Squarings of each checkpoint from which it went on. */
  readonly resumed: number[] = []
  readonly plan: Evaluation

  constructor(seed: number, { slots = (): number => 0, directory = temporary(), iterations = FEW } = {}) {
    this.plan = planOf(seed, iterations)
    this.directory = directory
    const places = new Places(new SteppedPool(), farm, slots)
    const say = (fields: object, message: string): void => {
      this.said.push(message)
      if (message.endsWith('resumes from a checkpoint')) this.resumed.push((fields as { squarings: number }).squarings)
    }
    this.evaluation = evaluationWith({
      directory: this.directory,
      place: (evaluation) => places.place(evaluation, this.abort.signal),
      checkpointSeconds: CHECKPOINT_SECONDS,
      memoryBytes: 1 << 22,
      log: { info: say, warn: say, error: say },
      signal: this.abort.signal
    })
  }

  run(): Promise<Uint8Array> {
    return this.evaluation.run(this.plan)
  }

  /** Once the farm has a checkpoint of its squaring. */
  async isSaved(): Promise<number> {
    await this.reaches(0)
    return waitFor(async () => {
      const saved = await savedOf(this)
      expect(saved).toBeGreaterThan(0)
      return saved!
    }, 10)
  }

  /** Once this daemon has a checkpoint on its disk. */
  async isKept(): Promise<void> {
    await waitFor(async () => expect(await this.kept()).toBeDefined(), 10)
  }

  /** Squarings of the newest checkpoint on this daemon's disk. */
  async kept(): Promise<number | undefined> {
    return (await loadCheckpoints(this.directory, this.plan)).believed[0]?.squarings
  }

  stop(discard = false): void {
    this.abort.abort(new Error('stopped'))
    this.evaluation.stop(discard)
  }

  reaches(squarings: number): Promise<PlaceProgress> {
    return waitFor(() => {
      const progress = this.evaluation.progress()
      expect(progress?.squarings).toBeGreaterThan(squarings)
      return progress!
    }, 10)
  }

  verifies(proof: Uint8Array): Promise<boolean> {
    return pool.verifyProof(questionOf(this.plan, proof))
  }
}

/** Squarings of what the farm has saved. */
export async function savedOf({ plan }: Task): Promise<number | undefined> {
  const link = await openLink(address(), TIMES)
  const saved = await readState(link, jobOf(plan))
  await link.close()
  return saved?.squarings
}

export const hasRoom = (room = 1): Promise<void> => waitFor(() => expect(farm.room()).toBe(room), 10)

beforeAll(async () => {
  server = await NatsServer.started(temporary())
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})

afterAll(async () => {
  await pool.close()
  await server.kill()
})

beforeEach(async () => {
  network = `test${networks++}`
  farm = await createFarm()
})

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
  await farm.close()
})
