/** Secrets in JSON, read as bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeSecretMember } from '../../../src/api/http/secret-body.ts'

const take = (json: string): string | undefined => takeSecretMember(Buffer.from(json), 'secret')?.toString()

/** With an escape for each code unit that `picks` has a number for: 1 in four digits, 2 in capitals too. */
function escaped(text: string, picks: readonly number[]): string {
  return JSON.stringify(text).replace(/(?<!\\)[^"\\]/gu, (character, at: number) => {
    const pick = picks[at % picks.length]!
    const hex = [...character.split('')]
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
    return pick === 0 || /^[a-z0-9]$/u.test(character)
      ? character
      : pick === 1
        ? hex
        : hex.toUpperCase().replaceAll('\\U', '\\u')
  })
}

describe('a secret member', () => {
  it('is what the parser would read, and leaves only its length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1 }),
        (text, picks) => {
          const body = `{"other": [{"secret": "of another"}], "secret" :\n${escaped(text, picks)}, "last": 1}`
          expect((JSON.parse(body) as { secret: string }).secret).toBe(text)
          const json = Buffer.from(body)
          const secret = takeSecretMember(json, 'secret')!
          expect(secret).toEqual(Buffer.from(text))
          expect(JSON.parse(json.toString())).toEqual({
            other: [{ secret: 'of another' }],
            secret: 'x'.repeat(secret.length),
            last: 1
          })
        }
      ),
      { seed: 1 }
    )
  })

  it.each([
    '{"secret": 1}',
    '{"secret": null}',
    '{"s\\u0065cret": "abc"}',
    '[{"secret": "abc"}]',
    '"secret": "abc"',
    ''
  ])('is not in %s', (json) => expect(take(json)).toBeUndefined())

  it('is not taken out of what is not UTF-8', () => {
    expect(takeSecretMember(Buffer.from('{"secret": "\xff"}', 'latin1'), 'secret')).toBeUndefined()
  })

  it.each([
    '{"secret": "abc',
    '{"secret": "abc\\',
    '{"secret": "a\nc"}',
    '{"secret": "a\\xc"}',
    '{"secret": "\\u12g4"}'
  ])('is refused in %j, which is not JSON, and not quoted', (json) =>
    expect(() => take(json)).toThrow(expect.objectContaining({ code: 'SVC-REQ-001', message: 'The body is not JSON.' }))
  )
})
