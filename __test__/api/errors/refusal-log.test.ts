import { describe, expect, it } from 'vitest'
import { createWorld } from '../helpers/world.ts'

describe('the log of refusals', () => {
  it('is sixty lines a minute, the next of which says how many were left out', async () => {
    const world = createWorld({
      limits: {
        anonymous: { perSecond: 1e6, burst: 1e6 },
        known: { perSecond: 1, burst: 1 },
        failedLogins: { perSecond: 1, burst: 1 }
      }
    })
    const refusals = () => world.logged.filter(({ code }) => code === 'SVC-RES-002')
    const ask = async (times: number) => {
      for (let sent = 0; sent < times; sent++) await world.request('GET', '/api/resolve/secret-wish.chronym')
    }
    await ask(75)
    expect(refusals()).toHaveLength(60)
    world.pass(60_000)
    await ask(2)
    expect(refusals()).toHaveLength(62)
    expect(
      refusals()
        .map(({ left_out }) => left_out)
        .slice(59)
    ).toEqual([undefined, 15, undefined])
  })

  it('holds no name that was looked up', async () => {
    const world = createWorld()
    for (const path of [
      '/api/resolve/secret-wish.chronym',
      '/api/zone/secret-wish.chronym',
      '/api/resolve/SECRET-WISH',
      '/api/resolve-kid/secret-wish'
    ])
      await world.request('GET', path)
    expect(world.logged.length).toBeGreaterThan(3)
    expect(JSON.stringify(world.logged)).not.toMatch(/secret-wish/i)
  })
})
