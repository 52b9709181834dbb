import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { LAST_EVENT_ID_PARAMETER } from '../openapi/parameters.ts'
import type { ApiServices } from '../services.ts'
import { eventStream, lastEventId, type EventStreamOptions, type ServerSentEvent } from '../http/sse.ts'

export function eventRoutes({ events }: ApiServices, streams: EventStreamOptions) {
  return new Hono<AppEnv>().get(
    '/api/events',
    endpoint({
      tag: 'Daemon',
      summary: 'What the daemon does, as it happens',
      description:
        'Server-sent events (all of the name `message`) about peers, tasks, records and the beacon: ' +
        'first those still kept, then new ones. The data is an Event: {id, at, type, detail}.',
      access: ['read'],
      parameters: [LAST_EVENT_ID_PARAMETER],
      answers: {
        200: {
          description: 'The stream',
          media: 'text/event-stream',
          example: 'id: 8\ndata: {"id": 8, "at": "2026-11-21T12:00:00.000Z", "type": "peer:connect", "detail": {}}\n\n'
        }
      }
    }),
    (c) => eventStream(c, (signal) => daemonEvents(lastEventId(c), signal), streams)
  )

  async function* daemonEvents(after: number | undefined, signal: AbortSignal): AsyncGenerator<ServerSentEvent, void> {
    for await (const event of events.stream(after, signal)) yield { id: event.id, data: event }
  }
}
