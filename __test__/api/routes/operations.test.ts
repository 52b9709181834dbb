import { describe, expect, it } from 'vitest'
import { ERROR_TABLE } from '../../../src/error-table.ts'
import { NAME } from '../helpers/records.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN

describe('operations', () => {
  it('reports not ready with 503 and the failing check', async () => {
    const world = createWorld()
    world.state.checks = [{ name: 'peers', ok: false, detail: 'no peer' }]
    const response = await world.request('GET', '/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ready: false, checks: [{ name: 'peers', ok: false, detail: 'no peer' }] })
  })

  it('counts requests by route, never by the path of a stranger', async () => {
    const world = createWorld()
    await world.request('GET', `/api/resolve/${NAME}`)
    await world.request('GET', '/wp-admin')
    const text = await (await world.request('GET', '/metrics', { token })).text()
    expect(text).toContain(
      'chronym_http_request_duration_seconds_count{method="GET",route="/api/resolve/:name",status="404"} 1'
    )
    expect(text).toContain('route="none",status="404"} 1')
    expect(text).not.toContain('wp-admin')
  })

  it.each([
    ['text/html,application/xhtml+xml', 'text/html; charset=utf-8'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json']
  ])('explains an error to Accept: %s as %s', async (accept, type) => {
    const response = await createWorld().request('GET', '/errors/SVC-TSK-003', { headers: { Accept: accept } })
    expect(response.headers.get('Content-Type')).toBe(type)
    expect(await response.text()).toContain('SVC-TSK-003')
  })

  it('shows each error in the colours of the browser, with commands as code and codes as links', async () => {
    const world = createWorld()
    for (const code of Object.keys(ERROR_TABLE)) {
      const page = await (await world.request('GET', `/errors/${code}`, { headers: { Accept: 'text/html' } })).text()
      expect(page, code).toContain('<meta name="color-scheme" content="light dark">')
      expect(page, code).not.toContain('`')
      const [, body] = page.split('</h1>')
      const bare = body!.replaceAll(/<a href="\/errors\/(?<code>[^"]+)">\k<code><\/a>/gu, '')
      expect(bare, code).not.toMatch(/SVC-[A-Z]{3}-\d{3}/u)
    }
  })
})
