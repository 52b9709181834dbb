import { expect, it } from 'vitest'
import { machineRecord, nextStep } from '../../../../src/web/assets/names/next-step.ts'

const EMPTY = {}
const TEXT = { '@': [{ type: 'TXT', value: '"x"' }] }
const POINTS = { www: [{ type: 'AAAA', value: '2001:db8::1' }] }

it.each([
  [EMPTY, true, 0, [], 'point'],
  [TEXT, true, 9, [], 'point'],
  [EMPTY, true, 0, ['point'], undefined],
  [POINTS, false, 0, [], undefined],
  [POINTS, true, 0, [], 'use'],
  [POINTS, true, 0, ['point'], 'use'],
  [POINTS, true, 0, ['', 'use'], undefined],
  [POINTS, true, 1, [], undefined]
])('after a registration: %j, published %s, %i queries, put off %j: %s', (zone, isPublished, queries, later, step) => {
  expect(nextStep({ zone, isPublished, queries, later })).toBe(step)
})

const local = { address: '/ip4/127.0.0.1/tcp/1/p2p/x', state: 'local' } as const
const home = { address: '/ip4/192.168.1.5/tcp/1/p2p/x', state: 'local' } as const
const reached = { address: '/ip6/2001:db8::5/tcp/1/p2p/x', state: 'announced' } as const
const named = { address: '/dns4/node.example/tcp/1/p2p/x', state: 'announced' } as const
it.each([
  [undefined, { type: 'A', value: '127.0.0.1' }],
  [[local, { address: '/ip6/::1/tcp/1/p2p/x', state: 'local' } as const], { type: 'A', value: '127.0.0.1' }],
  [[local, home, named], { type: 'A', value: '192.168.1.5' }],
  [[local, home, reached], { type: 'AAAA', value: '2001:db8::5' }]
])('takes the best address of this machine: %j', (addresses, record) => {
  expect(machineRecord(addresses)).toEqual(record)
})
