import { describe, expect, it } from 'vitest'
import { createWorld } from '../helpers/world.ts'

const status = async (response: Promise<Response>) => (await response).status

describe('the Host guard', () => {
  it.each([
    'localhost',
    'localhost:7468',
    'LOCALHOST',
    'localhost.',
    'chronym.localhost',
    '127.0.0.1:7468',
    '127.8.9.10',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]:7468',
    '[::1]:7468'
  ])('lets %s pass', async (host) => {
    expect(await status(createWorld().request('GET', '/healthz', { headers: { Host: host } }))).toBe(200)
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '192.168.1.5',
    '127.0.0.256',
    '[::2]',
    '[0:0:0:0:0:0:0:2]'
  ])('refuses "%s"', async (host) => {
    const response = await createWorld().request('GET', '/healthz', { headers: { Host: host } })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'SVC-AUT-002' })
  })

  it.each(['a b', 'localhost:x', '[1:2]', '[:::]', 'user@localhost', 'localhost, localhost', ''])(
    'takes "%s" for no Host',
    async (host) => {
      const response = await createWorld().request('GET', '/healthz', { headers: { Host: host } })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'SVC-REQ-001' })
    }
  )

  it.each([
    ['names.example', 'names.example:8080', 200],
    ['Names.Example', 'names.example', 200],
    ['names.example:8080', 'names.example:8080', 200],
    ['names.example:8080', 'names.example:9090', 403],
    ['192.168.1.5', '192.168.1.5:7468', 200],
    ['::2', '[::2]:7468', 200],
    ['::2', '[0:0::2]:7468', 200],
    ['[0:0::2]:80', '[::2]:80', 200],
    ['[0:0::2]:80', '[::2]:81', 403]
  ])('with %s allowed answers Host %s with %i', async (allowed, host, expected) => {
    const world = createWorld()
    world.state.allowedHosts = [allowed]
    expect(await status(world.request('GET', '/healthz', { headers: { Host: host } }))).toBe(expected)
  })
})

describe('the address listened on', () => {
  it.each([
    ['192.168.1.5', '192.168.1.5:7468'],
    ['fd00::5', '[fd00::5]:7468']
  ])('%s is a Host that is answered: %s', async (host, header) => {
    expect(await status(createWorld({ host }).request('GET', '/healthz', { headers: { Host: header } }))).toBe(200)
    expect(await status(createWorld({ host }).request('GET', '/healthz', { headers: { Host: 'evil.example' } }))).toBe(
      403
    )
  })

  it('remembers of earlier requests no Host that the configuration allows no more', async () => {
    const world = createWorld()
    const answers = async (...hosts: string[]) =>
      Promise.all(hosts.map((host) => status(world.request('GET', '/healthz', { headers: { Host: host } }))))
    world.state.allowedHosts = ['box.example']
    expect(await answers('localhost', 'localhost', 'evil.example', 'evil.example', 'box.example')).toEqual([
      200, 200, 403, 403, 200
    ])
    world.state.allowedHosts = []
    expect(await answers('box.example', 'localhost')).toEqual([403, 200])
  })
})
