import { describe, expect, it } from 'vitest'
import type { TokenScope } from '../../../src/api/schemas/daemon.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

describe('an explanation', () => {
  it('has what concerns this daemon itself only for those who may read', async () => {
    const world = createWorld()
    await world.own('alice.chronym')
    const own = async (token?: string): Promise<unknown> => {
      const response = await world.request(
        'GET',
        '/api/explain/alice.chronym',
        token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
      )
      expect(response.headers.get('Vary')).toContain('Authorization')
      return ((await response.json()) as { own: unknown }).own
    }
    expect(await own()).toBeNull()
    expect(await own(world.services.tokens.create(['publish']).token)).toBeNull()
    expect(await own(world.services.tokens.create(['read']).token)).not.toBeNull()
    expect(await own(MAIN_TOKEN)).not.toBeNull()
  })
})

describe('scopes', () => {
  const calls: [string, string, unknown, TokenScope[]][] = [
    ['GET', '/api/config', undefined, ['read']],
    ['GET', '/api/owned-names', undefined, ['read']],
    ['GET', '/api/tokens', undefined, ['read']],
    ['GET', '/api/pins', undefined, ['read']],
    ['GET', '/api/pin-lists', undefined, ['read']],
    ['POST', '/api/pin-lists', {}, []],
    ['GET', '/api/wanted', undefined, ['read']],
    ['GET', '/api/seed', undefined, ['read']],
    ['POST', '/api/seed/unlock', {}, ['admin']],
    ['POST', '/api/seed/lock', undefined, ['admin']],
    ['POST', '/api/wanted', {}, ['publish']],
    ['DELETE', '/api/wanted/none.chronym', undefined, ['publish']],
    ['GET', '/metrics', undefined, ['read']],
    ['GET', '/api/vdf/tasks', undefined, ['read', 'vdf']],
    ['GET', '/api/farm', undefined, ['read', 'vdf']],
    ['GET', '/api/vdf/status/none', undefined, ['read', 'vdf']],
    ['POST', '/api/vdf/register', {}, ['vdf']],
    ['POST', '/api/vdf/renew', {}, ['vdf']],
    ['POST', '/api/vdf/estimate', {}, ['read', 'vdf']],
    ['DELETE', '/api/vdf/status/none', undefined, ['vdf']],
    ['POST', '/api/vdf/tasks/none/pause', undefined, ['vdf']],
    ['POST', '/api/vdf/tasks/none/move', {}, ['vdf']],
    ['POST', '/api/commit', {}, ['publish']],
    ['POST', '/api/publish', {}, ['publish']],
    ['POST', '/api/publish-kid', {}, ['publish']],
    ['POST', '/api/publish-manifest', {}, ['publish']],
    ['POST', '/api/zone/alice.chronym', {}, ['publish']],
    ['POST', '/api/zone/alice.chronym/publish', undefined, ['publish']],
    ['POST', '/api/config', {}, []],
    ['POST', '/api/tokens', {}, []],
    ['POST', '/api/tokens/rotate', undefined, []],
    ['DELETE', '/api/tokens/none', undefined, []],
    ['DELETE', '/api/pins/none.chronym', undefined, []]
  ]
  const everyScope: TokenScope[] = ['read', 'vdf', 'publish', 'admin']

  it.each(calls)('%s %s is open to those that name it, and to admin', async (method, path, body, scopes) => {
    const world = createWorld()
    for (const scope of everyScope) {
      const { token } = world.services.tokens.create([scope])
      const response = await world.request(method, path, { token, body })
      const forbidden = response.status === 403 && ((await response.json()) as { code: string }).code === 'SVC-AUT-002'
      expect([scope, forbidden]).toEqual([scope, scope !== 'admin' && !scopes.includes(scope)])
    }
  })

  it.each(['register', 'renew'])('a zone that a task is to publish needs publish beside vdf: %s', async (kind) => {
    const world = createWorld()
    const zone = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
    const ask = async (scopes: TokenScope[], body: object): Promise<{ code?: string; detail?: string }> => {
      const { token } = world.services.tokens.create(scopes)
      return (await world.request('POST', `/api/vdf/${kind}`, { token, body })).json() as Promise<{ code?: string }>
    }
    const refused = await ask(['vdf'], { name: 'alice.chronym', zone })
    expect(refused).toMatchObject({ code: 'SVC-AUT-002' })
    expect(refused.detail).toContain('zone')
    expect(world.calls).toEqual([])
    expect(await ask(['vdf', 'publish'], { name: 'alice.chronym', zone })).not.toMatchObject({ code: 'SVC-AUT-002' })
    expect(await ask(['vdf'], { name: 'bob.chronym' })).not.toMatchObject({ code: 'SVC-AUT-002' })
  })
})
