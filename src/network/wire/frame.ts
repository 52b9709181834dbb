/**
 * A message on a stream: u32 big-endian length, then that many bytes of deterministic CBOR. Nothing may follow until it
 * is answered.
 */
import type { Connection, Stream } from '@libp2p/interface'
import { lp } from '../../protocol/encoding/bytes.ts'
import { wasRead } from '../transport/guard/unread.ts'

/** Longest message in either direction (docs/protocol/wire.md, 15). */
export const MAX_MESSAGE_BYTES = 128 * 1024

/** Time for a request and its answer; the asking peer then gives up, so later answers are wasted. */
export const REQUEST_TIMEOUT_MS = 10_000

const LENGTH_BYTES = 4

/** Not a message: too long, cut short, or followed by more. */
export class FrameError extends Error {
  override readonly name: string = 'FrameError'
}

/** The stream ended within a message. */
export class CutShort extends FrameError {
  override readonly name: string = 'CutShort'
}

/** The stream ended before the first byte of a message. */
export class NoMessage extends CutShort {
  override readonly name = 'NoMessage'
}

/** The message was not read, by our own choice. */
export class RequestDeclined extends Error {
  override readonly name = 'RequestDeclined'
}

/**
 * Reads the next message of a stream, if `admit` accepts its length.
 * Throws FrameError for broken framing (CutShort where the stream ends within a message, NoMessage before one),
 * RequestDeclined, and the stream's error when it is reset. Buffers at most the longest message and one chunk of the
 * transport. It has no deadline: abort the stream to end it.
 */
export async function readFrame(
  stream: AsyncIterable<Uint8Array | { subarray(): Uint8Array }>,
  admit?: (bytes: number) => boolean
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let received = 0
  let expected: number | undefined
  for await (const part of stream) {
    const chunk = part.subarray()
    chunks.push(chunk)
    received += chunk.length
    wasRead(stream, chunk.length)
    if (expected === undefined && received >= LENGTH_BYTES) {
      expected = LENGTH_BYTES + Buffer.concat(chunks, LENGTH_BYTES).readUInt32BE(0)
      if (expected > LENGTH_BYTES + MAX_MESSAGE_BYTES)
        throw new FrameError(`a message of ${expected - LENGTH_BYTES} bytes; at most ${MAX_MESSAGE_BYTES} are allowed`)
      if (admit?.(expected - LENGTH_BYTES) === false) throw new RequestDeclined('not read')
    }
    if (expected !== undefined && received > expected) throw new FrameError('bytes after the message')
    if (received === expected) return new Uint8Array(Buffer.concat(chunks).subarray(LENGTH_BYTES))
  }
  throw new (received === 0 ? NoMessage : CutShort)(`the stream ended after ${received} bytes, before the message did`)
}

export async function writeFrame(stream: Stream, message: Uint8Array): Promise<void> {
  if (!stream.send(lp(message))) await stream.onDrain()
}

/**
 * After this idle time a stream closes, unless it is the last of its connection: that one rests. The peer would end the
 * others ten seconds later (exchange.ts).
 */
const IDLE_MS = 20_000

/** Streams on which nothing was asked for long. They keep no connection open. */
export const resting = new WeakSet<Stream>()

/** Idle streams of one connection, for parallel requests. */
const MAX_IDLE = 4

const idle = new WeakMap<Connection, Map<Stream, () => void>>()

/** An idle writable stream of a connection for this protocol; undefined without one. */
export function takeIdle(connection: Connection, protocol: string): Stream | undefined {
  for (const [stream, stopWaiting] of idle.get(connection) ?? []) {
    if (stream.protocol !== protocol) continue
    stopWaiting()
    resting.delete(stream)
    if (isOpen(stream)) return stream
  }
  return undefined
}

/** Keeps a stream without pending requests, or closes it. */
export function keepIdle(connection: Connection, stream: Stream): void {
  const kept = idle.get(connection) ?? new Map<Stream, () => void>()
  idle.set(connection, kept)
  if (kept.size >= MAX_IDLE || !isOpen(stream)) {
    void closeStream(stream)
    return
  }
  const end = (): void => {
    stopWaiting()
    void closeStream(stream)
  }
  const timer = setTimeout(() => {
    if (kept.size === 1) resting.add(stream)
    else end()
  }, IDLE_MS)
  timer.unref()
  stream.addEventListener('remoteCloseWrite', end)
  stream.addEventListener('close', end)
  const stopWaiting = (): void => {
    clearTimeout(timer)
    stream.removeEventListener('remoteCloseWrite', end)
    stream.removeEventListener('close', end)
    kept.delete(stream)
  }
  kept.set(stream, stopWaiting)
}

export function isOpen({ status, writeStatus, remoteWriteStatus }: Stream): boolean {
  return status === 'open' && writeStatus === 'writable' && remoteWriteStatus === 'writable'
}

/** Closes our side; on failure aborts. */
export async function closeStream(stream: Stream): Promise<void> {
  try {
    await stream.close()
  } catch (error) {
    stream.abort(error as Error)
  }
}
