import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decode, encode } from 'cborg'
import { ServiceError } from '../../src/errors.ts'
import { asideOf, keys, prefixes } from '../../src/store/keys.ts'
import { StoreError } from '../../src/store/types.ts'
import { createTaskManager, type TaskOptions } from '../../src/tasks/manager.ts'
import type { TaskEvent, TaskManager } from '../../src/tasks/types.ts'
import { FakePool, FakeSteps, ITERATIONS, ManualClock, MemoryProgressLog, MemoryStore, settle, silentLog, taskWhere, until } from './fakes.ts'

let dataDir: string
let store: MemoryStore
let clock: ManualClock
let steps: FakeSteps
let pool: FakePool
let manager: TaskManager
let progress: MemoryProgressLog
/** The moment of the newest pulse; 0 before the first. */
let certainMs: number
let told: string[]
const DAY = 24 * 60 * 60 * 1000
const OPTIONS: TaskOptions = { maxTasks: 1, queue: 2, checkpointSeconds: 10 }

function build(options: TaskOptions = OPTIONS): TaskManager {
  return createTaskManager({ store, dataDir, pool, steps, options, clock, certainMs: () => certainMs, log: { ...silentLog, warn: tell, error: tell }, progress })
}

function tell(_fields: object, message: string): void {
  told.push(message)
}

/** The daemon ends in an orderly way and starts again. */
async function restart(options: TaskOptions = OPTIONS): Promise<void> {
  await manager.stop()
  pool = new FakePool()
  manager = build(options)
  await manager.start()
}

async function evaluation(index = 0): Promise<FakePool['evaluations'][number]> {
  await until(() => pool.evaluations.length > index)
  return pool.evaluations[index]!
}

/** Resolves when the directory of the only task holds that many generations. */
async function stateFiles(count: number): Promise<void> {
  for (;;) {
    const [taskId] = await readdir(join(dataDir, 'tasks'))
    const files = taskId === undefined ? [] : await readdir(join(dataDir, 'tasks', taskId))
    if (files.filter((file) => /^state\.[01]$/.test(file)).length === count) return
  }
}

const register = (name = 'alice.chronym'): string => manager.create({ name, kind: 'register' }).task_id
const status = (taskId: string): string => `${manager.get(taskId)!.status}/${manager.get(taskId)!.phase}`

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chronym-tasks-'))
  store = new MemoryStore()
  clock = new ManualClock()
  steps = new FakeSteps()
  pool = new FakePool()
  progress = new MemoryProgressLog()
  certainMs = 0
  told = []
  manager = build()
  await manager.start()
})

afterEach(async () => {
  await manager.stop()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a registration', () => {
  it('commits, waits, evaluates, proves, reveals and completes', async () => {
    const phases: string[] = []
    manager.subscribe((event) => {
      if (event.type !== 'progress') phases.push(event.task.phase)
    })
    const id = register()
    const run = await evaluation()
    run.reach(400)
    await clock.advance(500)
    expect(manager.get(id)).toMatchObject({ phase: 'evaluate', progress: 400, iterations: ITERATIONS, iterations_per_second: 100, eta_seconds: 7, deadline: '2026-01-15T00:00:00.000Z' })
    run.prove(0.5)
    await clock.advance(1000)
    expect(manager.get(id)).toMatchObject({ phase: 'prove', progress: ITERATIONS, phase_progress: 0.5, eta_seconds: 1 })
    run.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    expect(phases).toEqual(['commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done'])
    expect(steps.sent).toHaveLength(2)
    expect(manager.get(id)).toMatchObject({ progress: ITERATIONS, eta_seconds: 0, error: null, resumed: 0 })
  })

  it('leaves no checkpoint behind once its proof is in the journal', async () => {
    const id = register()
    const run = await evaluation()
    run.reach(500)
    run.checkpoint()
    run.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    await manager.stop()
    expect(await readdir(join(dataDir, 'tasks'))).toEqual([])
  })

  it('fails with the code of a step that refuses for good', async () => {
    steps.before = (step) => {
      if (step === 'reveal') throw new ServiceError('SVC-REG-001', 'taken meanwhile')
    }
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    const view = await taskWhere(manager, id, (task) => task.status === 'failed')
    expect(view.error).toEqual({ code: 'SVC-REG-001', message: 'taken meanwhile' })
  })

  it('shows SVC-INT-001 and no inner message when a step throws what nobody foresaw', async () => {
    steps.before = () => {
      throw new TypeError('secret detail')
    }
    const view = await taskWhere(manager, register(), (task) => task.status === 'failed')
    expect(view.error?.code).toBe('SVC-INT-001')
    expect(view.error?.message).not.toContain('secret')
  })

  it('tries a step again while the network is away, waiting longer each time', async () => {
    let failures = 3
    steps.before = (step) => {
      if (step === 'reveal' && failures-- > 0) throw new ServiceError('SVC-PUB-002', 'nobody stored it')
    }
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    await taskWhere(manager, id, (view) => view.phase === 'reveal')
    await settle()
    await clock.advance(999)
    expect(failures).toBe(2)
    await clock.advance(1)
    expect(failures).toBe(1)
    await clock.advance(2000)
    await clock.advance(4000)
    expect(status(id)).toBe('completed/done')
  })

  it('gives up after the kernel has failed three times', async () => {
    pool.onEvaluate = (run) => run.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'check failed' })
    const id = register()
    for (let index = 0; index < 3; index++) {
      await evaluation(index)
      await settle()
      await until(() => clock.waiting > 1 || manager.get(id)!.status === 'failed')
      await clock.advance(60_000)
    }
    expect(manager.get(id)).toMatchObject({ status: 'failed', error: { code: 'SVC-INT-001' } })
    expect(pool.evaluations).toHaveLength(3)
  })
})

describe('a proof that does not verify', () => {
  it('is computed again from ever earlier checkpoints, at last from the beginning', async () => {
    register()
    const first = await evaluation()
    for (const squarings of [200, 300]) {
      first.reach(squarings)
      first.checkpoint()
      await stateFiles(squarings / 100 - 1)
    }
    const begins: number[] = []
    pool.onEvaluate = (run) => {
      begins.push(run.current.squarings)
      run.reach(ITERATIONS)
      if (begins.length < 2) run.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'the proof does not verify' })
    }
    first.reach(ITERATIONS)
    first.finish({ kind: 'failed', code: 'KERNEL_FAULT', message: 'the proof does not verify' })
    await until(() => clock.waiting > 1)
    await clock.advance(1000)
    await until(() => begins.length === 1 && clock.waiting > 1)
    await clock.advance(2000)
    await until(() => begins.length === 2)
    expect(begins).toEqual([200, 0])
  })

  it('does not count against a task that gets further each time', async () => {
    const id = register()
    for (let index = 0; index < 6; index++) {
      const run = await evaluation(index)
      run.reach(100 * (index + 1))
      run.finish({ kind: 'failed', code: 'WORKER_FAILED', message: 'out of luck' })
      await until(() => clock.waiting > 1)
      await clock.advance(60_000)
    }
    await evaluation(6)
    expect(manager.get(id)!.status).toBe('running')
  })
})

describe('a disk that is full', () => {
  const full = (): never => {
    throw new StoreError('full', 'no space')
  }
  const waiting = { code: 'SVC-STO-001', message: expect.stringContaining('goes on by itself') as string }

  it('halts the evaluation when a checkpoint cannot be written, keeps it in memory, and goes on from it when there is room', async () => {
    const id = register()
    const run = await evaluation()
    const directory = join(dataDir, 'tasks', id)
    await rm(directory, { recursive: true })
    await writeFile(directory, 'in the way')
    run.reach(300)
    run.checkpoint()
    await until(() => manager.get(id)!.stalled !== null)
    expect(run.stops).toBeGreaterThan(0)
    expect(manager.get(id)).toMatchObject({ status: 'running', phase: 'evaluate', stalled: waiting, iterations_per_second: null, eta_seconds: null })
    await clock.advance(10_000)
    expect(pool.evaluations).toHaveLength(1)
    await rm(directory)
    await mkdir(directory)
    await clock.advance(60_000)
    const again = await evaluation(1)
    // The checkpoint that it handed over when it was halted: nothing is computed twice.
    expect(again.current.squarings).toBe(300)
    await until(() => manager.get(id)!.stalled === null)
    again.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
  })

  it('is told to readers of the events, whose ids never come twice after a restart', async () => {
    pool.onEvaluate = (run) => run.finish()
    const gate = Promise.withResolvers<undefined>()
    steps.before = (step) => (step === 'plan' ? gate.promise : undefined)
    const id = register()
    const reading = new AbortController()
    const events: TaskEvent[] = []
    const done = (async () => {
      for await (const event of manager.events(id, undefined, reading.signal)!) events.push(event)
    })()
    store.onWrite = full
    gate.resolve(undefined)
    await until(() => events.some((event) => event.task.stalled !== null))
    store.onWrite = () => undefined
    await restart()
    await done
    const before = events.at(-1)!.id
    const next = manager.events(id, before, reading.signal)![Symbol.asyncIterator]()
    expect(((await next.next()).value as TaskEvent).id).toBeGreaterThan(before)
    reading.abort()
    await next.return!()
  })

  it('lets a pause or a cancel fail with SVC-STO-001, and changes nothing', async () => {
    const id = register()
    await evaluation()
    store.onWrite = full
    expect(() => manager.pause(id)).toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    await expect(manager.remove(id)).rejects.toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    store.onWrite = () => undefined
    expect(manager.get(id)).toMatchObject({ status: 'running', paused: false, error: null })
  })
})

describe('a record of the journal that cannot be read', () => {
  const aside = (): string[] => [...store.list(prefixes.aside)].map(([key]) => key)

  it.each([
    ['no CBOR', () => Buffer.from('garbage')],
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1)],
    ['of another task', (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('latin1').replace(/[0-9a-f]{8}-/, '00000000-'), 'latin1')],
    ['of a state that no task can be in', (bytes: Uint8Array) => encode({ ...(decode(bytes) as object), state: { ...(decode(bytes) as { state: object }).state, proof: new Uint8Array(3), plan: null } })]
  ])('because it is %s is set aside as it is, told once, and the others go on', async (_why, damage) => {
    const broken = register('one.chronym')
    const whole = register('two.chronym')
    await evaluation()
    const run = pool.evaluations[0]!
    run.reach(300)
    run.checkpoint()
    await stateFiles(1)
    await manager.stop()
    const damaged = damage(store.get(keys.task(broken))!)
    store.put(keys.task(broken), damaged)
    await restart()
    expect(manager.list().map((view) => view.task_id)).toEqual([whole])
    expect(manager.unreadable()).toBe(1)
    expect(Buffer.from(store.get(asideOf(keys.task(broken)))!)).toEqual(Buffer.from(damaged))
    expect(told.filter((message) => message.includes('set aside'))).toHaveLength(1)
    // Whoever repairs the record finds its checkpoints.
    expect(await readdir(join(dataDir, 'tasks', broken))).toContain('intermediates')
    ;(await evaluation()).finish()
    await taskWhere(manager, whole, (view) => view.status === 'completed')
    await restart()
    expect(told.filter((message) => message.includes('set aside'))).toHaveLength(1)
    expect(manager.unreadable()).toBe(1)
  })

  it('of a finished proof keeps no name from being registered', async () => {
    store.put(keys.proof('register', 'alice.chronym'), Buffer.from('x'))
    register()
    await evaluation()
    expect(aside()).toEqual([asideOf(keys.proof('register', 'alice.chronym'))])
  })
})

describe('the queue', () => {
  it('shows who is next, and moves up', async () => {
    const [first, second, third] = ['one.chronym', 'two.chronym', 'three.chronym'].map((name) => register(name))
    const places = (): (number | null)[] => [first, second, third].map((id) => manager.get(id!)!.queue_position)
    ;(await evaluation()).reach(1)
    expect(places()).toEqual([null, 1, 2])
    manager.pause(second!)
    expect(places()).toEqual([null, null, 1])
    manager.resume(second!)
    expect(places()).toEqual([null, 1, 2])
    pool.evaluations[0]!.finish()
    await evaluation(1)
    expect(places()).toEqual([null, null, 1])
  })

  it('refuses a second task for a name and names the first', () => {
    const id = register()
    expect(() => register()).toThrow(expect.objectContaining({ code: 'SVC-REG-002', extensions: { task_id: id } }))
  })

  it('runs as many as there are slots, oldest first, and refuses more than may wait', async () => {
    const first = register('one.chronym')
    const second = register('two.chronym')
    const third = register('three.chronym')
    expect(() => register('four.chronym')).toThrow(expect.objectContaining({ code: 'SVC-TSK-002' }))
    expect(manager.list().map((view) => view.task_id)).toEqual([first, second, third])
    const run = await evaluation()
    expect([status(first), status(second), status(third)]).toEqual(['running/evaluate', 'running/queued', 'running/queued'])
    expect(steps.sent).toHaveLength(1)
    run.finish()
    await evaluation(1)
    expect([status(second), status(third)]).toEqual(['running/evaluate', 'running/queued'])
  })

  it('gives the slot on while a finished proof still waits to be published', async () => {
    steps.before = (step, task) => {
      if (step === 'reveal' && task.name === 'one.chronym') throw new ServiceError('SVC-RES-001', 'offline')
    }
    const first = register('one.chronym')
    const second = register('two.chronym')
    ;(await evaluation()).finish()
    await evaluation(1)
    expect([status(first), status(second)]).toEqual(['running/reveal', 'running/evaluate'])
  })

  it('says SVC-STO-001 and keeps nothing when the journal cannot be written', () => {
    store.onWrite = () => {
      throw new StoreError('full', 'no space')
    }
    expect(() => register()).toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    expect(manager.list()).toEqual([])
  })
})

describe('cancelling', () => {
  it('takes a reveal back that would be sent again by itself, before it is answered', async () => {
    steps.before = (step) => {
      if (step === 'revealed') throw new ServiceError('SVC-PUB-002', 'too few peers')
    }
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    await taskWhere(manager, id, (view) => view.stalled !== null)
    expect([...steps.standing]).toEqual([id])
    await manager.remove(id)
    expect([...steps.standing]).toEqual([])
  })

  it('writes no checkpoint that nobody needs', async () => {
    const id = register()
    const run = await evaluation()
    run.reach(300)
    await manager.remove(id)
    await manager.stop()
    expect(await readdir(join(dataDir, 'tasks'))).toEqual([])
  })

  it('stops the evaluation, ends as failed with SVC-TSK-003 and publishes nothing afterwards', async () => {
    const id = register()
    const run = await evaluation()
    const sent = [...steps.sent]
    expect(await manager.remove(id)).toBe(true)
    expect(run.stops).toBe(1)
    expect(manager.get(id)).toMatchObject({ status: 'failed', error: { code: 'SVC-TSK-003' } })
    run.finish()
    await clock.advance(2 * 60 * 60 * 1000)
    await restart()
    await clock.advance(2 * 60 * 60 * 1000)
    expect(steps.sent).toEqual(sent)
    expect(await readdir(join(dataDir, 'tasks'))).toEqual([])
  })

  it.each(['commit', 'plan', 'reveal'])('in the middle of %s lets that step reach no effect', async (phase) => {
    const gate = Promise.withResolvers<undefined>()
    const entered = Promise.withResolvers<undefined>()
    steps.before = async (step) => {
      if (step !== phase) return
      entered.resolve(undefined)
      await gate.promise
    }
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    await entered.promise
    const sent = [...steps.sent]
    const removed = manager.remove(id)
    gate.resolve(undefined)
    expect(await removed).toBe(true)
    expect(steps.sent).toEqual(sent)
  })

  it('waits for a message that is under way, so that nothing follows its answer', async () => {
    const gate = Promise.withResolvers<undefined>()
    const entered = Promise.withResolvers<undefined>()
    steps.before = async (step) => {
      if (step !== 'revealed') return
      entered.resolve(undefined)
      await gate.promise
    }
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    await entered.promise
    let answered = false
    const removed = manager.remove(id).then(() => (answered = true))
    await settle()
    expect(answered).toBe(false)
    gate.resolve(undefined)
    await removed
    expect(manager.get(id)!.error?.code).toBe('SVC-TSK-003')
  })

  it('of a cancelled or unknown task is false, and the cancelled one is cleared', async () => {
    const id = register()
    await evaluation()
    await manager.remove(id)
    expect(await manager.remove(id)).toBe(false)
    expect(manager.get(id)).toBeUndefined()
    expect(await manager.remove(id)).toBe(false)
  })

  it('of a completed task clears it', async () => {
    pool.onEvaluate = (run) => run.finish()
    const id = register()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    expect(await manager.remove(id)).toBe(true)
    expect(manager.list()).toEqual([])
    await restart()
    expect(manager.list()).toEqual([])
  })
})

describe('pausing', () => {
  it('frees the slot, keeps the phase, and resumes from the checkpoint', async () => {
    const first = register('one.chronym')
    const second = register('two.chronym')
    const run = await evaluation()
    run.reach(300)
    await clock.advance(500)
    expect(manager.pause(first)).toMatchObject({ paused: true, status: 'running' })
    const other = await evaluation(1)
    expect(status(first)).toBe('running/evaluate')
    expect(manager.resume(first)).toMatchObject({ paused: false, phase: 'queued' })
    other.finish()
    const again = await evaluation(2)
    expect(again.request.resume).toBeDefined()
    expect(again.current.squarings).toBe(300)
    expect(manager.get(second)!.status).toBe('completed')
    expect(manager.get(first)!.progress).toBe(300)
  })

  it('of a task that waits keeps it from starting, across a restart too', async () => {
    const first = register('one.chronym')
    const second = register('two.chronym')
    manager.pause(second)
    ;(await evaluation()).finish()
    await taskWhere(manager, first, (view) => view.status === 'completed')
    await restart()
    expect(manager.get(second)).toMatchObject({ paused: true, phase: 'queued' })
    expect(pool.evaluations).toHaveLength(0)
    manager.resume(second)
    await evaluation()
  })

  it('of an unknown task is undefined', () => {
    expect(manager.pause('nobody')).toBeUndefined()
    expect(manager.resume('nobody')).toBeUndefined()
  })
})

describe('progress', () => {
  const gate = () => Promise.withResolvers<undefined>()

  it('is shown only once it is on disk, and a slow disk gets one write at a time', async () => {
    const id = register()
    const run = await evaluation()
    const { promise, resolve } = gate()
    let writes = 0
    progress.before = () => (writes++, promise)
    run.reach(100)
    await clock.advance(500)
    expect(manager.get(id)!.progress).toBe(0)
    run.reach(200)
    await clock.advance(10_000)
    expect({ writes, shown: manager.get(id)!.progress }).toEqual({ writes: 1, shown: 0 })
    resolve(undefined)
    await settle()
    expect(manager.get(id)!.progress).toBe(100)
    await clock.advance(500)
    expect(manager.get(id)!.progress).toBe(200)
  })

  it('is not shown while it cannot be written, and the computation goes on', async () => {
    const id = register()
    const run = await evaluation()
    progress.before = () => {
      throw new Error('no space')
    }
    run.reach(100)
    await clock.advance(5_000)
    expect(manager.get(id)).toMatchObject({ progress: 0, status: 'running', phase: 'evaluate' })
    expect(run.stops).toBe(0)
    progress.before = () => undefined
    await clock.advance(500)
    expect(manager.get(id)!.progress).toBe(100)
  })

  it('that was on its way when the task was cancelled changes nothing', async () => {
    const id = register()
    const run = await evaluation()
    const { promise, resolve } = gate()
    progress.before = () => promise
    run.reach(100)
    await clock.advance(500)
    await manager.remove(id)
    const cancelled = manager.get(id)
    resolve(undefined)
    await settle()
    expect(manager.get(id)).toEqual(cancelled)
  })

  it('of a task that waits between two tries is kept while others go on', async () => {
    await restart({ ...OPTIONS, maxTasks: 2 })
    const first = register('one.chronym')
    const broken = await evaluation()
    broken.reach(300)
    await clock.advance(500)
    register('two.chronym')
    const other = await evaluation(1)
    broken.finish({ kind: 'failed', code: 'WORKER_FAILED', message: 'out of luck' })
    await settle()
    other.reach(200)
    await clock.advance(500)
    // A crash: nothing more is written.
    const left = await progress.load()
    expect(left.get(first)).toMatchObject({ progress: 300 })
  })
})

describe('the time left', () => {
  /** One second of squaring at 100 a second. */
  async function second(run: FakePool['evaluations'][number]): Promise<void> {
    for (let tick = 0; tick < 2; tick++) {
      run.reach(run.current.squarings + 50)
      await clock.advance(500)
    }
  }

  it('is unknown while a task is paused or queued, and the same as before once it goes on', async () => {
    const id = register()
    const run = await evaluation()
    await second(run)
    await second(run)
    const before = manager.get(id)!.eta_seconds!
    manager.pause(id)
    expect(manager.get(id)!.eta_seconds).toBeNull()
    // The evaluation has stopped: its last checkpoint is on disk.
    await until(() => manager.get(id)!.iterations_per_second === null)
    await clock.advance(60 * 60 * 1000)
    manager.resume(id)
    expect(manager.get(id)!.eta_seconds).toBeNull()
    const again = await evaluation(1)
    // The kernel has measured nothing yet.
    again.current = { ...again.current, squaringsPerSecond: 0 }
    await clock.advance(500)
    expect(manager.get(id)!.eta_seconds).toBe(before)
  })

  it('does not take for work what a task that goes on had done before', async () => {
    const id = register()
    const run = await evaluation()
    run.reach(500)
    run.checkpoint()
    await clock.advance(500)
    manager.pause(id)
    await until(() => run.stops > 0)
    manager.resume(id)
    const again = await evaluation(1)
    const begun = again.current
    again.current = { phase: 'squaring', squarings: 0, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 }
    await clock.advance(500)
    again.current = { ...begun, squaringsPerSecond: 100 }
    await clock.advance(500)
    await second(again)
    // 400 squarings and the proof at 100 a second, not at the 500 that were there after half a second.
    expect(manager.get(id)!.eta_seconds).toBeGreaterThanOrEqual(4)
  })

  it('does not jump when the machine slept', async () => {
    const id = register()
    const run = await evaluation()
    await second(run)
    await second(run)
    const before = manager.get(id)!.eta_seconds!
    clock.set(clock.now() + 8 * 60 * 60 * 1000)
    await clock.advance(500)
    expect(manager.get(id)!.eta_seconds).toBe(before)
    await second(run)
    expect(manager.get(id)!.eta_seconds).toBe(before - 1)
  })

  it('of a proof taken up in the middle comes of the part that is done from there', async () => {
    const id = register()
    const run = await evaluation()
    run.prove(0.8)
    await clock.advance(500)
    run.prove(0.81)
    await clock.advance(500)
    // 1% in half a second: 19% take 9.5 s.
    expect(manager.get(id)).toMatchObject({ phase: 'prove', eta_seconds: 10 })
  })
})

describe('a restart', () => {
  it('goes on from the last checkpoint with the same commitment and plan, and progress never decreases', async () => {
    const id = register()
    const run = await evaluation()
    run.reach(200)
    run.checkpoint()
    run.reach(450)
    await clock.advance(500)
    const shown = manager.get(id)!.progress
    expect(shown).toBe(450)
    // A crash: what was not yet written is gone.
    const crashed = manager
    run.stop = () => run.finish({ kind: 'stopped' })
    await crashed.stop()
    pool = new FakePool()
    manager = build()
    await manager.start()
    expect(manager.get(id)).toMatchObject({ progress: 450, resumed: 1 })
    const again = await evaluation()
    expect(again.current.squarings).toBe(200)
    expect(Buffer.from(again.request.seed)).toEqual(Buffer.from(run.request.seed))
    again.reach(300)
    await clock.advance(500)
    expect(manager.get(id)!.progress).toBe(450)
    again.reach(600)
    await clock.advance(500)
    expect(manager.get(id)!.progress).toBe(600)
    again.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    expect(steps.sent.filter((effect) => effect.startsWith('commit'))).toHaveLength(1)
  })

  it('sends the commitment again, hourly and at once after it', async () => {
    register()
    await evaluation()
    await clock.advance(500)
    steps.sent.length = 0
    await clock.advance(60 * 60 * 1000)
    expect(steps.sent).toEqual([expect.stringMatching(/^remind draft 1/)])
    await restart()
    await clock.advance(500)
    expect(steps.sent).toHaveLength(2)
  })

  it('goes back to an older checkpoint when the kernel refuses the newest', async () => {
    register()
    const run = await evaluation()
    for (const squarings of [200, 300]) {
      run.reach(squarings)
      run.checkpoint()
      await stateFiles(squarings / 100 - 1)
    }
    run.stop = () => run.finish({ kind: 'stopped' })
    await manager.stop()
    pool = new FakePool()
    pool.onEvaluate = (again) => {
      if (again.current.squarings === 300) again.finish({ kind: 'failed', code: 'INVALID_CHECKPOINT', message: 'not a form' })
    }
    manager = build()
    await manager.start()
    expect((await evaluation(1)).current.squarings).toBe(200)
  })

  it('forgets ended tasks after thirty days', async () => {
    pool.onEvaluate = (run) => run.finish()
    await taskWhere(manager, register(), (view) => view.status === 'completed')
    certainMs = clock.now() + 31 * DAY
    await restart()
    await clock.advance(500)
    expect(manager.list()).toEqual([])
  })

  it('forgets nothing because the clock is a year ahead', async () => {
    pool.onEvaluate = (run) => run.finish()
    await taskWhere(manager, register(), (view) => view.status === 'completed')
    certainMs = clock.now()
    clock.set(clock.now() + 365 * DAY)
    await restart()
    await clock.advance(2 * 60 * 60 * 1000)
    expect(manager.list()).toHaveLength(1)
  })

  it('shows the time of the newest pulse when the clock is behind it', async () => {
    certainMs = clock.now()
    clock.set(clock.now() - DAY)
    expect(Date.parse(manager.get(register())!.created_at)).toBe(certainMs)
  })

  it('works with a clock that was set back', async () => {
    const first = register('one.chronym')
    await evaluation()
    clock.set(clock.now() - DAY)
    const second = register('two.chronym')
    await restart()
    expect(manager.list().map((view) => view.task_id)).toEqual([first, second])
    const view = manager.get(first)!
    expect(Date.parse(view.updated_at)).toBeGreaterThanOrEqual(Date.parse(view.created_at))
  })
})

describe('a finished proof', () => {
  async function failAtReveal(): Promise<void> {
    pool.onEvaluate = (run) => run.finish()
    steps.before = (step) => {
      if (step === 'reveal') throw new ServiceError('SVC-REG-001', 'refused')
    }
    const id = register()
    await taskWhere(manager, id, (view) => view.status === 'failed')
    await manager.remove(id)
    steps.before = () => undefined
  }

  it('is taken up by a new registration of the same name', async () => {
    await failAtReveal()
    const id = register()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    expect(pool.evaluations).toHaveLength(1)
    expect(steps.sent.filter((effect) => effect.startsWith('commit'))).toHaveLength(1)
  })

  it.each([
    ['it would no longer be accepted', () => (steps.proofUsable = false)],
    ['it is older than thirty days', () => (certainMs = clock.now() + 31 * DAY)]
  ])('is left alone when %s', async (_reason, change) => {
    await failAtReveal()
    change()
    await restart()
    await clock.advance(500)
    register()
    await evaluation()
  })

  it('is not taken up again once it was published', async () => {
    pool.onEvaluate = (run) => run.finish()
    await taskWhere(manager, register(), (view) => view.status === 'completed')
    register()
    await evaluation(1)
  })

  it('is not taken up again when it was found invalid', async () => {
    pool.onEvaluate = (run) => run.finish()
    steps.before = (step) => {
      if (step === 'reveal') throw new ServiceError('SVC-PUB-001', 'the proof does not verify')
    }
    const id = register()
    await taskWhere(manager, id, (view) => view.status === 'failed')
    register()
    await evaluation(1)
  })

  it('is kept in memory while the disk is full, and published when there is room', async () => {
    const id = register()
    const run = await evaluation()
    store.onWrite = () => {
      throw new StoreError('full', 'no space')
    }
    run.finish()
    await until(() => clock.waiting > 1)
    store.onWrite = () => undefined
    await clock.advance(1000)
    await taskWhere(manager, id, (view) => view.status === 'completed')
  })
})

describe('events', () => {
  async function collect(taskId: string, after?: number): Promise<TaskEvent[]> {
    const events: TaskEvent[] = []
    for await (const event of manager.events(taskId, after, new AbortController().signal)!) events.push(event)
    return events
  }

  it('have ids that increase by one, and end with completed', async () => {
    const id = register()
    const live: TaskEvent[] = []
    manager.subscribe((event) => live.push(event))
    const run = await evaluation()
    run.reach(100)
    await clock.advance(500)
    run.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    expect(live.map((event) => event.id)).toEqual(live.map((_, index) => live[0]!.id + index))
    expect(live.at(-1)!.type).toBe('completed')
    const replayed = await collect(id)
    expect(replayed.at(-1)).toEqual(live.at(-1))
  })

  it('are replayed after the last id seen, progress only the newest', async () => {
    const id = register()
    const run = await evaluation()
    for (const squarings of [100, 200, 300]) {
      run.reach(squarings)
      await clock.advance(500)
    }
    run.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    const all = await collect(id)
    expect(all.filter((event) => event.type === 'progress').map((event) => event.task.progress)).toEqual([300])
    expect(all.map((event) => event.id)).toEqual([...all.map((event) => event.id)].sort((left, right) => left - right))
    const middle = all[2]!
    expect(await collect(id, middle.id)).toEqual(all.slice(3))
    expect(await collect(id, all.at(-1)!.id)).toEqual([])
    // An id that was never given: everything is news.
    expect(await collect(id, all.at(-1)!.id + 1)).toEqual(all)
  })

  it('cost nothing while a reader sleeps, which then gets the newest progress', async () => {
    const id = register()
    const run = await evaluation()
    const abort = new AbortController()
    const reader = manager.events(id, undefined, abort.signal)![Symbol.asyncIterator]()
    for (let squarings = 1; squarings <= 900; squarings += 10) {
      run.reach(squarings)
      await clock.advance(500)
    }
    const seen: TaskEvent[] = []
    for (;;) {
      const next = await reader.next()
      if (next.done === true) break
      seen.push(next.value)
      if (next.value.type === 'progress') break
    }
    expect(seen.at(-1)!.task.progress).toBe(891)
    expect(seen.length).toBeLessThan(8)
    const waiting = reader.next()
    abort.abort()
    expect((await waiting).done).toBe(true)
  })

  it('go on with higher ids after a restart', async () => {
    const id = register()
    await evaluation()
    const before: TaskEvent[] = []
    const abort = new AbortController()
    for await (const event of manager.events(id, undefined, abort.signal)!) {
      before.push(event)
      if (event.task.phase === 'evaluate') abort.abort()
    }
    await restart()
    const run = await evaluation()
    run.finish()
    await taskWhere(manager, id, (view) => view.status === 'completed')
    const after = await collect(id, before.at(-1)!.id)
    expect(after[0]!.id).toBeGreaterThan(before.at(-1)!.id)
    expect(after.at(-1)!.type).toBe('completed')
  })

  it('of an unknown task are undefined, and those of a cleared task end', async () => {
    expect(manager.events('nobody', undefined, new AbortController().signal)).toBeUndefined()
    const id = register()
    await evaluation()
    const reading = collect(id)
    await manager.remove(id)
    expect((await reading).at(-1)!.type).toBe('failed')
  })
})
