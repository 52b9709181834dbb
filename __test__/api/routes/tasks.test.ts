import { describe, expect, it } from 'vitest'
import { NAME } from '../helpers/records.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN

describe('tasks', () => {
  it('are started with 202 and the path of their status', async () => {
    const world = createWorld()
    const response = await world.request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    expect(response.status).toBe(202)
    const { task_id } = world.node.tasks.list()[0]!
    expect(response.headers.get('Location')).toBe(`/api/vdf/status/${task_id}`)
    expect(await response.json()).toEqual({ task_id, message: `Registering ${NAME}: 1000000 squarings` })
  })

  it('that renew say what that gains and how many renewals are left', async () => {
    const world = createWorld()
    await world.own(NAME)
    const response = await world.request('POST', '/api/vdf/renew', { token, body: { name: NAME } })
    expect(await response.json()).toEqual({
      task_id: world.node.tasks.list()[0]!.task_id,
      gain_seconds: 100,
      left: 63,
      message: `Renewing ${NAME}: 250000 squarings; it moves the end of the lease by 100 s, and 63 renewals are left after it`
    })
  })

  it('get the zone that came with the request, labels of all kinds included', async () => {
    const world = createWorld()
    const zone = { records: { constructor: [{ type: 'A', value: '192.0.2.1' }] } }
    await world.request('POST', '/api/vdf/register', { token, body: { name: NAME, zone } })
    expect(world.calls.at(-1)).toEqual({ operation: 'register', arguments: [NAME, { zone }] })
  })

  it('name the running task when there is one already', async () => {
    const world = createWorld()
    await world.request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    const response = await world.request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      code: 'SVC-REG-002',
      task_id: world.node.tasks.list()[0]!.task_id
    })
  })

  it('are cancelled, then cleared by DELETE, and then unknown', async () => {
    const world = createWorld()
    const path = `/api/vdf/status/${world.node.tasks.create({ name: NAME, kind: 'register' }).task_id}`
    expect(await (await world.request('DELETE', path, { token })).json()).toEqual({ success: true })
    expect(await (await world.request('GET', path, { token })).json()).toMatchObject({
      status: 'failed',
      error: { code: 'SVC-TSK-003' }
    })
    expect((await world.request('DELETE', path, { token })).status).toBe(200)
    expect((await world.request('DELETE', path, { token })).status).toBe(404)
    expect((await world.request('GET', path, { token })).status).toBe(404)
  })

  it('are cancelled only while they run, where that is asked for', async () => {
    const world = createWorld()
    const path = `/api/vdf/status/${world.node.tasks.create({ name: NAME, kind: 'register' }).task_id}`
    expect(await (await world.request('DELETE', `${path}?only=ended`, { token })).json()).toMatchObject({
      status: 400,
      code: 'SVC-REQ-001',
      errors: [{ path: 'only' }]
    })
    expect(await (await world.request('GET', path, { token })).json()).toMatchObject({ status: 'running' })
    expect((await world.request('DELETE', `${path}?only=running`, { token })).status).toBe(200)
    expect(await (await world.request('DELETE', `${path}?only=running`, { token })).json()).toMatchObject({
      status: 409,
      code: 'SVC-TSK-004'
    })
    expect((await world.request('GET', path, { token })).status).toBe(200)
  })

  it('pause and resume', async () => {
    const world = createWorld()
    const path = `/api/vdf/tasks/${world.node.tasks.create({ name: NAME, kind: 'register' }).task_id}`
    expect(await (await world.request('POST', `${path}/pause`, { token })).json()).toMatchObject({ paused: true })
    expect(await (await world.request('POST', `${path}/resume`, { token })).json()).toMatchObject({
      paused: false,
      status: 'running'
    })
  })
})
