import { expect, it } from 'vitest'
import { tickLabels, WHOLE_STEPS } from '../../../../src/web/assets/parts/graph.ts'

it('labels no two ticks of an axis alike', () => {
  expect(tickLabels([0, 0.4, 1, 1.4], (tick) => String(Math.floor(tick)))).toEqual(['0', null, '1', null])
  expect(tickLabels([0, 1, 2], String)).toEqual(['0', '1', '2'])
})

it('counts in whole steps', () => {
  expect(WHOLE_STEPS.slice(0, 5)).toEqual([1, 2, 5, 10, 20])
  expect(WHOLE_STEPS.every(Number.isInteger)).toBe(true)
})
