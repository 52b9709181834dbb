import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createBeaconClient, type BeaconClientOptions } from '../../src/beacon/client.ts'
import { startRelay, type BeaconServer } from '../../src/beacon/server.ts'
import type { BeaconChain, BeaconClient, VerifiedPulse } from '../../src/beacon/types.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { quicknet, recorded } from './quicknet.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0 }
const [first] = recorded as [VerifiedPulse]

let pool: NativePool
const cleanup: (() => Promise<void> | void)[] = []

beforeAll(() => {
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end()
})
afterAll(async () => {
  await pool.close()
})

function client(options: Partial<BeaconClientOptions> & { urls: readonly string[] }): BeaconClient {
  const created = createBeaconClient({ chain: quicknet, pool, ...options })
  cleanup.push(() => created.stop())
  return created
}

function closing(server: BeaconServer): BeaconServer {
  cleanup.push(() => server.close())
  return server
}

async function relay(
  pulses: readonly { round: number; signature: Uint8Array }[] = recorded,
  chain: BeaconChain = quicknet
): Promise<BeaconServer> {
  return closing(await startRelay({ ...LOOPBACK, chain, pulses }))
}

/** An HTTP server that answers every request in the way given, and counts them. */
async function oddServer(
  answer: (path: string) => { status: number; body: string } | 'never'
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const given = answer(request.url ?? '')
    if (given === 'never') return
    response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body)
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

/** A socket that was closed again: connections to it are refused. */
async function deadUrl(): Promise<string> {
  const server = await startRelay({ ...LOOPBACK, chain: quicknet, pulses: [] })
  await server.close()
  return server.url
}

describe('several sources', () => {
  it('goes on to the next when one is down, serves nonsense or another chain', async () => {
    const nonsense = await oddServer(() => ({ status: 200, body: '<html>' }))
    const failing = await oddServer(() => ({ status: 500, body: '{}' }))
    const tampered = first.signature.slice()
    tampered[1]! ^= 1
    const lying = await relay([{ round: 123, signature: tampered }])
    const beacon = client({ urls: [await deadUrl(), nonsense.url, failing.url, lying.url, (await relay()).url] })
    expect(await beacon.get(123)).toEqual(first)
  })

  it('asks the source that served last first from then on', async () => {
    const failing = await oddServer(() => ({ status: 500, body: '{}' }))
    const beacon = client({ urls: [failing.url, (await relay()).url] })
    await beacon.get(123)
    const asked = failing.requests.length
    await beacon.get(1000)
    expect(failing.requests).toHaveLength(asked)
  })

  it('names every source and its reason when none serves', async () => {
    const failing = await oddServer(() => ({ status: 503, body: '{}' }))
    const dead = await deadUrl()
    const beacon = client({ urls: [failing.url, dead] })
    const error = await beacon.get(123).catch((reason: unknown) => reason as Error)
    expect(error).toMatchObject({ code: 'BEACON_UNAVAILABLE' })
    expect((error as Error).message).toContain(`${failing.url}/${quicknet.chain_hash}/info answered 503`)
    expect((error as Error).message).toContain(dead)
  })

  it('stops reading an answer without end', async () => {
    const endless = await oddServer(() => ({ status: 200, body: ' '.repeat(100_000) }))
    const beacon = client({ urls: [endless.url] })
    await expect(beacon.get(123)).rejects.toThrow(/longer than/)
  })

  it('says what to set when no source is configured', async () => {
    await expect(client({ urls: [] }).get(1)).rejects.toThrow(/beacon\.urls/)
  })

  it('asks once for a round that many want', async () => {
    const { url, requests } = await oddServer((path) => ({
      status: 200,
      body: path.endsWith('/info')
        ? JSON.stringify({
            ...quicknet,
            genesis_time: quicknet.genesis,
            hash: quicknet.chain_hash,
            schemeID: quicknet.scheme
          })
        : JSON.stringify({ round: 123, signature: Buffer.from(first.signature).toString('hex') })
    }))
    const beacon = client({ urls: [url] })
    await Promise.all([beacon.get(123), beacon.get(123), beacon.get(123)])
    expect(requests.map((path) => path.split('/').pop())).toEqual(['info', '123'])
  })
})
