import { expect, it } from 'vitest'
import { prefixesOf } from '../../../../src/web/assets/network/peers.ts'

it('counts the peers of each prefix, most first', () => {
  const prefixes = ['b', 'a', 'b', null, 'c'].map((prefix) => ({ prefix }))
  expect(prefixesOf(prefixes)).toEqual([
    { prefix: 'b', count: 2 },
    { prefix: 'a', count: 1 },
    { prefix: 'c', count: 1 }
  ])
})
