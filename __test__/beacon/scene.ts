/** A pool, and beacons and clients that end with each test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach } from 'vitest'
import { createBeaconClient, type BeaconClientOptions } from '../../src/beacon/client.ts'
import { startRelay, type BeaconServer } from '../../src/beacon/server.ts'
import type { BeaconChain, BeaconClient } from '../../src/beacon/types.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { quicknet, recorded } from './quicknet.ts'

export const LOOPBACK = { host: '127.0.0.1', port: 0 }

export const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
export const cleanup: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end()
})
afterAll(async () => {
  await pool.close()
})

export function client(options: Partial<BeaconClientOptions> & { urls: readonly string[] }): BeaconClient {
  const created = createBeaconClient({ chain: quicknet, pool, ...options })
  cleanup.push(() => created.stop())
  return created
}

export function closing(server: BeaconServer): BeaconServer {
  cleanup.push(() => server.close())
  return server
}

export async function relay(
  pulses: readonly { round: number; signature: Uint8Array }[] = recorded,
  chain: BeaconChain = quicknet
): Promise<BeaconServer> {
  return closing(await startRelay({ ...LOOPBACK, chain, pulses }))
}

/** An HTTP server that answers every request in the way given, and counts them. */
export async function oddServer(
  answer: (path: string) => { status: number; body: string; headers?: Record<string, string> } | 'never'
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const given = answer(request.url ?? '')
    if (given === 'never') return
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers }).end(given.body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanup.push(
    () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
