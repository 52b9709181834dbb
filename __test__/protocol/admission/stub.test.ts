import { describe, expect, it } from 'vitest'
import { decodeOwnCbor } from '../../../src/protocol/encoding/cbor.ts'
import { linkValue } from '../../../src/protocol/claim/proof.ts'
import { encodeStub, MAX_STUB_BYTES, stubOf } from '../../../src/protocol/admission/holder.ts'
import { MAIN, makeReveal } from '../fixtures.ts'

describe('stubs', () => {
  it('keep the first and the newest link', () => {
    for (const renewals of [[], [2000, 3000]]) {
      const stub = stubOf(makeReveal({ renewals }))
      const { name, pubkey, first, newest } = stub
      expect(decodeOwnCbor(encodeStub(stub))).toEqual({
        name,
        pubkey,
        first: linkValue(first),
        ...(renewals.length > 0 && { newest: linkValue(newest) })
      })
      expect(stub.newest.p).toBe(renewals.at(-1) ?? 1000)
    }
  })

  it('are about 1 KB at their longest', () => {
    const renewal = stubOf(
      makeReveal({
        name: `${'a'.repeat(63)}.chronym`,
        profile: { ...MAIN, two_segment_from: 20 },
        p: 2 ** 40,
        renewals: [2 ** 40 + 1]
      })
    )
    expect(encodeStub(renewal).length).toBeLessThanOrEqual(MAX_STUB_BYTES)
  })
})
