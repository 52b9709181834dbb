import { describe, expect, it } from 'vitest'
import type { TaskEvent } from '../../../src/registry/tasks.ts'
import { taskWhere } from './fakes.ts'
import { OPTIONS, workbench } from './workbench.ts'

const at = workbench()

describe('events', () => {
  async function collect(taskId: string, after?: number): Promise<TaskEvent[]> {
    const events: TaskEvent[] = []
    for await (const event of at.manager.events(taskId, after, new AbortController().signal)!) events.push(event)
    return events
  }

  it('begin with the place in the queue, and tell each new one', async () => {
    await at.restart({ ...OPTIONS, queue: 10 })
    at.register('first.chronym')
    const run = await at.evaluation()
    const second = at.register('second.chronym')
    const third = at.register('third.chronym')
    const abort = new AbortController()
    const reader = at.manager.events(third, undefined, abort.signal)![Symbol.asyncIterator]()
    expect((await reader.next()).value).toMatchObject({
      id: 1,
      type: 'phase',
      task: { phase: 'queued', queue_position: 2 }
    })
    await at.manager.remove(second)
    await at.clock.advance(500)
    expect((await reader.next()).value).toMatchObject({
      id: 2,
      type: 'progress',
      task: { phase: 'queued', queue_position: 1 }
    })
    await at.clock.advance(5000)
    run.finish()
    await taskWhere(at.manager, third, (view) => view.phase === 'evaluate')
    expect((await reader.next()).value, 'what did not change was not told').toMatchObject({
      id: 3,
      type: 'phase',
      task: { queue_position: null }
    })
    abort.abort()
  })

  it('have ids that increase by one, and end with completed', async () => {
    const id = at.register()
    const live: TaskEvent[] = []
    at.manager.subscribe((event) => live.push(event))
    const run = await at.evaluation()
    await at.reach(run, 100)
    await at.end(id, run)
    expect(live.map((event) => event.id)).toEqual(live.map((_, index) => live[0]!.id + index))
    expect(live.at(-1)!.type).toBe('completed')
    const replayed = await collect(id)
    expect(replayed.at(-1)).toEqual(live.at(-1))
  })

  it('are replayed after the last id seen, progress only the newest', async () => {
    const { id, run } = await at.running()
    for (const squarings of [100, 200, 300]) {
      await at.reach(run, squarings)
    }
    await at.end(id, run)
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
    const { id, run } = await at.running()
    const abort = new AbortController()
    const reader = at.manager.events(id, undefined, abort.signal)![Symbol.asyncIterator]()
    for (let squarings = 1; squarings <= 900; squarings += 10) {
      await at.reach(run, squarings)
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
    const { id } = await at.running()
    const before: TaskEvent[] = []
    const abort = new AbortController()
    for await (const event of at.manager.events(id, undefined, abort.signal)!) {
      before.push(event)
      if (event.task.phase === 'evaluate') abort.abort()
    }
    await at.restart()
    const run = await at.evaluation()
    await at.end(id, run)
    const after = await collect(id, before.at(-1)!.id)
    expect(after[0]!.id).toBeGreaterThan(before.at(-1)!.id)
    expect(after.at(-1)!.type).toBe('completed')
  })

  it("after a restart begin with the task's present state, not its history", async () => {
    const { id } = await at.running()
    await taskWhere(at.manager, id, (view) => view.phase === 'evaluate')
    await at.restart()
    const reading = at.manager.events(id, undefined, new AbortController().signal)![Symbol.asyncIterator]()
    expect((await reading.next()).value).toMatchObject({ type: 'phase', task: { phase: 'evaluate', resumed: 1 } })
    const run = await at.evaluation()
    run.finish()
    expect((await reading.next()).value).toMatchObject({ type: 'phase', task: { phase: 'reveal' } })
  })

  it('of an unknown task are undefined, and those of a cleared task end', async () => {
    expect(at.manager.events('nobody', undefined, new AbortController().signal)).toBeUndefined()
    const { id } = await at.running()
    const reading = collect(id)
    await at.manager.remove(id)
    expect((await reading).at(-1)!.type).toBe('failed')
  })
})
