import { describe, expect, it } from 'vitest'
import { BeaconError } from '../../../src/beacon/types.ts'
import { OfflineError } from '../../../src/network/types.ts'
import { StoreError } from '../../../src/store/types.ts'
import { ERROR_TABLE, type ErrorCode } from '../../../src/error-table.ts'
import { createWorld } from '../helpers/world.ts'

describe('errors of parts that know no HTTP', () => {
  const named = (name: string, extra: object = {}) =>
    Object.assign(new Error('with a /secret/path'), { name, ...extra })

  it.each([
    [
      new StoreError('full', 'with a /secret/path'),
      'SVC-STO-001',
      'The disk of the data directory is full. Nothing that was stored is lost.'
    ],
    [
      new StoreError('failing', 'with a /secret/path'),
      'SVC-STO-001',
      'The store of the daemon cannot write. Nothing that was stored is lost.'
    ],
    [
      named('Error', { code: 'ENOSPC' }),
      'SVC-STO-001',
      'The data directory cannot be written. Nothing that was stored is lost.'
    ],
    [
      named('TypeError'),
      'SVC-INT-001',
      'The request failed with an unexpected error. The log has it under this request id.'
    ]
  ] as const)('%s becomes %s, with its stack in the log alone', async (failure, code, detail) => {
    expect(await provoke(failure)).toMatchObject({
      body: { code, detail },
      logged: [{ level: 50, code, err: expect.objectContaining({ message: 'with a /secret/path' }) }]
    })
  })

  it.each([
    [new BeaconError('BEACON_UNAVAILABLE', 'no beacon answered'), 'SVC-BCN-001'],
    [new OfflineError('no peer of this network is connected'), 'SVC-RES-001']
  ] as const)('%s becomes %s, which is not a fault of the daemon: a warning without a stack', async (failure, code) => {
    const { body, logged } = await provoke(failure)
    expect(body).toMatchObject({ code, detail: failure.message })
    expect(logged).toEqual([expect.objectContaining({ level: 40, code, msg: failure.message })])
    expect(JSON.stringify(logged)).not.toContain('stack')
  })

  async function provoke(failure: Error) {
    const world = createWorld()
    world.failures.set('resolve', failure)
    const response = await world.request('GET', '/api/resolve/alice.chronym', { headers: { 'X-Request-Id': 'req-7' } })
    const body = (await response.json()) as Record<string, unknown>
    const code = body['code'] as ErrorCode
    expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type'])
    expect(body).toMatchObject({
      type: `/errors/${code}`,
      title: ERROR_TABLE[code].title,
      status: ERROR_TABLE[code].status,
      request_id: 'req-7'
    })
    return {
      body,
      logged: world.logged.filter(({ request_id, code: logged }) => request_id === 'req-7' && logged !== undefined)
    }
  }
})
