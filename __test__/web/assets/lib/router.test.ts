import { describe, expect, it } from 'vitest'
import { match, parseHash, takeLoginLink, to } from '../../../../src/web/assets/lib/router.ts'

describe('an address of the dashboard', () => {
  it.each([
    ['', '/', {}],
    ['#', '/', {}],
    ['#main', '/', {}],
    ['#/names', '/names', {}],
    ['#/lookup/a.chronym?why=1', '/lookup/a.chronym', { why: '1' }]
  ])('%s is the view %s', (hash, path, query) => {
    expect(parseHash(hash)).toEqual({ path, query })
  })

  it.each([
    ['/', '/', {}],
    ['/', '/names', undefined],
    ['/names', '/names', {}],
    ['/names', '/names/alice.chronym', undefined],
    ['/names/:name', '/names/alice.chronym', { name: 'alice.chronym' }],
    ['/names/:name', '/names', undefined],
    ['/lookup/:name?', '/lookup', {}],
    ['/lookup/:name?', '/lookup/alice.chronym', { name: 'alice.chronym' }],
    ['/identities/:did', '/identities/did%3Akid%3Ax%2Fy', { did: 'did:kid:x/y' }],
    ['/identities/:did', '/identities/%', undefined]
  ])('of pattern %s fits %s or not', (pattern, path, params) => {
    expect(match(pattern, path)).toEqual(params)
  })

  it('has its parts escaped, and comes back', () => {
    const hash = to('identities', 'did:kid:x/y?z#1')
    expect(match('/identities/:did', parseHash(hash).path)).toEqual({ did: 'did:kid:x/y?z#1' })
  })
})

it.each([
  ['#login=a-b_c', 'a-b_c', ['/#/']],
  ['#/names', undefined, []],
  ['', undefined, []]
])('takes the secret out of the address "%s"', (hash, secret, addresses) => {
  const shown: string[] = []
  const history = { replaceState: (_state: null, _title: string, url: string) => void shown.push(url) }
  expect(takeLoginLink({ location: { hash, pathname: '/' }, history })).toBe(secret)
  expect(shown).toEqual(addresses)
})
