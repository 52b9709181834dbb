import { describe, expect, it } from 'vitest'
import { leastTtl, wireName } from '../../src/dns/wire.ts'

type Record = readonly [type: number, ttl: number]

function record([type, ttl]: Record): Uint8Array {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt32BE(ttl, 4)
  head.writeUInt16BE(4, 8)
  return Buffer.concat([Buffer.from([0xc0, 12]), head, Buffer.alloc(4)])
}

function message(flags: number, answers: readonly Record[], authority: readonly Record[] = []): Uint8Array {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(flags, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  head.writeUInt16BE(authority.length, 8)
  const question = Buffer.concat([wireName('alice.chronym'), Buffer.from([0, 1, 0, 1])])
  return new Uint8Array(Buffer.concat([head, question, ...[...answers, ...authority].map(record)]))
}

const [A, NS, SOA] = [1, 2, 6]
const [NOERROR, SERVFAIL, NXDOMAIN, TRUNCATED] = [0x8400, 0x8402, 0x8403, 0x8600]

describe('how long a message may be kept', () => {
  it.each<[string, Uint8Array, number]>([
    [
      'the lowest TTL of the answer',
      message(NOERROR, [
        [A, 300],
        [A, 60]
      ]),
      60
    ],
    ['the SOA of a negative answer', message(NXDOMAIN, [], [[SOA, 42]]), 42],
    ['an alias to nothing: both', message(NXDOMAIN, [[5, 300]], [[SOA, 42]]), 42],
    ['the answer, whatever servers are named', message(NOERROR, [[A, 300]], [[NS, 5]]), 300],
    ['not a referral', message(NOERROR, [], [[NS, 300]]), 0],
    ['not a failure', message(SERVFAIL, [[A, 300]]), 0],
    ['not a truncated one', message(TRUNCATED, [[A, 300]]), 0],
    ['not an empty one', new Uint8Array(0), 0],
    [
      'not one that is cut off',
      message(NOERROR, [
        [A, 300],
        [A, 60]
      ]).subarray(0, 50),
      0
    ]
  ])('%s', (_what, bytes, seconds) => expect(leastTtl(bytes)).toBe(seconds))
})
