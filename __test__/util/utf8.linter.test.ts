/** The rule of the linter against decoders that put U+FFFD in place of octets. */
import { ESLint } from 'eslint'
import { expect, it } from 'vitest'

it('no other decoder passes the linter', async () => {
  const linter = new ESLint()
  const code = `
import { readFileSync } from 'node:fs'
export const texts = [
  new TextDecoder().decode(new Uint8Array()),
  readFileSync('file', 'utf8'),
  readFileSync('file', { encoding: 'utf8' }),
  Buffer.from('').toString('utf8')
]
`
  const [result] = await linter.lintText(code, { filePath: 'src/util/utf8.ts' })
  const found = result!.messages.filter(({ ruleId }) => ruleId === 'no-restricted-syntax')
  expect(found.map(({ line }) => line)).toEqual([4, 5, 6, 7])
})
