/** An evaluation on a farm whose workers lie, or whose kernels refuse. */
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { ends, farm, faulty, hasRoom, liar, Task, worker } from './scene.ts'
import { HALF, SteppedPool } from './stepped-pool.ts'

describe('an evaluation on a farm', () => {
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
    const mayCome = (): boolean => farm.accepts(task.plan)
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
})
