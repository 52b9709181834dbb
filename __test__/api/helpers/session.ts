/** The dashboard's session, as a browser has it. */
import { expect } from 'vitest'
import { MAIN_TOKEN, type World } from './world.ts'

export const status = async (response: Promise<Response>) => (await response).status

export const HOST = 'localhost:7468'
export const ORIGIN = 'http://localhost:7468'

/** The Set-Cookie header, and behind a bar the secret of the page. */
export async function login(world: World, token = MAIN_TOKEN): Promise<string> {
  const response = await world.request('POST', '/session', { body: { token }, headers: { Host: HOST, Origin: ORIGIN } })
  expect(response.status).toBe(200)
  const { secret } = (await response.json()) as { secret: string }
  return `${response.headers.get('Set-Cookie')!}|${secret}`
}

export const withCookie = (cookie: string, more: Record<string, string> = {}) => ({
  headers: { Host: HOST, Cookie: cookie.split(';')[0]!, 'X-Session-Secret': cookie.split('|')[1]!, ...more }
})
