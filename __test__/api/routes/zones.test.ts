import { describe, expect, it } from 'vitest'
import type { TokenScope } from '../../../src/api/schemas/daemon.ts'
import { ServiceError } from '../../../src/errors.ts'
import { NAME, REVEAL, revealWith } from '../helpers/records.ts'
import { createWorld, MAIN_TOKEN, type World } from '../helpers/world.ts'

const token = MAIN_TOKEN
const PATH = `/api/zone/${NAME}`
const records = { '@': [{ type: 'A' as const, value: '192.0.2.5' }] }
const LOCAL = { serial: 5, records }

/** The name is somebody else's. */
function published(): World {
  const world = createWorld()
  world.hold(REVEAL)
  return world
}

/** The name is ours. Its zone is published with serial 4. */
async function owned(): Promise<World> {
  const world = createWorld()
  await world.own(NAME, { records: { '@': [{ type: 'TXT', value: '"network"' }] } }, 4)
  return world
}

/** And it has a draft. */
async function both(): Promise<World> {
  const world = await owned()
  world.node.registry.saveZone(NAME, LOCAL)
  return world
}

describe('the check of a zone', () => {
  const check = async (world: World, value: string) => {
    const body = { records: { www: [{ type: 'A', value }] } }
    return world.request('POST', `${PATH}/check`, { token, body })
  }

  it('says what saving would refuse, with the place of each fault, and saves nothing', async () => {
    const world = createWorld()
    expect(await (await check(world, '192.0.2.1')).json()).toEqual({ valid: true, errors: [] })
    const response = await check(world, 'nonsense')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      valid: false,
      errors: [{ path: 'records/www/0/value', message: 'www: A: "nonsense" is not an IPv4 address' }]
    })
    expect(world.node.registry.drafts()).toEqual([])
  })

  it('passes other failures on', async () => {
    const world = createWorld()
    world.failures.set('checkZone', new ServiceError('SVC-NAM-002', 'Reserved.'))
    expect((await check(world, '192.0.2.1')).status).toBe(403)
  })
})

describe('the source of a zone', () => {
  it('is the network without a token', async () => {
    const response = await (await both()).request('GET', PATH)
    expect(response.headers.get('X-Zone-Source')).toBe('network')
    expect(await response.json()).toMatchObject({ serial: 4 })
  })

  it('is the local zone with a token', async () => {
    const response = await (await both()).request('GET', PATH, { token })
    expect(response.headers.get('X-Zone-Source')).toBe('local')
    expect(await response.json()).toEqual(LOCAL)
  })

  it('is the network with a token when there is no local zone', async () => {
    const response = await published().request('GET', PATH, { token })
    expect(response.headers.get('X-Zone-Source')).toBe('network')
  })

  it('is the local zone before the name is registered', async () => {
    const world = createWorld()
    world.node.tasks.create({ name: NAME, kind: 'register' })
    await world.request('POST', PATH, { token, body: LOCAL })
    expect((await world.request('GET', PATH)).status).toBe(404)
    expect((await world.request('GET', PATH, { token })).headers.get('X-Zone-Source')).toBe('local')
  })

  it.each([
    ['read', 'local'],
    ['publish', 'local'],
    ['vdf', 'network']
  ] as [TokenScope, string][])('with a token for %s only is %s', async (scope, source) => {
    const world = await both()
    const narrow = world.services.tokens.create([scope]).token
    expect((await world.request('GET', PATH, { token: narrow })).headers.get('X-Zone-Source')).toBe(source)
  })

  it('of a reserved name is the same for those with a token', async () => {
    const world = createWorld()
    world.failures.set('localZone', new ServiceError('SVC-NAM-002', 'Reserved.'))
    expect((await world.request('GET', PATH, { token })).status).toBe(404)
    world.failures.set('localZone', new ServiceError('SVC-STO-001', 'Failing.'))
    expect((await world.request('GET', PATH, { token })).status).toBe(507)
  })

  it('is refused with SVC-ZON-001 when the payload is not a zone', async () => {
    const world = createWorld()
    world.hold(revealWith(new Uint8Array([1, 2, 3])))
    const response = await world.request('GET', PATH)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: 'SVC-ZON-001' })
  })
})

describe('the ETag of a zone', () => {
  it('is made from its serial, when read and when saved', async () => {
    const world = await both()
    expect((await world.request('GET', PATH, { token })).headers.get('ETag')).toBe('"5"')
    expect((await world.request('POST', PATH, { token, body: { records } })).headers.get('ETag')).toBe('"6"')
  })

  it.each(['"5"', 'W/"5"', '"1", "5"', '*'])('in If-None-Match: %s answers 304 without a body', async (tag) => {
    const response = await (await both()).request('GET', PATH, { token, headers: { 'If-None-Match': tag } })
    expect(response.status).toBe(304)
    expect(response.headers.get('ETag')).toBe('"5"')
    expect(await response.text()).toBe('')
  })

  it('in If-None-Match that is another answers the zone', async () => {
    expect((await (await both()).request('GET', PATH, { token, headers: { 'If-None-Match': '"4"' } })).status).toBe(200)
  })

  it.each(['"5"', '*', '"3", "5"'])('in If-Match: %s lets the change through', async (tag) => {
    const response = await (
      await both()
    ).request('POST', PATH, { token, body: { records }, headers: { 'If-Match': tag } })
    expect(await response.json()).toEqual({ success: true, serial: 6 })
  })

  it.each(['"4"', 'W/"5"', '5', 'garbage', ''])('in If-Match: %s stops it and saves nothing', async (tag) => {
    const world = await both()
    const response = await world.request('POST', PATH, { token, body: { records: {} }, headers: { 'If-Match': tag } })
    expect(response.status).toBe(412)
    expect(await response.json()).toMatchObject({ code: 'SVC-ZON-004' })
    expect(world.node.registry.localZone(NAME)).toMatchObject({ zone: LOCAL, state: 'draft' })
  })

  it('in If-Match: * stops it when there is no zone yet', async () => {
    expect(
      (await createWorld().request('POST', PATH, { token, body: LOCAL, headers: { 'If-Match': '*' } })).status
    ).toBe(412)
  })
})

describe('saving a zone', () => {
  it('hands the registry the body as it came, labels of all kinds included', async () => {
    const world = createWorld()
    const records = { constructor: [{ type: 'TXT', value: '"a"' }], toString: [{ type: 'TXT', value: '"b"' }] }
    await world.request('POST', PATH, { token, body: { records } })
    expect(world.calls.at(-1)?.arguments).toEqual([NAME, { records }, undefined])
  })

  it('names the label and the record that break a rule', async () => {
    const response = await createWorld().request('POST', PATH, {
      token,
      body: { records: { www: [{ type: 'A', value: 'x' }] } }
    })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      code: 'SVC-ZON-002',
      errors: [{ path: 'records/www/0/value', message: 'www: A: "x" is not an IPv4 address' }]
    })
  })

  it.each([
    { records: [] },
    { records: null },
    {},
    { records: { '@': {} } },
    { records: { '@': [{ type: 'A' }] } },
    { records: { '@': [{ type: 'A', value: 'x', ttl: '60' }] } }
  ])('refuses the shape %j', async (body) => {
    const response = await createWorld().request('POST', PATH, { token, body })
    expect(await response.json()).toMatchObject({
      code: 'SVC-REQ-001',
      errors: [{ path: expect.stringMatching(/^records/) as string }]
    })
  })
})

describe('a change of some records', () => {
  const add = { www: [{ type: 'A', value: '192.0.2.9' }] }

  it('is handed on as it came, labels of all kinds included, with the serial of If-Match', async () => {
    const world = await both()
    const records = { constructor: [{ type: 'TXT', value: '"a"' }] }
    const remove = [{ label: '@', type: 'A', value: '192.0.2.5' }]
    const response = await world.request('PATCH', PATH, {
      token,
      body: { add: records, remove },
      headers: { 'If-Match': '"5"' }
    })
    expect(await response.json()).toEqual({ success: true, serial: 6 })
    expect(response.headers.get('ETag')).toBe('"6"')
    expect(world.calls.at(-1)?.arguments).toEqual([NAME, { add: records, remove }, 5])
  })

  it('of two editors is taken from the first only', async () => {
    const world = await both()
    const send = () => world.request('PATCH', PATH, { token, body: { add }, headers: { 'If-Match': '"5"' } })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(412)
  })

  it.each([
    [],
    {},
    { add: [] },
    { remove: {} },
    { remove: [{ type: 'A' }] },
    { add: { www: {} } },
    { add: { www: [{ type: 'A' }] } }
  ])('refuses the shape %j', async (body) => {
    const response = await (await both()).request('PATCH', PATH, { token, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-001' })
  })

  it.each(['PATCH', 'DELETE'])('needs the scope publish: %s', async (method) => {
    const world = await both()
    const body = method === 'PATCH' ? { add } : undefined
    expect((await world.request(method, PATH, { body })).status).toBe(401)
    expect(
      (await world.request(method, PATH, { body, token: world.services.tokens.create(['read']).token })).status
    ).toBe(403)
    expect(
      (await world.request(method, PATH, { body, token: world.services.tokens.create(['publish']).token })).status
    ).toBe(200)
  })
})

describe('drafts', () => {
  it('are listed, told from what is published, and discarded', async () => {
    const world = await both()
    expect((await world.request('GET', PATH, { token })).headers.get('X-Zone-State')).toBe('draft')
    expect(await (await world.request('GET', '/api/drafts', { token })).json()).toMatchObject([
      { name: NAME, serial: 5 }
    ])
    expect((await world.request('DELETE', PATH, { token, headers: { 'If-Match': '"4"' } })).status).toBe(412)
    expect((await world.request('DELETE', PATH, { token, headers: { 'If-Match': '"5"' } })).status).toBe(200)
    expect((await world.request('GET', PATH, { token })).headers.get('X-Zone-State')).toBe('published')
    expect((await world.request('DELETE', PATH, { token })).status).toBe(404)
  })

  it('are not shown to everybody', async () => {
    expect((await (await both()).request('GET', '/api/drafts')).status).toBe(401)
  })
})
