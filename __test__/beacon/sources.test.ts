import { describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { startRelay } from '../../src/beacon/server.ts'
import type { VerifiedPulse } from '../../src/beacon/types.ts'
import { quicknet, recorded } from './quicknet.ts'
import { client, LOOPBACK, oddServer, relay } from './scene.ts'

const [first] = recorded as [VerifiedPulse]

/** A socket that was closed again: connections to it are refused. */
async function deadUrl(): Promise<string> {
  const server = await startRelay({ ...LOOPBACK, host: OWN_HOST, chain: quicknet, pulses: [] })
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

  it('follows no source to another address', async () => {
    const elsewhere = await oddServer(() => ({ status: 200, body: '{}' }))
    const leading = await oddServer(() => ({ status: 302, body: '', headers: { location: `${elsewhere.url}/info` } }))
    await expect(client({ urls: [leading.url] }).get(123)).rejects.toThrow(
      /answered 302, which is not followed: .*captive portal.* beacon\.urls has to name/
    )
    expect(elsewhere.requests).toEqual([])
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
