import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decode, encode } from 'cborg'
import { describe, expect, it } from 'vitest'
import { asideOf, keys, prefixes } from '../../../src/store/keys.ts'
import type { TaskEvent } from '../../../src/registry/tasks.ts'
import { full, until } from './fakes.ts'
import { workbench } from './workbench.ts'

const at = workbench()

describe('a disk that is full', () => {
  const waiting = { code: 'SVC-STO-001', message: expect.stringContaining('resumes by itself') as string }

  it('halts the evaluation on a failed checkpoint, keeps it in memory, and resumes when there is room', async () => {
    const { id, run } = await at.running()
    const directory = join(at.dataDir, 'tasks', id)
    await rm(directory, { recursive: true })
    await writeFile(directory, 'in the way')
    run.checkpoint(300)
    await until(() => at.manager.get(id)!.stalled !== null)
    expect(run.stops).toBeGreaterThan(0)
    expect(at.manager.get(id)).toMatchObject({
      status: 'running',
      phase: 'evaluate',
      stalled: waiting,
      iterations_per_second: null,
      eta_seconds: null
    })
    await at.clock.advance(10_000)
    expect(at.pool.evaluations).toHaveLength(1)
    await rm(directory)
    await mkdir(directory)
    await at.clock.advance(60_000)
    const again = await at.evaluation(1)
    // The checkpoint that it handed over when it was halted: nothing is computed twice.
    expect(again.current.squarings).toBe(300)
    await until(() => at.manager.get(id)!.stalled === null)
    await at.end(id, again)
  })

  it('keeps a task from its start, which shows it, and starts it when there is room', async () => {
    let writes = 0
    // The task is taken, and its start is not journaled.
    at.store.onWrite = () => (++writes > 1 ? full() : undefined)
    const id = at.register()
    for (let tick = 0; tick < 2; tick++) {
      expect(at.manager.get(id)).toMatchObject({ status: 'running', phase: 'queued', stalled: waiting })
      await at.clock.advance(1_000)
    }
    at.store.onWrite = () => undefined
    await at.clock.advance(1_000)
    await at.evaluation()
    expect(at.manager.get(id)).toMatchObject({ phase: 'evaluate', stalled: null })
  })

  it('is told to readers of the events, whose ids never come twice after a restart', async () => {
    at.pool.onEvaluate = (run) => run.finish()
    const gate = Promise.withResolvers<undefined>()
    at.steps.before = (step) => (step === 'plan' ? gate.promise : undefined)
    const id = at.register()
    const reading = new AbortController()
    const events: TaskEvent[] = []
    const done = (async () => {
      for await (const event of at.manager.events(id, undefined, reading.signal)!) events.push(event)
    })()
    at.store.onWrite = full
    gate.resolve(undefined)
    await until(() => events.some((event) => event.task.stalled !== null))
    at.store.onWrite = () => undefined
    await at.restart()
    await done
    const before = events.at(-1)!.id
    const next = at.manager.events(id, before, reading.signal)![Symbol.asyncIterator]()
    expect(((await next.next()).value as TaskEvent).id).toBeGreaterThan(before)
    reading.abort()
    await next.return!()
  })

  it('lets a pause or a cancel fail with SVC-STO-001, and changes nothing', async () => {
    const { id } = await at.running()
    at.store.onWrite = full
    expect(() => at.manager.pause(id)).toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    await expect(at.manager.remove(id)).rejects.toThrow(expect.objectContaining({ code: 'SVC-STO-001' }))
    at.store.onWrite = () => undefined
    expect(at.manager.get(id)).toMatchObject({ status: 'running', paused: false, error: null })
  })
})

describe('a record of the journal that cannot be read', () => {
  const aside = (): string[] => [...at.store.list(prefixes.aside)].map(([key]) => key)

  it.each([
    ['no CBOR', () => Buffer.from('garbage')],
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1)],
    [
      'of another task',
      (bytes: Uint8Array) =>
        Buffer.from(
          Buffer.from(bytes)
            .toString('latin1')
            .replace(/[0-9a-f]{8}-/, '00000000-'),
          'latin1'
        )
    ],
    [
      'of a state that no task can be in',
      (bytes: Uint8Array) =>
        encode({
          ...(decode(bytes) as object),
          state: { ...(decode(bytes) as { state: object }).state, proof: new Uint8Array(3), plan: null }
        })
    ]
  ])('because it is %s is set aside as it is, told once, and the others go on', async (_why, damage) => {
    const broken = at.register('one.chronym')
    const whole = at.register('two.chronym')
    await at.evaluation()
    const run = at.pool.evaluations[0]!
    run.checkpoint(300)
    await at.stateFiles(1)
    await at.manager.stop()
    const damaged = damage(at.store.get(keys.task(broken))!)
    at.store.put(keys.task(broken), damaged)
    await at.restart()
    expect(at.manager.list().map((view) => view.task_id)).toEqual([whole])
    expect(at.manager.unreadable()).toBe(1)
    expect(Buffer.from(at.store.get(asideOf(keys.task(broken)))!)).toEqual(Buffer.from(damaged))
    expect(at.store.unreadable).toEqual([keys.task(broken)])
    // A repaired record finds its checkpoints.
    expect(await readdir(join(at.dataDir, 'tasks', broken))).toContain('intermediates')
    ;(await at.evaluation()).finish()
    await at.end(whole)
    await at.restart()
    expect(at.store.unreadable).toEqual([keys.task(broken)])
    expect(at.manager.unreadable()).toBe(1)
  })

  it('of a finished proof keeps no name from being registered', async () => {
    at.store.put(keys.proof('register', 'alice.chronym'), Buffer.from('x'))
    await at.running()
    expect(aside()).toEqual([asideOf(keys.proof('register', 'alice.chronym'))])
  })
})
