import { expect, it } from 'vitest'
import { FrameReader } from '../../../../src/network/transport/guard/frames.ts'
import { DATA, dataFrame, frame, PING, SYN, WINDOW } from '../../raw-peer.ts'

const DATA_BYTES = Buffer.from('thirty-two bytes of some message')
const FRAMES = [
  frame(WINDOW, SYN, 1, 0),
  dataFrame(1, DATA_BYTES),
  frame(PING, SYN, 0, 2 ** 32 - 1),
  dataFrame(3, Buffer.alloc(0))
]

it.each([1, 5, 11, 12, 13, 44, 1_000])('reads frames in chunks of %i bytes, and passes all bytes on', (size) => {
  const reader = new FrameReader()
  const whole = Buffer.concat(FRAMES)
  const parts = []
  for (let at = 0; at < whole.length; at += size) parts.push(...reader.read(whole.subarray(at, at + size)))
  expect(Buffer.concat(parts.map(({ bytes }) => bytes))).toEqual(whole)
  expect(Buffer.concat(parts.map(({ data }) => data))).toEqual(DATA_BYTES)
  const first = parts.filter(({ isFirst }) => isFirst)
  expect(first.map(({ header }) => header)).toEqual([
    { type: WINDOW, flags: SYN, stream: 1, length: 0 },
    { type: DATA, flags: 0, stream: 1, length: 32 },
    { type: PING, flags: SYN, stream: 0, length: 2 ** 32 - 1 },
    { type: DATA, flags: 0, stream: 3, length: 0 }
  ])
  expect(parts.filter(({ isLast }) => isLast)).toHaveLength(FRAMES.length)
})

it('knows the length of a frame before it has its data', () => {
  const [part] = new FrameReader().read(frame(DATA, 0, 1, 2 ** 32 - 1))
  expect(part).toMatchObject({ header: { length: 2 ** 32 - 1 }, isFirst: true, isLast: false })
})
