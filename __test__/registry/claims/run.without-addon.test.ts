import { expect, it } from 'vitest'
import { taskWhere } from './fakes.ts'
import { workbench } from './workbench.ts'

const at = workbench()

it('keeps a task that finds no addon: it waits, however often it tries, and continues with one', async () => {
  const id = at.register()
  for (let turn = 0; turn < 5; turn++) {
    const evaluation = await at.evaluation(turn)
    evaluation.finish({ kind: 'failed', code: 'ADDON_MISSING', message: 'There is no native addon.' })
    const view = await taskWhere(at.manager, id, ({ stalled }) => stalled !== null)
    expect(view).toMatchObject({
      status: 'running',
      stalled: { code: 'SVC-VDF-001', message: 'There is no native addon.' }
    })
    await at.clock.advance(60_000)
  }
  ;(await at.evaluation(5)).finish()
  expect((await taskWhere(at.manager, id, ({ status }) => status !== 'running')).status).toBe('completed')
})
