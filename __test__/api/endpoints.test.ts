import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { ENDPOINTS, furnish } from './helpers/endpoints.ts'
import { createWorld, MAIN_TOKEN } from './helpers/world.ts'

const token = MAIN_TOKEN

describe('every endpoint', () => {
  it.each(ENDPOINTS)('$operation answers $status in the shape of its schema', async (each) => {
    const world = createWorld()
    const path = await furnish(world, each)
    const [method = ''] = each.operation.split(' ')
    const response = await world.request(method, path, { ...each, token: each.token ? token : undefined })
    expect(response.status).toBe(each.status)
    expect(response.headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/)
    if (each.schema === undefined) await response.body?.cancel()
    else expect(v.safeParse(each.schema, await response.json()).issues).toBeUndefined()
  })

  it.each(ENDPOINTS.filter(({ operation }) => operation.startsWith('GET')))(
    'HEAD answers as $operation does, without a body',
    async (each) => {
      const world = createWorld()
      const response = await world.request('HEAD', await furnish(world, each), {
        token: each.token ? token : undefined
      })
      expect(response.status).toBe(each.status)
      expect(await response.text()).toBe('')
      expect(world.openStreams()).toBe(0)
    }
  )
})
