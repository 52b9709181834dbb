import { describe, expect, it } from 'vitest'

const asset = (file: string) => import(new URL(`../../src/web/assets/${file}`, import.meta.url).href)
const { duration } = (await asset('elements.js')) as { duration: (seconds: number) => string }
const { Problem } = (await asset('http.js')) as { Problem: new (body: object) => Error & { errors: unknown[] } }

describe('a duration on the dashboard', () => {
  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [0.4, '0 s'],
    [59.6, '1 min'],
    [61, '1 min 1 s'],
    [3600, '1 h'],
    [93_784, '1 d 2 h'],
    [31_536_000, '365 d']
  ])('of %d seconds reads %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text)
  })
})

describe('a problem on the dashboard', () => {
  it('says what happened in words, with the code behind', () => {
    const problem = new Problem({ code: 'SVC-ZON-002', title: 'Invalid zone', detail: 'The zone breaks a rule.' })
    expect(problem.message).toBe('Invalid zone: The zone breaks a rule. (SVC-ZON-002)')
    expect(problem.errors).toEqual([])
  })
})
