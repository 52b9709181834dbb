import { styleText } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Style } from '../../../src/cli/terminal/output.ts'
import { count as formatCount, plural } from '../../../src/util/words.ts'
import {
  formatDuration,
  formatFields,
  formatRate,
  formatRelative,
  formatTable,
  printable,
  printableMessage
} from '../../../src/cli/terminal/format.ts'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'whiteBright', 'bgBlack'] satisfies Style[]

describe('numbers and times for people', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000_000, '1,000,000']
  ])('counts %d as %s', (value, text) => {
    expect(formatCount(value)).toBe(text)
  })

  it.each([
    [0, '0 /s'],
    [812.4, '812 /s'],
    [333_123, '333.1 K/s'],
    [1_204_000, '1.20 M/s']
  ])('shows a rate of %d as %s', (value, text) => {
    expect(formatRate(value)).toBe(text)
  })

  it.each([
    [-5, '0.0 s'],
    [0.42, '0.4 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [59.4, '59 s'],
    [59.6, '1 min 00 s'],
    [185, '3 min 05 s'],
    [3599.6, '1 h 00 min'],
    [8040, '2 h 14 min'],
    [86_400, '1 d 0 h'],
    [86_400 * 385, '1 y 20 d']
  ])('shows %d seconds with their two largest units: %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })

  it('says on which side of now a moment lies', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(formatRelative('2026-01-01T02:14:00Z', now)).toBe('in 2 h 14 min')
    expect(formatRelative('2025-12-31T23:59:00Z', now)).toBe('1 min 00 s ago')
    expect(formatRelative('never', now)).toBe('never')
  })

  it('uses the singular for one', () => {
    expect([plural(0, 'peer'), plural(1, 'peer'), plural(1200, 'peer')]).toEqual(['0 peers', '1 peer', '1,200 peers'])
  })

  it('shows control characters and direction marks of foreign text as escapes', () => {
    expect(printable('a\u001b[2Jb\u0007\r\n\u009b31m\u202ec')).toBe(
      String.raw`a\u001b[2Jb\u0007\u000d\u000a\u009b31m\u202ec`
    )
    expect(printable('grüße 你好')).toBe('grüße 你好')
  })

  it('keeps the colours of this program in a message, and no escape that hides text', () => {
    const own = STYLES.map((style) => styleText(style, 'x', { validateStream: false })).join('\n')
    expect(printableMessage(own)).toBe(own)
    for (const code of [5, 7, 8, 28, 30, 37, 41, 90, 107])
      expect(printableMessage(`\u001b[${code}m`)).toBe(String.raw`\u001b[${code}m`)
  })

  it('aligns tables and fields without blanks at line ends', () => {
    expect(
      formatTable([
        ['a', 'bb', 'c'],
        ['aaa', 'b', '']
      ])
    ).toBe('a    bb  c\naaa  b')
    expect(
      formatFields([
        ['x', '1'],
        ['long', '2']
      ])
    ).toBe('x     1\nlong  2')
  })
})
