import { expect, it } from 'vitest'
import { millisecondsText, outcomeOf, progressText } from '../../../../src/web/assets/lookup/verify-here.ts'

const check = (rule: string, passed: boolean | null) => ({ rule, title: rule, passed, detail: '', milliseconds: 1 })

it('says who made the checks when all passed', () => {
  const { tone, text } = outcomeOf({
    valid: true,
    checks: [check('size', true), check('proof', true)],
    backend: 'bigint'
  })
  expect([tone, text]).toEqual(['good', 'All 2 checks passed, made by this browser in plain JavaScript.'])
})

it('names the check that failed, and how many passed before it', () => {
  const checks = [check('size', true), check('signature', false), check('proof', null)]
  const problem = { rule: 'signature', detail: 'It is by another key' }
  expect(outcomeOf({ valid: false, checks, problem, backend: 'native' })).toEqual({
    tone: 'bad',
    title: 'Not valid',
    text: 'It is by another key (signature). 1 of 3 checks passed.'
  })
})

it('says where the work is, and how long it took', () => {
  expect(progressText(undefined)).toBe('Loading the verifier…')
  expect(progressText({ rule: 'proof', done: 1, of: 5 })).toBe('Checking the work, 2 of 5…')
  expect(progressText({ rule: 'pulse', done: 0, of: 1 })).toBe('Checking the pulse…')
  expect([0.2, 41.6, 1234].map(millisecondsText)).toEqual(['under 1 ms', '42 ms', '1.2 s'])
})
