/** A farm on a real nats-server and the real kernel: what becomes of an evaluation, whatever happens on the way. */
import { setTimeout as delay } from 'node:timers/promises'
import { type JetStreamManager, type JsMsg, jetstreamManager } from '@nats-io/jetstream'
import { encode } from 'cborg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import type { Evaluation } from '../../src/evaluations/evaluation.ts'
import { Places, type PlaceProgress } from '../../src/evaluations/places.ts'
import type { EvaluationPlan } from '../../src/evaluations/state-file.ts'
import { Farm, MAX_WORKERS } from '../../src/farm/farm.ts'
import { type FarmTimes, type Link, openLink } from '../../src/farm/link.ts'
import { encodeAlive, encodeReport, FARM_VERSION, jobOf } from '../../src/farm/messages.ts'
import { readState, saveProof, SEGMENT_RECORDS } from '../../src/farm/saved-state.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { type FakeEvaluation, FakePool, silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { computationOf, evaluationWith, planOf, proofOf, WorkerProcess } from './processes.ts'
import { FEW, HALF, SteppedPool } from './stepped-pool.ts'
import { startWorker, type StartedWorker } from './workers.ts'

/** Never done before its test stops it. */
const ENDLESS = 10 ** 9
const MOVED = 'the evaluation goes on at another place'
const CHECKPOINT_SECONDS = 0.05
const TIMES: FarmTimes = { reportMs: 100, silentMs: 1000, lookMs: 200, homeMs: 1500 }
/** Of a farm from which no evaluation comes home. */
const PATIENT: FarmTimes = { ...TIMES, homeMs: 120_000 }

let server: NatsServer
/** Verifies; nothing is squared there. */
let pool: NativePool
let network: string
let farm: Farm
let networks = 0
const ends: (() => Promise<unknown>)[] = []

const address = (url = server.url) => ({ url, credentials: '', ca: '', network })

async function createFarm(times = TIMES): Promise<Farm> {
  const made = new Farm({ address: address(), pool, log: silentLog, times })
  await made.start()
  return made
}

function worker(name: string, itsPool?: Pick<NativePool, 'evaluate'>): StartedWorker {
  const started = startWorker(address(), name, TIMES, itsPool)
  ends.push(started.drain)
  return started
}

async function linked(): Promise<Link> {
  const link = await openLink(address(), TIMES)
  ends.push(() => link.close())
  return link
}

const begun = (fake: FakePool): Promise<FakeEvaluation> =>
  waitFor(() => {
    expect(fake.evaluations).toHaveLength(1)
    return fake.evaluations[0]!
  }, 10)

function workerProcess(name: string, heldAt: number | null = null, times = TIMES): WorkerProcess {
  const made = new WorkerProcess({ url: server.url, network, name, times, heldAt })
  ends.push(() => made.kill())
  return made
}

/** The only worker of a patient farm. */
async function onlyWorker(): Promise<WorkerProcess> {
  await farm.close()
  farm = await createFarm(PATIENT)
  const made = workerProcess('w1', null, PATIENT)
  await hasRoom()
  return made
}

/** Sends wrong proofs for as long as it is asked. */
const liar = (name: string): Promise<void> =>
  bad(name, async (link, job, message) => {
    await saveProof(link, job, { proof: new Uint8Array(300), worker: name })
    await message.ackAck()
  })

/** Takes evaluations, and reports a fault of each. */
const faulty = (name: string, fault: string): Promise<void> =>
  bad(name, async (link, job, message) => {
    const nothing = { phase: 'squaring', squarings: 0, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 } as const
    const report = { ...nothing, worker: name, saved: 0, event: 'fault', message: fault } as const
    await link.connection.request(link.names.at(job), encodeReport(report)).catch(() => undefined)
    message.nak(100)
  })

async function bad(name: string, answer: (link: Link, job: string, message: JsMsg) => Promise<void>): Promise<void> {
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
class Task {
  readonly abort = new AbortController()
  readonly directory: string
  readonly evaluation: Evaluation
  readonly said: string[] = []
  /** Squarings of each checkpoint from which it went on. */
  readonly resumed: number[] = []
  readonly places: Places
  readonly plan: EvaluationPlan

  constructor(seed: number, { slots = (): number => 0, directory = temporary(), iterations = FEW } = {}) {
    this.plan = planOf(seed, iterations)
    this.directory = directory
    this.places = new Places(new SteppedPool(), farm, slots)
    const say = (fields: object, message: string): void => {
      this.said.push(message)
      if (message.endsWith('resumes from a checkpoint')) this.resumed.push((fields as { squarings: number }).squarings)
    }
    this.evaluation = evaluationWith({
      directory: this.directory,
      pool: this.places,
      checkpointSeconds: CHECKPOINT_SECONDS,
      memoryBytes: 1 << 22,
      log: { info: say, warn: say, error: say },
      signal: this.abort.signal
    })
  }

  run(): Promise<Uint8Array> {
    return proofOf(this.evaluation, this.plan)
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
    return pool.verifyProof({ ...computationOf(this.plan), proof })
  }
}

/** Squarings of what the farm has saved. */
async function savedOf({ plan }: Task): Promise<number | undefined> {
  const link = await openLink(address(), TIMES)
  const saved = await readState(link, jobOf(computationOf(plan)))
  await link.close()
  return saved?.squarings
}

const hasRoom = (room = 1): Promise<void> => waitFor(() => expect(farm.room()).toBe(room), 10)

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

describe('an evaluation on a farm', () => {
  it('is proved by a worker, which is named, and is there until it is forgotten', async () => {
    const held = new SteppedPool(HALF)
    worker('w1', held)
    await hasRoom()
    const task = new Task(1)
    const running = task.run()
    expect(await task.reaches(0)).toMatchObject({ worker: 'w1', phase: 'squaring' })
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    expect(await farm.holds(computationOf(task.plan))).toBe(true)
    farm.forget(computationOf(task.plan))
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
    expect(await farm.holds(computationOf(task.plan))).toBe(false)
  })

  it('runs on a slot of this machine while one is free, and waits where nothing has room', async () => {
    worker('w1')
    await hasRoom()
    const places = new Places(new SteppedPool(), farm, () => 1)
    const begin = (seed: number) =>
      places.evaluate({ ...computationOf(planOf(seed, ENDLESS)), checkpointSeconds: 10 }, () => undefined)
    const here = await begin(2)
    const away = await begin(3)
    expect(here!.progress().worker).toBeUndefined()
    expect(away!.progress().worker).toBeNull()
    expect(await begin(4)).toBeUndefined()
    for (const handle of [here!, away!]) handle.stop(true)
    expect(await Promise.all([here!.outcome, away!.outcome])).toEqual([{ kind: 'stopped' }, { kind: 'stopped' }])
    expect((await begin(4))!.progress().worker).toBeUndefined()
  })

  it('goes where threads are idle, not to workers of another version', async () => {
    const link = await openLink(address(), TIMES)
    const alive = { threads: 8, squaringsPerSecond: 0, leaving: false }
    const telling = setInterval(() => {
      link.connection.publish(link.names.alive, encodeAlive({ ...alive, worker: 'w1', busy: 5 }))
      link.connection.publish(link.names.alive, encode({ ...alive, worker: 'w2', busy: 0, version: FARM_VERSION + 1 }))
    }, TIMES.reportMs)
    ends.push(() => {
      clearInterval(telling)
      return link.close()
    })
    await waitFor(() => expect([farm.room(), farm.view().outdated]).toEqual([3, ['w2']]))
  })

  it('has a bounded number of workers, whatever a crowd calls itself', async () => {
    await farm.close()
    farm = await createFarm({ ...TIMES, reportMs: 60_000 })
    const link = await openLink(address(), TIMES)
    const alive = { threads: 1, busy: 0, squaringsPerSecond: 0, leaving: false }
    for (let number = 0; number <= MAX_WORKERS; number++)
      link.connection.publish(link.names.alive, encodeAlive({ ...alive, worker: `w${number}` }))
    await link.connection.flush()
    await link.close()
    await waitFor(() => expect(farm.view().workers.at(-1)?.worker).toBe(`w${MAX_WORKERS}`))
    expect(farm.view().workers).toHaveLength(MAX_WORKERS)
  })

  it('keeps its room while its worker is silent', async () => {
    const sleeper = await onlyWorker()
    const task = new Task(24, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.reaches(0)
    sleeper.signal('SIGSTOP')
    await waitFor(() => expect(farm.view().workers).toEqual([]))
    expect(farm.room()).toBe(1)
    sleeper.signal('SIGCONT')
    task.stop(true)
    await running
  })

  it('goes on at another worker from what was saved last, when one is killed', async () => {
    const first = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(5)
    const running = task.run()
    await task.isSaved()
    await first.kill()
    const saved = await savedOf(task)
    const second = worker('w2')
    expect(await task.verifies(await running)).toBe(true)
    expect([first.stretches.map(({ from }) => from), second.begun]).toEqual([[0], [saved]])
  })

  it('loses nothing when its worker is told to end', async () => {
    const first = worker('w1', new SteppedPool(HALF))
    await hasRoom()
    const task = new Task(6)
    const running = task.run()
    const { squarings } = await task.reaches(0)
    const second = worker('w2')
    await hasRoom(2)
    await first.drain()
    expect(await savedOf(task)).toBeGreaterThanOrEqual(squarings)
    expect(await task.verifies(await running)).toBe(true)
    expect(second.begun[0]).toBeGreaterThanOrEqual(squarings)
  })

  it('survives a server that is killed and starts again', async () => {
    const held = new SteppedPool(HALF)
    const only = worker('w1', held)
    await hasRoom()
    const task = new Task(7)
    const running = task.run()
    await task.isSaved()
    await server.kill()
    await server.start()
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    // The server gives the message again once nobody keeps it.
    expect(only.begun.filter((squarings) => squarings === 0)).toEqual([0])
  })

  it('goes on from what this daemon has, when the server loses its disk and the worker ends', async () => {
    const first = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(8)
    const running = task.run()
    await task.isKept()
    await server.kill()
    await first.kill()
    server.wipeDisk()
    await server.start()
    const second = workerProcess('w2')
    expect(await task.verifies(await running)).toBe(true)
    expect(task.said).toContain('the evaluation resumes from a checkpoint')
    expect(second.stretches).toHaveLength(1)
  })

  it('goes on at the worker that leads, when the server loses its disk', async () => {
    const leader = await onlyWorker()
    const task = new Task(23, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.isKept()
    await server.kill()
    server.wipeDisk()
    const { to } = leader.stretches[0]!
    await waitFor(() => expect(leader.stretches[0]!.to).toBeGreaterThan(to))
    worker('w2')
    await server.start()
    await waitFor(async () => expect(await savedOf(task)).toBeGreaterThan(to))
    expect([leader.stretches.length, leader.said.includes('stopped')]).toEqual([1, false])
    task.stop(true)
    await running
  })

  it('goes on at the worker that leads, when the server loses records that no daemon has', async () => {
    await farm.close()
    farm = await createFarm(PATIENT)
    const [leading, behind] = [new FakePool(), new FakePool()]
    const { said } = worker('w1', leading)
    await hasRoom()
    const task = new Task(25)
    const running = task.run().catch((error: unknown) => error)
    const leader = await begun(leading)
    leader.checkpoint(100)
    await task.isKept()
    farm.leave()
    task.stop()
    await running
    await farm.close()
    // A fake has a record for each ten squarings.
    const twoSegments = 20 * SEGMENT_RECORDS
    leader.checkpoint(twoSegments)
    await waitFor(async () => expect(await savedOf(task)).toBe(twoSegments), 10)
    await server.kill()
    server.wipeDisk()
    await server.start()
    farm = await createFarm(PATIENT)
    worker('w2', behind)
    const again = new Task(25, { directory: task.directory })
    const goingOn = again.run().catch((error: unknown) => error)
    expect((await begun(behind)).progress().squarings).toBe(100)
    await waitFor(async () => {
      leader.checkpoint(leader.progress().squarings + 1)
      expect(await again.kept()).toBeGreaterThan(twoSegments)
    }, 100)
    expect(said).not.toContain('stopped')
    again.stop(true)
    await goingOn
  })

  it('is not held by a farm that lost it and was told to forget it', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const computation = computationOf(planOf(26))
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)
    const link = await linked()
    await waitFor(async () => expect(await link.hasWork(jobOf(computation))).toBe(true))
    await link.discard(jobOf(computation))
    expect(await handle.outcome).toMatchObject({ reason: 'the farm lost it' })
    farm.forget(computation)
    await waitFor(() => expect(farm.hasForgotten(computation)).toBe(true))
    expect(await farm.holds(computation)).toBe(false)
  })

  it('leaves nothing of a cancelled task at the server, where its worker was away and saves once more', async () => {
    const fake = new FakePool()
    const { said } = worker('w1', fake)
    await hasRoom()
    const computation = computationOf(planOf(27))
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)
    const evaluation = await begun(fake)
    farm.leave()
    handle.stop()
    await handle.outcome
    const link = await linked()
    await link.takeBack(jobOf(computation))
    await link.discard(jobOf(computation))
    // A fake has a record for each ten squarings: whole segments.
    for (let squarings = 10 * SEGMENT_RECORDS; !said.includes('stopped'); squarings += 10 * SEGMENT_RECORDS) {
      evaluation.checkpoint(squarings)
      await delay(TIMES.reportMs)
    }
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    const { streams } = await jetstreamManager(link.connection)
    expect((await streams.info(`KV_${link.names.bucket}`)).state.messages).toBe(0)
  })

  it('comes home from a farm that cannot be reached, and goes on from what was saved', async () => {
    const only = worker('w1', new SteppedPool(HALF))
    await hasRoom()
    let slots = 0
    const task = new Task(9, { slots: () => slots })
    const running = task.run()
    await task.isSaved()
    await only.drain()
    slots = 1
    await waitFor(() => expect(task.evaluation.progress()?.worker).toBeUndefined())
    expect(await task.verifies(await running)).toBe(true)
    expect(task.said).toEqual(['the evaluation goes on at another place', 'the evaluation resumes from a checkpoint'])
  })

  it('gets one result of two workers, where one slept while the other went on', async () => {
    const sleeper = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(10)
    const running = task.run()
    await task.reaches(0)
    sleeper.signal('SIGSTOP')
    const held = new SteppedPool(FEW - 1)
    const other = worker('w2', held)
    await waitFor(() => expect(task.evaluation.progress()?.worker).toBe('w2'))
    await waitFor(async () => expect(await savedOf(task)).toBeGreaterThan(HALF + HALF / 2))
    sleeper.signal('SIGCONT')
    sleeper.signal('SIGUSR2')
    // Who is further goes on; the other one notices.
    await waitFor(() => expect(sleeper.said).toContain('stopped'))
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    expect([...sleeper.said, ...other.said].filter((said) => said === 'proved')).toEqual(['proved'])
  })

  it('counts a wrong proof, names its worker, which has no room any more, and another one proves it', async () => {
    await liar('liar')
    await hasRoom()
    const task = new Task(11)
    const running = task.run()
    await waitFor(() => expect(farm.view()).toMatchObject({ wrong_proofs: 1, barred: ['liar'], workers: [] }))
    for (const end of ends.splice(0)) await end()
    worker('honest')
    expect(await task.verifies(await running)).toBe(true)
    expect(farm.view()).toMatchObject({ wrong_proofs: 1, barred: ['liar'] })
  })

  it('comes home after two wrong proofs', async () => {
    await Promise.all([liar('liar1'), liar('liar2')])
    await hasRoom(2)
    let slots = 0
    const task = new Task(12, { slots: () => slots })
    const running = task.run()
    await waitFor(() => expect(farm.view().wrong_proofs).toBe(2))
    await delay(100)
    expect(task.evaluation.progress(), 'it waits for a slot').toBeUndefined()
    slots = 1
    expect(await task.verifies(await running)).toBe(true)
    expect(farm.view()).toMatchObject({ wrong_proofs: 2, tasks: 0 })
  })

  it.each([
    ['whose kernel refuses', () => faulty('bad', 'KERNEL_FAULT: a squaring is wrong')],
    ['that cannot read what was saved', () => faulty('bad', 'the saved state is none')],
    ['that lie', () => Promise.all([liar('liar1'), liar('liar2')])]
  ])('keeps what it has here, whatever is told by workers %s', async (_who, begin) => {
    const honest = worker('w1', new SteppedPool(HALF))
    await hasRoom()
    const mayCome = (): boolean => farm.accepts(computationOf(task.plan))
    const task: Task = new Task(16, { slots: () => (mayCome() ? 0 : 1) })
    const running = task.run()
    await task.isKept()
    await honest.drain()
    await begin()
    expect(await task.verifies(await running)).toBe(true)
    expect(mayCome()).toBe(false)
    expect(task.said.at(-1)).toBe('the evaluation resumes from a checkpoint')
    expect(Math.min(...task.resumed)).toBeGreaterThan(0)
  })

  it.each([
    ['has come home', (task: Task) => waitFor(() => expect(task.said).toContain(MOVED), 10)],
    ['was paused', async (task: Task) => task.stop()]
  ])('stays at a farm that cannot be reached when it %s, and is taken up later', async (_what, leave) => {
    worker('w1')
    await hasRoom()
    const task = new Task(17, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.isSaved()
    await server.kill()
    await waitFor(() => expect(farm.view().connected).toBe(false))
    await leave(task)
    await delay(100)
    await server.start()
    await waitFor(() => expect(farm.view().connected).toBe(true), 10)
    // A server that has just started may not read its streams yet, and then the farm rests for a moment.
    await waitFor(async () => expect(await farm.holds(computationOf(task.plan))).toBe(true))
    expect(await savedOf(task)).toBeGreaterThan(0)
    task.stop(true)
    await running
    farm.forget(computationOf(task.plan))
  })

  it('is taken up by the next life of its daemon, with the proof that was finished meanwhile', async () => {
    const held = new SteppedPool(HALF)
    const first = worker('w1', held)
    await hasRoom()
    const task = new Task(13)
    const running = task.run()
    await task.reaches(0)
    farm.leave()
    task.stop()
    await expect(running).rejects.toThrow('stopped')
    await farm.close()
    farm = await createFarm()
    held.release()
    const again = new Task(13, { directory: task.directory })
    // Done while nobody asked, or still under way: no squaring is lost.
    expect(await again.verifies(await again.run())).toBe(true)
    expect(first.begun).toEqual([0])
  })

  it('leaves what was reached here when it is paused, and nothing at the farm', async () => {
    worker('w1', new SteppedPool(HALF))
    await hasRoom()
    const task = new Task(14)
    const running = task.run().catch((error: unknown) => error)
    const { squarings } = await task.reaches(0)
    task.stop()
    expect(await running).toMatchObject({ message: 'stopped' })
    expect(await task.kept()).toBeGreaterThanOrEqual(squarings)
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
  })

  it('is proved by the proof that waits when it is paused', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const task = new Task(18)
    const alone = new SteppedPool().evaluate({ ...computationOf(task.plan), checkpointSeconds: 10 }, () => undefined)
    const outcome = await alone.outcome
    const { proof } = outcome as { proof: Uint8Array }
    const running = task.run()
    await waitFor(async () => expect(await savedOf(task)).toBe(0))
    const link = await openLink(address(), TIMES)
    await saveProof(link, jobOf(computationOf(task.plan)), { proof, worker: 'mute' })
    task.stop()
    expect(await running).toEqual(proof)
    await link.close()
  })

  it('is not sent by a daemon that ends', async () => {
    worker('w1')
    await hasRoom()
    farm.leave()
    const task = new Task(19)
    const handle = farm.evaluate({ ...computationOf(task.plan), checkpointSeconds: 10 }, () => undefined)
    expect(await handle.outcome).toEqual({ kind: 'stopped' })
    expect(await savedOf(task)).toBeUndefined()
  })

  it.each<[string, (link: Link, manager: JetStreamManager) => Promise<unknown>]>([
    ['consumer', ({ names }, { consumers }) => consumers.delete(names.queue, 'workers')],
    ['bucket', ({ names }, { streams }) => streams.delete(`KV_${names.bucket}`)],
    ['queue', ({ names }, { streams }) => streams.delete(names.queue)]
  ])('is proved by a farm whose %s somebody deleted', async (_what, remove) => {
    worker('w1')
    await hasRoom()
    const link = await openLink(address(), TIMES)
    await remove(link, await jetstreamManager(link.connection))
    await link.close()
    const task = new Task(20)
    expect(await task.verifies(await task.run())).toBe(true)
  })

  it('is proved by a farm whose server counts messages of the queue that it has lost', async () => {
    server.loseFilesOf(`chronym-${network}-work`)
    worker('w1')
    await hasRoom()
    const task = new Task(22)
    expect(await task.verifies(await task.run())).toBe(true)
  })

  it('comes home from a server that takes nothing more', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const link = await openLink(address(), TIMES)
    await link.addWork('other', new Uint8Array(1))
    const { streams } = await jetstreamManager(link.connection)
    await streams.update(link.names.queue, { max_msgs: 1 })
    await link.close()
    let slots = 0
    const task = new Task(21, { slots: () => slots })
    const running = task.run()
    await waitFor(() => expect(task.evaluation.progress()).toBeDefined())
    slots = 1
    expect(await task.verifies(await running)).toBe(true)
  })

  it('stays in the queue when another one is taken back', async () => {
    const link = await openLink(address(), TIMES)
    for (const job of ['a', 'b', 'c', 'd']) await link.addWork(job, new Uint8Array(1))
    const consumer = await link.consumer()
    const next = async () => (await consumer.next({ expires: 1000 }))?.subject.at(-1)
    expect(await next()).toBe('a')
    await link.forget('a')
    await link.forget('c')
    expect([await next(), await next()]).toEqual(['b', 'd'])
    await link.close()
  })

  it('stops everywhere when it is cancelled', async () => {
    worker('w1')
    await hasRoom()
    const task = new Task(15, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.reaches(0)
    task.stop(true)
    expect(await running).toMatchObject({ message: 'stopped' })
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
  })
})
