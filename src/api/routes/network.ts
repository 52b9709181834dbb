import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { wholeJson } from '../http/response-headers.ts'
import { NetworkStatusSchema, type NetworkStatusView } from '../../views/network-status.ts'
import type { ApiServices } from '../services.ts'

export function networkRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>().get(
    '/api/network-status',
    endpoint({
      tag: 'Network',
      summary: 'Is the daemon connected, and to how many peers?',
      access: 'public',
      answers: { 200: { description: 'The state of the network as this daemon sees it', schema: NetworkStatusSchema } }
    }),
    (c) => wholeJson(c, JSON.stringify(registry.networkStatus() satisfies NetworkStatusView))
  )
}
