import { expect, it } from 'vitest'
import { read, toggled } from '../../../../src/web/assets/views/events.ts'

it('shows all but pulses at first, and then what was chosen', () => {
  expect([...read(null)]).toEqual(['name', 'task', 'peer', 'record', 'other'])
  expect([...read('beacon,nonsense,task')]).toEqual(['beacon', 'task'])
  expect(read('').size).toBe(0)
})

it('adds and removes a topic', () => {
  expect([...toggled(new Set(['name']), 'task')]).toEqual(['name', 'task'])
  expect([...toggled(new Set(['name', 'task']), 'name')]).toEqual(['task'])
})
