import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { wholeJson } from '../http/response-headers.ts'
import { ConnectRequestSchema } from '../schemas/network.ts'
import { PeerListSchema, PeerSchema, type PeerView } from '../../views/peer.ts'
import { NetworkStatusSchema, type NetworkStatusView } from '../../views/network-status.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Network'
/** Of a table of some 2,000 at most: 200 KB would be too much to draw. */
const MAX_PEERS = 500

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
      (c) => wholeJson(c, JSON.stringify(registry.networkStatus() satisfies NetworkStatusView))
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
      (c) => c.json<PeerView[]>(registry.peers().slice(0, MAX_PEERS))
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
      async (c) => c.json<PeerView>(await registry.connect(c.req.valid('json').address))
    )
}
