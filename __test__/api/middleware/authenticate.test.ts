import { describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const status = async (response: Promise<Response>) => (await response).status

describe('the Authorization header', () => {
  it.each([
    'Bearer wrong',
    'Bearer',
    'Basic dXNlcjpwYXNz',
    `Bearer ${MAIN_TOKEN}x`,
    `Token ${MAIN_TOKEN}`,
    `Bearer ${MAIN_TOKEN}, Bearer x`
  ])('%s is refused on a public path too', async (header) => {
    const response = await createWorld().request('GET', '/api/network-status', { headers: { Authorization: header } })
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="chronym"')
  })

  it.each([`Bearer ${MAIN_TOKEN}`, `bearer  ${MAIN_TOKEN}`])('%s is accepted', async (header) => {
    expect(await status(createWorld().request('GET', '/api/config', { headers: { Authorization: header } }))).toBe(200)
  })
})
