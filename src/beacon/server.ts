/** drand's HTTP API (v1) over any source of pulses: the dev beacon and the relay of recorded pulses serve it. */
import { serve } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import type { AddressInfo } from 'node:net'
import { pulseRandomness } from '../protocol/time.ts'
import type { BeaconChain, Pulse } from './types.ts'

export interface PulseSupply {
  chain: BeaconChain
  /** drand's group hash and beacon id: only part of the chain hash. */
  groupHash: string
  beaconId: string
  /** 0 before the first. */
  latestRound(): number
  /** The signature of a round up to the newest; undefined where it is not held. */
  signature(round: number): Uint8Array | undefined
}

export interface BeaconServer {
  /** The base URL to configure, without the chain hash. */
  url: string
  port: number
  close(): Promise<void>
}

/** Pulses never change; "latest" does. */
const IMMUTABLE = 'public, max-age=604800, immutable'

function beaconApp(supply: PulseSupply): Hono {
  const { chain, groupHash, beaconId } = supply
  const app = new Hono()

  const pulse = (c: Context, round: number): Response => {
    const signature = round <= supply.latestRound() ? supply.signature(round) : undefined
    if (signature === undefined) return noSuchRound(c)
    return c.json({ round, randomness: hex(pulseRandomness(signature)), signature: hex(signature) })
  }

  const api = new Hono()
  api.get('/info', (c) =>
    c.json({
      public_key: chain.public_key,
      period: chain.period,
      genesis_time: chain.genesis,
      hash: chain.chain_hash,
      groupHash,
      schemeID: chain.scheme,
      metadata: { beaconID: beaconId }
    })
  )
  api.get('/public/latest', (c) => {
    c.header('cache-control', 'no-cache')
    return pulse(c, supply.latestRound())
  })
  api.get('/public/:round{[0-9]{1,15}}', (c) => {
    const round = Number(c.req.param('round'))
    // drand's word for the newest.
    if (round === 0) return pulse(c, supply.latestRound())
    c.header('cache-control', round <= supply.latestRound() ? IMMUTABLE : 'no-cache')
    return pulse(c, round)
  })

  app.get('/chains', (c) => c.json([chain.chain_hash]))
  app.get('/health', (c) => c.json({ current: supply.latestRound(), expected: supply.latestRound() }))
  app.route('/', api)
  app.route(`/${chain.chain_hash}`, api)
  return app
}

function noSuchRound(c: Context): Response {
  c.header('cache-control', 'no-cache')
  return c.json({ error: 'there is no pulse of that round (yet)' }, 404)
}

/** Rejects when it cannot listen on the address. Port 0 takes any free one. */
export async function serveBeacon(
  supply: PulseSupply,
  { host, port }: { host: string; port: number }
): Promise<BeaconServer> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>()
  const server = serve({ fetch: beaconApp(supply).fetch, hostname: host, port }, resolve)
  server.once('error', reject)
  const address = await promise
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

interface RelayOptions {
  host: string
  port: number
  chain: BeaconChain
  pulses: readonly Pulse[]
  /** Shown by `/info` only. */
  groupHash?: string
  beaconId?: string
}

export async function startRelay({
  host,
  port,
  chain,
  pulses,
  groupHash = '',
  beaconId = 'relay'
}: RelayOptions): Promise<BeaconServer> {
  const signatures = new Map(pulses.map(({ round, signature }) => [round, signature]))
  const newest = Math.max(0, ...signatures.keys())
  return await serveBeacon(
    { chain, groupHash, beaconId, latestRound: () => newest, signature: (round) => signatures.get(round) },
    { host, port }
  )
}
