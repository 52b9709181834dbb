import { bls12_381 } from '@noble/curves/bls12-381.js'
import { fetchBeacon, HttpCachingChain, HttpChainClient } from 'drand-client'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signDevPulse, startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import type { BeaconServer } from '../../src/beacon/server.ts'
import { roundTimeMs, pulseMessage } from '../../src/protocol/time.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/profile/built-in.ts'
import { bytes, quicknet } from './quicknet.ts'

const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const NOW = 1000

let server: BeaconServer

beforeAll(async () => {
  server = await startDevBeacon({
    host: '127.0.0.1',
    port: 0,
    profileBeacon: DEV_BEACON_CHAIN,
    now: () => roundTimeMs(NOW, DEV_BEACON_CHAIN),
    elapsed: () => 0
  })
})
afterAll(async () => {
  await server.close()
})

async function ask(path: string): Promise<{ status: number; body: Record<string, unknown>; cache: string | null }> {
  const response = await fetch(`${server.url}${path}`)
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    cache: response.headers.get('cache-control')
  }
}

describe('the dev beacon', () => {
  it('is accepted by drand\u2019s own client, key and chain hash pinned', async () => {
    const options = {
      disableBeaconVerification: false,
      noCache: false,
      chainVerificationParams: { chainHash: DEV_BEACON_CHAIN.chain_hash, publicKey: DEV_BEACON_CHAIN.public_key }
    }
    const chain = new HttpCachingChain(`${server.url}/${DEV_BEACON_CHAIN.chain_hash}`, options)
    const drand = new HttpChainClient(chain, options)
    expect((await fetchBeacon(drand, 7)).round).toBe(7)
    expect((await drand.latest()).round).toBe(NOW)
  })

  it('signs what noble verifies under the pinned key', () => {
    const { shortSignatures: bls } = bls12_381
    const verified = bls.verify(signDevPulse(42), bls.hash(pulseMessage(42), DST), bytes(DEV_BEACON_CHAIN.public_key))
    expect(verified).toBe(true)
  })

  it('serves the newest round as latest and as 0, and nothing of the future', async () => {
    expect((await ask('/public/latest')).body['round']).toBe(NOW)
    expect((await ask('/public/0')).body['round']).toBe(NOW)
    expect((await ask(`/public/${NOW}`)).status).toBe(200)
    expect((await ask(`/public/${NOW + 1}`)).status).toBe(404)
    expect((await ask('/public/999999999999999')).status).toBe(404)
  })

  it('tells caches what never changes and what does', async () => {
    expect((await ask('/public/5')).cache).toContain('immutable')
    expect((await ask('/public/latest')).cache).toBe('no-cache')
    expect((await ask(`/public/${NOW + 1}`)).cache).toBe('no-cache')
  })

  it('gives each pulse the randomness of its signature', async () => {
    const { body } = await ask(`/${DEV_BEACON_CHAIN.chain_hash}/public/77`)
    const signature = bytes(String(body['signature']))
    expect(body['randomness']).toBe(createHash('sha256').update(signature).digest('hex'))
  })

  it.each(['/public/-1', '/public/x', '/public/1e3', '/nowhere', `/${quicknet.chain_hash}/info`])(
    'answers 404 for %s',
    async (path) => {
      expect((await fetch(`${server.url}${path}`)).status).toBe(404)
    }
  )

  it('refuses to replace a chain whose key it lacks', async () => {
    await expect(startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: quicknet })).rejects.toMatchObject({
      code: 'BEACON_WRONG_CHAIN'
    })
  })

  it('follows the clock forwards, and goes on from there when it is set back', async () => {
    const time = { round: NOW, elapsedMs: 0, known: 0 }
    const jumping = await startDevBeacon({
      host: '127.0.0.1',
      port: 0,
      profileBeacon: DEV_BEACON_CHAIN,
      now: () => roundTimeMs(time.round, DEV_BEACON_CHAIN),
      elapsed: () => time.elapsedMs,
      known: () => time.known
    })
    const newest = async () => ((await (await fetch(`${jumping.url}/public/latest`)).json()) as { round: number }).round
    const wait = (rounds: number): void => {
      time.round += rounds
      time.elapsedMs += 1000 * rounds
    }
    const day = 86_400
    try {
      expect(await newest()).toBe(NOW)
      time.round += day
      expect(await newest()).toBe(NOW + day)
      time.round -= day
      expect(await newest()).toBe(NOW + day)
      for (const rounds of [0.5, 0.5, 2, 100]) wait(rounds)
      expect(await newest()).toBe(NOW + day + 103)
      wait(day)
      time.round += day
      expect(await newest(), 'the clock is ahead again').toBe(NOW + 2 * day + 103)
      time.known = NOW + 3 * day
      expect(await newest()).toBe(NOW + 3 * day)
      wait(7)
      expect(await newest(), 'after a round that others have').toBe(NOW + 3 * day + 7)
    } finally {
      await jumping.close()
    }
  })

  it('says so when its port is taken', async () => {
    await expect(
      startDevBeacon({ host: '127.0.0.1', port: server.port, profileBeacon: DEV_BEACON_CHAIN })
    ).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
