import { describe, expect, it } from 'vitest'

interface Rates {
  note: (tasks: object[], nowMs: number) => void
  of: (id: string) => { times: number[]; values: (number | null)[] }
}
const { Rates } = (await import(new URL('../../../../src/web/assets/tasks/state.ts', import.meta.url).href)) as {
  Rates: new () => Rates
}

const task = (change: object = {}) => ({
  task_id: 't',
  status: 'running',
  phase: 'evaluate',
  paused: false,
  iterations_per_second: 1000,
  ...change
})

describe('the rates of a task', () => {
  it('are kept one a second, a pause as one gap', () => {
    const rates = new Rates()
    rates.note([task({ phase: 'pulse', iterations_per_second: null })], 9_000)
    rates.note([task()], 10_000)
    rates.note([task({ iterations_per_second: 5 })], 10_400)
    rates.note([task({ paused: true })], 11_000)
    rates.note([task({ paused: true })], 12_000)
    rates.note([task({ iterations_per_second: 900 })], 13_000)
    expect(rates.of('t')).toEqual({ times: [10, 11, 13], values: [1000, null, 900] })
  })

  it('are the last ten minutes', () => {
    const rates = new Rates()
    for (let second = 0; second < 700; second++) rates.note([task()], second * 1000)
    expect(rates.of('t').times).toHaveLength(600)
    expect(rates.of('t').times.at(-1)).toBe(699)
  })

  it('are forgotten with the end of the task', () => {
    const rates = new Rates()
    rates.note([task()], 1000)
    rates.note([task({ status: 'completed' })], 2000)
    expect(rates.of('t')).toEqual({ times: [], values: [] })
  })
})
