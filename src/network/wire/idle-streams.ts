/**
 * Streams that have carried a question and its answer and wait for the next: opening one takes both ends several times
 * as long as what goes over it.
 */
import type { Connection, Stream } from '@libp2p/interface'

/** A stream that is not used for so long is closed; the peer would end it after ten seconds more (serve.ts). */
const IDLE_MS = 20_000

/** Kept of one connection: questions to one peer that wait for each other. */
const MAX_IDLE = 4

/** By stream, what ends the waiting. */
const idle = new WeakMap<Connection, Map<Stream, () => void>>()

/** One of a connection that can be written to, for this protocol; undefined when none is kept. */
export function takeIdle(connection: Connection, protocol: string): Stream | undefined {
  for (const [stream, stopWaiting] of idle.get(connection) ?? []) {
    if (stream.protocol !== protocol) continue
    stopWaiting()
    if (isOpen(stream)) return stream
  }
  return undefined
}

/** Keeps a stream over which nothing is under way, or closes it. */
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
  const timer = setTimeout(end, IDLE_MS)
  timer.unref()
  stream.addEventListener('remoteCloseWrite', end)
  const stopWaiting = (): void => {
    clearTimeout(timer)
    stream.removeEventListener('remoteCloseWrite', end)
    kept.delete(stream)
  }
  kept.set(stream, stopWaiting)
}

/** Whether both sides may still write. */
export function isOpen({ status, writeStatus, remoteWriteStatus }: Stream): boolean {
  return status === 'open' && writeStatus === 'writable' && remoteWriteStatus === 'writable'
}

/** Closes our side; what cannot be closed is aborted. */
export async function closeStream(stream: Stream): Promise<void> {
  try {
    await stream.close()
  } catch (error) {
    stream.abort(error as Error)
  }
}
