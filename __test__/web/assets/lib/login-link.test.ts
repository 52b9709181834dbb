import { expect, it } from 'vitest'

interface Module {
  readonly takeLoginLink: (window: {
    readonly location: { readonly hash: string; readonly pathname: string }
    readonly history: { readonly replaceState: (state: null, title: '', url: string) => void }
  }) => string | undefined
}
const LOGIN_LINK = '../../../../src/web/assets/lib/router.ts'

it.each([
  ['#login=a-b_c', 'a-b_c', ['/#/']],
  ['#/names', undefined, []],
  ['', undefined, []]
])('takes the secret out of the address "%s"', async (hash, secret, addresses) => {
  const { takeLoginLink } = (await import(LOGIN_LINK)) as Module
  const shown: string[] = []
  const history = { replaceState: (_state: null, _title: '', url: string) => void shown.push(url) }
  expect(takeLoginLink({ location: { hash, pathname: '/' }, history })).toBe(secret)
  expect(shown).toEqual(addresses)
})
