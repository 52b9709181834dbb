import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { type ConfigBody, ConfigPatchSchema, ConfigSchema, ConnectRequestSchema } from '../schemas/daemon.ts'
import type { ApiServices } from '../services.ts'
import { ConfigFieldListSchema } from '../../views/config.ts'
import {
  NetworkStatusSchema,
  PeerClocksSchema,
  PeerListSchema,
  PeerSchema,
  SampledNamesSchema
} from '../../views/network.ts'
import { LAST_EVENT_ID_PARAMETER } from '../openapi/parameters.ts'
import { eventStream, type EventStreamOptions, lastEventId, type ServerSentEvent } from '../http/sse.ts'

export function configRoutes({ config }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/config',
      endpoint({
        tag: 'Daemon',
        summary: 'The configuration, without secrets',
        access: ['read'],
        answers: { 200: { description: 'The whole configuration', schema: ConfigSchema } }
      }),
      (c) => c.json(config.view() as ConfigBody)
    )
    .get(
      '/api/config/fields',
      endpoint({
        tag: 'Daemon',
        summary: 'Each field of the configuration, and where its value comes from',
        access: ['read'],
        answers: { 200: { description: 'Every field', schema: ConfigFieldListSchema } }
      }),
      (c) => c.json(config.fields())
    )
    .delete(
      '/api/config/:field',
      endpoint({
        tag: 'Daemon',
        summary: 'Take back what was set at run time',
        description:
          'The value of flag, environment or file applies again, else the default. A field that was not ' +
          'set at run time keeps its value.',
        access: ['admin'],
        parameters: [{ name: 'field', in: 'path', description: 'With its section', example: 'vdf.queue' }],
        answers: { 200: { description: 'The whole new configuration', schema: ConfigSchema } },
        errors: ['SVC-CFG-001', 'SVC-STO-001', 'SVC-DNS-001']
      }),
      async (c) => c.json((await config.unset(c.req.param('field'))) as ConfigBody)
    )
    .post(
      '/api/config',
      endpoint({
        tag: 'Daemon',
        summary: 'Change the configuration',
        description: 'All fields given are checked before any is applied.',
        access: ['admin'],
        body: ConfigPatchSchema,
        isBodyAsReceived: true,
        answers: { 200: { description: 'The whole new configuration', schema: ConfigSchema } },
        errors: ['SVC-CFG-001', 'SVC-CFG-002', 'SVC-STO-001', 'SVC-DNS-001']
      }),
      async (c) => c.json((await config.change(c.req.valid('json'))) as ConfigBody)
    )
}

const TAG = 'Network'
/** Of a table of some 2,000 at most: 200 KB would be too much to draw. */
const MAX_PEERS = 500

const SAMPLED_NAMES = 16

export function networkRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/network-status',
      endpoint({
        tag: TAG,
        summary: 'Is the daemon connected, and to how many peers?',
        access: 'public',
        answers: {
          200: { description: 'The state of the network as this daemon sees it', schema: NetworkStatusSchema }
        }
      }),
      (c) => c.json(registry.networkStatus())
    )
    .get(
      '/api/peers',
      endpoint({
        tag: TAG,
        summary: 'The peers, with the prefixes of their addresses',
        description: `Those of the routing table and all connected ones: the ${MAX_PEERS} nearest to this node, nearest first.`,
        access: ['read'],
        answers: { 200: { description: 'Peers', schema: PeerListSchema } }
      }),
      (c) => c.json(registry.peers().slice(0, MAX_PEERS))
    )
    .get(
      '/api/network/names',
      endpoint({
        tag: TAG,
        summary: 'Some names that this node holds for the network',
        description: `${SAMPLED_NAMES} at most, drawn at random: to look at whether the network keeps them.`,
        access: ['read'],
        answers: { 200: { description: 'Names', schema: SampledNamesSchema } }
      }),
      (c) => c.json(registry.sampleNames(SAMPLED_NAMES))
    )
    .get(
      '/api/network/clocks',
      endpoint({
        tag: TAG,
        summary: 'What the clocks of the nearest peers say',
        description:
          'Asks them now. Peers may lie, and nothing is decided by it: the beacon tells this daemon the time.',
        access: ['read'],
        answers: { 200: { description: 'The peers that told', schema: PeerClocksSchema } },
        errors: ['SVC-RES-001']
      }),
      async (c) => c.json(await registry.clocks(c.req.raw.signal))
    )
    .post(
      '/api/peers',
      endpoint({
        tag: TAG,
        summary: 'Dial a peer',
        description: 'Once, now. To join through a peer at each start, name it in p2p.bootstrap.',
        access: ['admin'],
        body: ConnectRequestSchema,
        answers: { 200: { description: 'The peer that answers there', schema: PeerSchema } },
        errors: ['SVC-NET-001', 'SVC-RES-001']
      }),
      async (c) => c.json(await registry.connect(c.req.valid('json').address))
    )
}

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
