/** Streams between two requests: opening one costs both ends several times as much as an exchange. */
import type { Connection, Stream } from '@libp2p/interface'

/** A stream closes after this idle time; the peer would end it ten seconds later (serve.ts). */
const IDLE_MS = 20_000

/** Idle streams of one connection, for parallel requests. */
const MAX_IDLE = 4

const idle = new WeakMap<Connection, Map<Stream, () => void>>()

/** An idle writable stream of a connection for this protocol; undefined without one. */
export function takeIdle(connection: Connection, protocol: string): Stream | undefined {
  for (const [stream, stopWaiting] of idle.get(connection) ?? []) {
    if (stream.protocol !== protocol) continue
    stopWaiting()
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
