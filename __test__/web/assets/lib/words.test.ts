import { describe, expect, it } from 'vitest'

const asset = (file: string) => import(new URL(`../../../../src/web/assets/${file}`, import.meta.url).href)
const { duration } = (await asset('lib/words.js')) as { duration: (seconds: number) => string }

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
