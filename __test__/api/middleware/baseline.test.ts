import { describe, expect, it } from 'vitest'
import { serve } from '../../../src/api/serve.ts'
import { createWorld } from '../helpers/world.ts'

describe('every answer', () => {
  it.each(['/', '/docs', '/errors/SVC-INT-001', '/api/network-status', '/nothing'])(
    'of %s forbids sniffing, caching and referrers',
    async (path) => {
      const { headers } = await createWorld().request('GET', path)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    }
  )
  it.each(['/', '/docs', '/api/network-status', '/nothing'])(
    'says so over a socket too, on %s to a page of an allowed origin as well',
    async (path) => {
      const world = createWorld()
      world.state.allowedOrigins = ['https://page.example']
      const server = await serve(world.services, { host: '127.0.0.1', port: 0 })
      try {
        for (const given of [{}, { Origin: 'https://page.example' }]) {
          const { headers } = await fetch(server.url + path, { headers: { ...given, 'X-Request-Id': 'mine' } })
          expect(Object.fromEntries(headers)).toMatchObject({
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            'x-request-id': 'mine'
          })
          expect(headers.get('Access-Control-Allow-Origin')).toBe('Origin' in given ? given.Origin : null)
        }
      } finally {
        await server.close()
      }
    }
  )
})
