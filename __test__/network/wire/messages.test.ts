import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCbor, type CborValue } from '../../../src/protocol/encoding/cbor.ts'
import { concatBytes, fromHex } from '../../../src/protocol/encoding/bytes.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { BUSY, refused } from '../../../src/network/wire/answers.ts'
import { MAX_MESSAGE_BYTES } from '../../../src/network/wire/frame.ts'
import { LIST_PAGE_ENTRIES, MAX_PREFIX_BITS } from '../../../src/network/wire/list.ts'
import {
  decodeAnswer,
  decodeRequest,
  encodeMessage,
  type Answer,
  type Request
} from '../../../src/network/wire/messages.ts'
import { key, REQUESTS } from './requests.ts'

const ANSWERS: [Request, Answer][] = [
  [REQUESTS[0]!, { type: 'received', receipt: new Uint8Array([9]) }],
  [REQUESTS[1]!, { type: 'stored' }],
  [REQUESTS[1]!, { type: 'stale', record: new Uint8Array([4]) }],
  [REQUESTS[1]!, refused('taken', 'another key holds it')],
  [REQUESTS[1]!, BUSY],
  [REQUESTS[3]!, { type: 'document', record: new Uint8Array([5]) }],
  [REQUESTS[3]!, { type: 'none' }],
  [REQUESTS[3]!, { type: 'entry', state: 'settled', claim: key, record: new Uint8Array([6]) }],
  [REQUESTS[3]!, { type: 'entry', state: 'provisional', claim: key }],
  [REQUESTS[8]!, { type: 'entry', state: 'fresh', claim: key, digest: key }],
  [REQUESTS[8]!, { type: 'digest', digest: key }],
  [REQUESTS[4]!, { type: 'listed', entries: [{ key, state: 'fresh', claim: key }], more: true }],
  [REQUESTS[4]!, { type: 'listed', entries: [{ key, state: 'settled', claim: key, record: key }], more: false }],
  [
    REQUESTS[4]!,
    { type: 'listed', entries: [{ key, state: 'settled', claim: key, changes: { head: key, final: 7 } }], more: false }
  ],
  [REQUESTS[4]!, { type: 'listed', entries: [], more: false }],
  [REQUESTS[6]!, { type: 'commitments', commitments: [{ commitment: key, seen: 7 }], more: true }],
  [REQUESTS[6]!, { type: 'commitments', commitments: [], more: false }]
]

describe('a message', () => {
  it.each(REQUESTS.map((request) => [request.type, request] as const))(
    'survives encoding and decoding: %s',
    (_type, request) => {
      expect(decodeRequest(encodeMessage(request))).toEqual(request)
    }
  )

  it.each(ANSWERS.map(([request, answer]) => [answer.type, request, answer] as const))(
    'survives encoding and decoding: %s',
    (_type, request, answer) => {
      expect(decodeAnswer(request, encodeMessage(answer))).toEqual(answer)
    }
  )

  it('has one encoding: the bytes of a get, worked out by hand', () => {
    // {"key": h'ab..', "kind": "reveal", "type": "get"}, keys in the order of RFC 8949 section 4.2.1.
    const expected = `a3636b65795820${'ab'.repeat(32)}646b696e646672657665616c647479706563676574`
    expect(Buffer.from(encodeMessage({ type: 'get', kind: 'reveal', key })).toString('hex')).toBe(expected)
  })

  it('is refused when it is cut short at any byte', () => {
    for (const request of REQUESTS) {
      const bytes = encodeMessage(request)
      for (let length = 0; length < bytes.length; length++)
        expect(() => decodeRequest(bytes.subarray(0, length))).toThrow(EncodingError)
    }
  })

  it('is refused with bytes after it', () => {
    for (const request of REQUESTS)
      expect(() => decodeRequest(concatBytes(encodeMessage(request), new Uint8Array(1)))).toThrow(EncodingError)
  })

  it('never brings anything but an EncodingError out of the decoder, whatever the bytes', () => {
    const decodes = (bytes: Uint8Array): void => {
      for (const decode of [
        decodeRequest,
        (input: Uint8Array) => decodeAnswer(REQUESTS[0]!, input),
        (input: Uint8Array) => decodeAnswer(REQUESTS[4]!, input)
      ]) {
        try {
          decode(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(EncodingError)
        }
      }
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decodes), { numRuns: 500, seed: 1 })
    const changed = fc
      .tuple(fc.constantFrom(...REQUESTS), fc.nat(), fc.integer({ min: 1, max: 255 }))
      .map(([request, position, change]) => {
        const bytes = encodeMessage(request)
        const index = position % bytes.length
        bytes[index] = bytes[index]! ^ change
        return bytes
      })
    fc.assert(fc.property(changed, decodes), { numRuns: 500, seed: 1 })
  })

  it.each<[string, CborValue]>([
    ['no map', []],
    ['no type', {}],
    ['a type that is not a text', { type: 1 }],
    ['an unknown type', { type: 'steal' }],
    ['a type of Object.prototype', { type: 'constructor' }],
    ['a missing member', { type: 'get', kind: 'reveal' }],
    ['an unknown kind', { type: 'get', kind: 'zone', key }],
    ['a second way to ask for all', { type: 'get', kind: 'reveal', key, brief: false }],
    ['a short key', { type: 'get', kind: 'reveal', key: key.subarray(1) }],
    ['a short commitment', { type: 'commit', commitment: key.subarray(1), nonce: new Uint8Array(8) }],
    ['a long nonce', { type: 'commit', commitment: key, nonce: new Uint8Array(9) }],
    ['a prefix that could be a whole key', { type: 'list', key, bits: MAX_PREFIX_BITS + 1 }],
    ['a negative prefix', { type: 'list', key, bits: -1 as number }],
    ['a record that is a text', { type: 'put', kind: 'reveal', record: 'abc' }]
  ])('is refused as a request: %s', (_what, value) => {
    expect(() => decodeRequest(encodeCbor(value))).toThrow(EncodingError)
  })

  it.each<[string, CborValue]>([
    ['a code in capitals', { type: 'refused', code: 'TAKEN', detail: '' }],
    ['a long detail', { type: 'refused', code: 'taken', detail: 'x'.repeat(301) }],
    ['an unknown state', { type: 'entry', state: 'dead', claim: key }],
    ['a short claim', { type: 'entry', state: 'fresh', claim: key.subarray(1) }],
    ['a short digest', { type: 'entry', state: 'fresh', claim: key, digest: key.subarray(1) }],
    ['a record and its digest', { type: 'entry', state: 'fresh', claim: key, record: key, digest: key }],
    ['an answer to another request', { type: 'received', receipt: key }]
  ])('is refused as an answer to a get: %s', (_what, value) => {
    expect(() => decodeAnswer(REQUESTS[3]!, encodeCbor(value))).toThrow(EncodingError)
  })

  it('is refused as a listing that is too long, or empty with more to come', () => {
    const entry = { key, state: 'fresh', claim: key }
    const listed = (entries: CborValue, more: boolean): Uint8Array => encodeCbor({ type: 'listed', entries, more })
    expect(() =>
      decodeAnswer(
        REQUESTS[4]!,
        listed(
          Array.from({ length: LIST_PAGE_ENTRIES + 1 }, () => entry),
          false
        )
      )
    ).toThrow(EncodingError)
    expect(() => decodeAnswer(REQUESTS[4]!, listed([], true))).toThrow(EncodingError)
    expect(
      encodeMessage({
        type: 'listed',
        entries: Array.from({ length: LIST_PAGE_ENTRIES }, () => ({ key, state: 'provisional', claim: key })),
        more: true
      }).length
    ).toBeLessThan(MAX_MESSAGE_BYTES)
    const most = { ...entry, record: key, changes: { head: key, final: 2 ** 53 - 1 } } as const
    const page = { type: 'listed', more: true, entries: [] as object[] }
    for (let index = 0; index < LIST_PAGE_ENTRIES; index++)
      page.entries.push({ ...most, key: concatBytes(Uint8Array.of(index), key.subarray(1)) })
    expect(decodeAnswer({ type: 'list', key, bits: 0 }, encodeMessage(page as Answer))).toEqual(page)
  })

  it.each([
    ['members in another order', 'a36474797065636765746b696e64'],
    ['an indefinite map', 'bf647479706563676574ff'],
    ['a length longer than needed', 'a1780474797065636765740a'],
    ['a float', 'a16474797065f93c00'],
    ['a tag', 'c1a0'],
    ['the same member twice', 'a264747970656367657464747970656367657400'],
    ['deep nesting', '81'.repeat(100)]
  ])('is refused when it is not deterministic CBOR: %s', (_what, hex) => {
    expect(() => decodeRequest(fromHex(hex))).toThrow(EncodingError)
  })

  it('cuts the detail of a refusal to what is read, whole characters only', () => {
    const answer = refused('invalid', `${'x'.repeat(299)}\u{1F600}`)
    expect(decodeAnswer(REQUESTS[1]!, encodeMessage(answer))).toEqual(answer)
  })
})
