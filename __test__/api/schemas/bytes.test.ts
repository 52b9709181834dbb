import { describe, expect, it } from 'vitest'
import { NAME, REVEAL, REVEAL_BODY } from '../helpers/records.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

const token = MAIN_TOKEN

describe('byte fields of a request', () => {
  const spellings = {
    'an array of integers': [...REVEAL.pubkey],
    'base64 with padding': Buffer.from(REVEAL.pubkey).toString('base64'),
    'base64 without padding': Buffer.from(REVEAL.pubkey).toString('base64').replace(/=+$/, ''),
    'URL-safe base64': Buffer.from(REVEAL.pubkey).toString('base64url')
  }

  it.each(Object.entries(spellings))('may be %s', async (_spelling, pubkey) => {
    const world = createWorld()
    const response = await world.request('POST', '/api/publish', {
      token,
      body: { reveal: { ...REVEAL_BODY, pubkey } }
    })
    expect(response.status).toBe(200)
    expect(world.network.peers[0]!.reveals.get(NAME)?.reveal).toEqual(REVEAL)
  })

  const refused: [string, unknown, string][] = [
    ['a wrong length', [1, 2, 3], 'Expected 32 bytes'],
    ['an integer over 255', [256], 'Expected an integer from 0 to 255'],
    ['a negative integer', [-1], 'Expected an integer from 0 to 255'],
    ['a fraction', [1.5], 'Expected an integer from 0 to 255'],
    ['text that is not base64', '***', 'Expected base64 text'],
    ['base64 of both alphabets', '+_'.repeat(22), 'Expected base64 text'],
    ['base64 with bits left over', `${'A'.repeat(42)}B`, 'Expected base64 text'],
    ['a number', 5, 'Expected an array of integers from 0 to 255, or base64 text'],
    ['null', null, 'Expected an array of integers from 0 to 255, or base64 text']
  ]
  it.each(refused)('may not be %s', async (_what, hash, message) => {
    const response = await createWorld().request('POST', '/api/commit', {
      token,
      body: { name: NAME, commitment: { hash } }
    })
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: { path: string; message: string }[] }
    expect(errors[0]).toEqual({
      path: Array.isArray(hash) && hash.length === 1 ? 'commitment/hash/0' : 'commitment/hash',
      message
    })
  })
})
