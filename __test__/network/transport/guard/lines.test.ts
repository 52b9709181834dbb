import { describe, expect, it } from 'vitest'
import { Excess, LINE_BYTES, LINES } from '../../../../src/network/transport/guard/limits.ts'
import { LineReader } from '../../../../src/network/transport/guard/lines.ts'
import { HELLO, line } from '../../raw-peer.ts'

const reader = (): LineReader => new LineReader((text) => text === '/noise')
const repeat = (count: number, bytes: Uint8Array): Buffer => Buffer.concat(Array<Uint8Array>(count).fill(bytes))

describe('agreeing on a protocol', () => {
  it.each([1, 2, 7, 1_000])('ends at the line that both sides know, in chunks of %i bytes', (size) => {
    const lines = reader()
    const bytes = Buffer.concat([HELLO, line('/tls/1.0.0'), line('x'.repeat(300)), line('/noise')])
    const whole = Buffer.concat([bytes, Buffer.from('what follows')])
    let read = 0
    for (let at = 0; at < whole.length; at += size) read += lines.read(whole.subarray(at, at + size))
    expect({ read, agreed: lines.agreed }).toEqual({ read: bytes.length, agreed: '/noise' })
  })

  it.each([
    ['a list, however it is spelt', line('ls')],
    ['a list with spaces after it', line('ls \n')],
    ['a list behind a byte order mark', line('\uFEFFls')],
    ['one line too many', repeat(LINES, line('/nothing'))],
    ['hello again and again', repeat(LINES, HELLO)],
    ['a line that is too long', line('x'.repeat(LINE_BYTES))],
    ['a length of three bytes', Buffer.from([0x80, 0x80, 0x01])],
    ['an empty line', Buffer.from([0])]
  ])('refuses %s', (_what, bytes) => expect(() => reader().read(bytes)).toThrow(Excess))

  it('takes as many lines as a dialler with several protocols sends', () => {
    const lines = reader()
    lines.read(Buffer.concat([HELLO, repeat(LINES - 2, line('/nothing')), line('/noise')]))
    expect(lines.agreed).toBe('/noise')
  })
})
