import * as v from 'valibot'
import { expect, it } from 'vitest'
import { faultOf } from '../../../src/protocol/encoding/issue.ts'

const Schema = v.strictObject({
  lease: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(9)),
  scope: v.picklist(['test', 'public']),
  hosts: v.pipe(v.array(v.strictObject({ port: v.number() })), v.minLength(1)),
  key: v.pipe(v.string(), v.regex(/^k/, 'must begin with k'))
})

const GOOD = { lease: 7, scope: 'test', hosts: [{ port: 1 }], key: 'k' }

it.each([
  [{ ...GOOD, lease: undefined, leese: 7 }, 'lease: is missing, and leese is unknown'],
  [{ ...GOOD, hosts: [{}], leese: 7 }, 'hosts.0.port: is missing'],
  [{ ...GOOD, more: 1 }, 'more: unknown field'],
  [{ ...GOOD, lease: '7 days' }, 'lease: must be a number, not "7 days"'],
  [{ ...GOOD, lease: {} }, 'lease: must be a number, not an object'],
  [{ ...GOOD, lease: 1.5 }, 'lease: must be a whole number, not 1.5'],
  [{ ...GOOD, lease: 0 }, 'lease: must be 1 or more, not 0'],
  [{ ...GOOD, lease: 10 }, 'lease: must be at most 9, not 10'],
  [{ ...GOOD, scope: 'publik' }, 'scope: must be "test" or "public", not "publik"'],
  [{ ...GOOD, hosts: [] }, 'hosts: must have a length of 1 or more, not 0'],
  [{ ...GOOD, key: 'x' }, 'key: must begin with k'],
  [{ ...GOOD, key: null }, 'key: must be a text, not null'],
  [{ ...GOOD, hosts: 'x'.repeat(99) }, `hosts: must be a list, not "${'x'.repeat(59)}...`],
  [3, 'must be an object, not 3']
])('%j has the fault: %s', (json, fault) => {
  const { issues } = v.safeParse(Schema, json)
  expect(faultOf(issues!)).toBe(fault)
})
