import { describe, expect, it } from 'vitest'
import { createTokenService } from '../../../src/api/access/tokens.ts'
import { full, MemoryStore } from '../../registry/claims/fakes.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

function service(main: string | undefined = MAIN_TOKEN, store = new MemoryStore()) {
  const file = { token: main }
  const tokens = createTokenService({
    store,
    prefix: 'token/',
    readMainToken: () => file.token,
    writeMainToken: (token) => (file.token = token),
    now: () => Date.parse('2026-11-21T12:00:00Z')
  })
  return { tokens, file, store }
}

describe('the main token', () => {
  it('is made on the first start: 32 random bytes, base64url', () => {
    const { tokens, file } = service('')
    expect(file.token).toMatch(/^[\w-]{43}$/)
    expect(tokens.verify(file.token)).toEqual(['admin'])
  })

  it('is the one in the file, with or without a newline', () => {
    expect(service(`${MAIN_TOKEN}\n`).tokens.verify(MAIN_TOKEN)).toEqual(['admin'])
  })

  it('stops working at once when it is replaced', () => {
    const { tokens, file } = service()
    const next = tokens.rotate()
    expect(file.token).toBe(next)
    expect(tokens.verify(MAIN_TOKEN)).toBeUndefined()
    expect(tokens.verify(next)).toEqual(['admin'])
  })

  it('stays the old one when the file cannot be written', async () => {
    const world = createWorld()
    world.store.onWrite = full
    expect((await world.request('POST', '/api/tokens/rotate', { token: MAIN_TOKEN })).status).toBe(507)
    expect(world.services.tokens.verify(MAIN_TOKEN)).toEqual(['admin'])
  })
})

describe('a narrower token', () => {
  it('has its scopes, and only its hash is stored', () => {
    const { tokens, store } = service()
    const { token, id } = tokens.create(['read', 'vdf'], 'laptop')
    expect(tokens.verify(token)).toEqual(['read', 'vdf'])
    expect(tokens.list()).toEqual([
      { id, scopes: ['read', 'vdf'], created_at: '2026-11-21T12:00:00.000Z', label: 'laptop' }
    ])
    expect(new TextDecoder().decode(store.get(`token/${id}`))).not.toContain(token)
  })

  it('survives a restart, and its end does too', () => {
    const { tokens, store } = service()
    const kept = tokens.create(['read'])
    const ended = tokens.create(['vdf'])
    expect(tokens.revoke(ended.id)).toBe(true)
    const again = service(MAIN_TOKEN, store).tokens
    expect(again.verify(kept.token)).toEqual(['read'])
    expect(again.verify(ended.token)).toBeUndefined()
  })

  it('is revoked once', () => {
    const { tokens } = service()
    const { id } = tokens.create(['read'])
    expect([tokens.revoke(id), tokens.revoke(id), tokens.revoke('unknown')]).toEqual([true, false, false])
  })
})

describe('the routes of tokens', () => {
  const token = MAIN_TOKEN

  it('show a token once', async () => {
    const world = createWorld()
    const created = (await (
      await world.request('POST', '/api/tokens', { token, body: { scopes: ['read', 'read'] } })
    ).json()) as { token: string; scopes: string[] }
    expect(created.scopes).toEqual(['read'])
    expect(await (await world.request('GET', '/api/tokens', { token })).text()).not.toContain(created.token)
    expect((await world.request('GET', '/api/owned-names', { token: created.token })).status).toBe(200)
  })

  it.each([{ scopes: [] }, { scopes: ['root'] }, { scopes: 'read' }, { scopes: ['read'], label: 'x'.repeat(101) }, {}])(
    'refuse %j',
    async (body) => {
      expect((await createWorld().request('POST', '/api/tokens', { token, body })).status).toBe(400)
    }
  )
})
