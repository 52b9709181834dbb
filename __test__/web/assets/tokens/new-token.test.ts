import { expect, it } from 'vitest'
import { TokenScopeSchema } from '../../../../src/api/schemas/daemon.ts'
import { SCOPES, useOf, USES } from '../../../../src/web/assets/tokens/new-token.ts'

it('has words for every scope, and uses of these only', () => {
  expect(Object.keys(SCOPES)).toEqual(TokenScopeSchema.options)
  expect(USES.flatMap(({ scopes }) => scopes).filter((scope) => !(scope in SCOPES))).toEqual([])
})

it('tells the use that has just these scopes, in any order', () => {
  expect(useOf(['publish', 'read'])).toBe('zones')
  expect(useOf(['read'])).toBe('monitor')
  expect(useOf(['vdf'])).toBeUndefined()
  expect(useOf([])).toBeUndefined()
})
