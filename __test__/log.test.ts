import { expect, it } from 'vitest'
import { logLineText } from '../src/log.ts'

const line = (members: object): string =>
  logLineText(JSON.stringify({ level: 40, time: '2026-01-01T10:20:30.000Z', msg: 'a step is tried again', ...members }))

it('shows a log line as text: time of day, level, message, members', () => {
  expect(line({ name: 'alice.chronym', attempt: 2 })).toMatch(
    /^\d\d:\d\d:30 warn {2}a step is tried again {2}name=alice\.chronym {2}attempt=2\n$/
  )
})

it('shows of an error its message, not its stack', () => {
  expect(line({ err: { type: 'Error', message: 'no route', stack: 'Error: no route\n    at x' } })).toMatch(
    /tried again {2}error=no route\n$/
  )
})

it('shows control characters that a peer may have sent as escapes', () => {
  expect(line({ reason: 'evil \u001b[2J\u202e' })).toContain('reason=evil \\u{1b}[2J\\u{202e}')
})
