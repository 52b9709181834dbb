/** Event streams as async iterables, which connect again. */
import { readEventStream } from './events.ts'
import type { Sender } from './send.ts'
import { ProblemError, UnreachableError } from './transport.ts'
import type { DaemonEvent, DaemonEventMessage, StreamOptions, TaskEventMessage, TaskView } from './types.ts'

const openStream = ({ send }: Sender, path: string, lastEventId: string | undefined, signal?: AbortSignal) =>
  send('GET', path, {
    headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId },
    signal,
    timeoutMs: Infinity
  })

/** Ends after `completed` or `failed`, or when the signal aborts. */
export async function* taskEvents(
  sender: Sender,
  path: string,
  { signal, lastEventId, onLost }: StreamOptions
): AsyncGenerator<TaskEventMessage, void> {
  let last = Number(lastEventId ?? 0)
  let ended: TaskView | undefined
  const connect = async (seen: string | undefined, again: boolean) => {
    const task = again ? await sender.json<TaskView>('GET', path, { signal }) : undefined
    if (task !== undefined && task.status !== 'running') ended = task
    return ended === undefined ? await openStream(sender, `${path}/events`, seen ?? lastEventId, signal) : undefined
  }
  for await (const { id, event, data } of withoutBreaks(readEventStream(connect, signal, onLost), sender.base)) {
    const type = event as TaskEventMessage['type']
    last = Number(id)
    yield { id: last, type, task: data as TaskView }
    if (type === 'completed' || type === 'failed') return
  }
  // It ended while nobody was connected, and its events are gone.
  if (ended !== undefined && ended.status !== 'running') yield { id: last, type: ended.status, task: ended }
}

/** Ends when the signal aborts. */
export async function* daemonEvents(
  sender: Sender,
  { signal, lastEventId, onLost }: StreamOptions
): AsyncGenerator<DaemonEventMessage, void> {
  const connect = (seen: string | undefined) => openStream(sender, '/api/events', seen ?? lastEventId, signal)
  for await (const { id, data } of withoutBreaks(readEventStream(connect, signal, onLost), sender.base))
    yield { id, event: data as DaemonEvent }
}

/** Turns the platform's errors of a broken stream into {@link UnreachableError}. */
async function* withoutBreaks<T>(events: AsyncIterable<T>, base: string): AsyncGenerator<T, void> {
  try {
    yield* events
  } catch (cause) {
    if (cause instanceof ProblemError || cause instanceof UnreachableError) throw cause
    throw new UnreachableError(`The daemon at ${base} answers no more.`, { cause })
  }
}
