import { createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { proofKey, proves, socketAddress } from '../../../src/api/daemon-proof.ts'
import { createWorld, INSTANCE, MAIN_TOKEN, type World } from '../helpers/world.ts'

const NONCE = 'ab'.repeat(32)
const ADDRESS = '127.0.0.1:7468'

const ask = (world: World, nonce = NONCE, address = ADDRESS): Promise<Response> =>
  world.request('GET', `/api/challenge?${new URLSearchParams({ nonce, address }).toString()}`)

describe('the challenge', () => {
  it('is answered as the OpenAPI document describes it, so that others can write a client', async () => {
    const key = new Uint8Array(hkdfSync('sha256', MAIN_TOKEN, '', 'chronym daemon proof v1', 32))
    const proof = createHmac('sha256', key).update(`["${NONCE}","${INSTANCE}","${ADDRESS}"]`).digest('hex')
    expect(await (await ask(createWorld())).json()).toEqual({ instance: INSTANCE, proof })
  })

  it.each(['127.0.0.1:7469', '127.0.0.2:7468', 'localhost:7468', '[::1]:7468', '127.0.0.1', ''])(
    'is not answered for %s, where the daemon did not get it',
    async (address) => {
      const response = await ask(createWorld(), NONCE, address)
      expect(response.status).toBe(421)
      expect(await response.json()).toMatchObject({ code: 'SVC-AUT-004' })
    }
  )

  it.each(['', 'ab', NONCE.toUpperCase(), `${NONCE}00`])('needs a whole nonce, not "%s"', async (nonce) => {
    const response = await ask(createWorld(), nonce)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-001', errors: [{ path: 'nonce' }] })
  })

  it('is answered with the new token from its rotation on', async () => {
    const world = createWorld()
    const proofBy = async (token: string): Promise<boolean> => {
      const { proof } = (await (await ask(world)).json()) as { proof: string }
      return proves(proofKey(token), { nonce: NONCE, instance: INSTANCE, address: ADDRESS }, proof)
    }
    expect(await proofBy(MAIN_TOKEN)).toBe(true)
    const next = world.services.tokens.rotate()
    expect([await proofBy(MAIN_TOKEN), await proofBy(next)]).toEqual([false, true])
  })

  it('is answered to the owner while a neighbour asks too much of everything else', async () => {
    const world = createWorld({
      limits: {
        anonymous: { perSecond: 1, burst: 1 },
        known: { perSecond: 1, burst: 1 },
        failedLogins: { perSecond: 1, burst: 1 }
      }
    })
    await world.request('GET', '/api/network-status')
    expect((await world.request('GET', '/api/network-status')).status).toBe(429)
    expect((await ask(world)).status).toBe(200)
  })
})

describe('a proof', () => {
  const statement = { nonce: NONCE, instance: INSTANCE, address: ADDRESS }

  it('is of no use for another nonce, start, address or token', async () => {
    const { proof } = (await (await ask(createWorld())).json()) as { proof: string }
    const key = proofKey(MAIN_TOKEN)
    expect(proves(key, statement, proof)).toBe(true)
    for (const other of [{ nonce: 'cd'.repeat(32) }, { instance: 'another' }, { address: '127.0.0.1:7469' }])
      expect(proves(key, { ...statement, ...other }, proof)).toBe(false)
    expect(proves(proofKey('another'), statement, proof)).toBe(false)
    expect(proves(key, statement, proof.slice(1))).toBe(false)
  })
})

describe('the address of a socket', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1:7468'],
    ['::ffff:127.0.0.1', '127.0.0.1:7468'],
    ['::FFFF:10.1.2.3', '10.1.2.3:7468'],
    ['::1', '[::1]:7468'],
    ['fe80::1%eth0', '[fe80::1]:7468']
  ])('%s is %s', (ip, text) => {
    expect(socketAddress(ip, 7468)).toBe(text)
  })
})
