import { describe, expect, it } from 'vitest'
import {
  bytes,
  duration,
  ends,
  localTimes,
  percent,
  plural,
  relative,
  short
} from '../../../../src/web/assets/lib/words.ts'

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

describe('numbers and times on the dashboard', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1234, '1.23 k'],
    [374_512.4, '375 k'],
    [600_000_000, '600 M']
  ])('%d in short is %s', (number, text) => {
    expect(short(number)).toBe(text)
  })

  it.each([
    [12, '12 B'],
    [1536, '1.5 KiB'],
    [5 * 2 ** 20, '5 MiB']
  ])('%d bytes are %s', (number, text) => {
    expect(bytes(number)).toBe(text)
  })

  it.each([
    [90_000, 'in 1 min 30 s'],
    [-3_600_000, '1 h ago'],
    [500, 'now']
  ])('%d ms from now is %s', (ms, text) => {
    expect(relative(1_000_000 + ms, 1_000_000)).toBe(text)
  })

  it('have the right number of words and letters', () => {
    expect([plural(1, 'name'), plural(1200, 'entry', 'entries')]).toEqual(['1 name', '1,200 entries'])
    expect([ends('short'), ends('0123456789abcdefghij')]).toEqual(['short', '01234567…efghij'])
    expect(localTimes('until 2026-11-30T01:17:30.000Z, then not')).not.toMatch(/T01|Z,/)
    expect([percent(0.999), percent(1.2), percent(-1)]).toEqual(['99%', '100%', '0%'])
  })
})
