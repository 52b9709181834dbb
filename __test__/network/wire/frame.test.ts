import { describe, expect, it } from 'vitest'
import { concatBytes, lp } from '../../../src/protocol/encoding/bytes.ts'
import { FrameError, MAX_MESSAGE_BYTES, RequestDeclined, readFrame } from '../../../src/network/wire/frame.ts'
import { encodeMessage } from '../../../src/network/wire/messages.ts'
import { REQUESTS } from './requests.ts'

async function framed(...chunks: Uint8Array[]): Promise<Uint8Array> {
  return readFrame(
    (async function* () {
      yield* chunks
    })()
  )
}

describe('a frame', () => {
  const message = encodeMessage(REQUESTS[0]!)

  it('is read in whatever pieces it comes', async () => {
    const bytes = lp(message)
    for (let cut = 1; cut < bytes.length; cut++)
      expect(await framed(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(message)
    expect(await framed(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(message)
    expect(await framed(lp(new Uint8Array()))).toEqual(new Uint8Array())
  })

  it('is refused when the stream ends at any byte before its last', async () => {
    const bytes = lp(message)
    for (let length = 0; length < bytes.length; length++)
      await expect(framed(bytes.subarray(0, length))).rejects.toThrow(FrameError)
  })

  it('is refused with bytes after it', async () => {
    await expect(framed(concatBytes(lp(message), new Uint8Array(1)))).rejects.toThrow('bytes after the message')
  })

  it('is refused by its length alone when it is too long, before its bytes have come', async () => {
    const head = new Uint8Array(4)
    new DataView(head.buffer).setUint32(0, MAX_MESSAGE_BYTES + 1)
    await expect(framed(head, new Uint8Array(1))).rejects.toThrow(FrameError)
    new DataView(head.buffer).setUint32(0, 0xffff_ffff)
    await expect(framed(head)).rejects.toThrow(FrameError)
    expect(await framed(lp(new Uint8Array(MAX_MESSAGE_BYTES)))).toHaveLength(MAX_MESSAGE_BYTES)
  })

  it('is not read when its length is declined', async () => {
    const lengths: number[] = []
    const decline = (bytes: number): boolean => {
      lengths.push(bytes)
      return false
    }
    const stream = async function* (): AsyncGenerator<Uint8Array> {
      yield lp(message).subarray(0, 3)
      yield lp(message).subarray(3, 5)
      await Promise.reject(new Error('more was read'))
    }
    await expect(readFrame(stream(), decline)).rejects.toThrow(RequestDeclined)
    expect(lengths).toEqual([message.length])
  })
})
