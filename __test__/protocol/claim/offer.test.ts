import { describe, expect, it } from 'vitest'
import {
  acceptedReveal,
  formatOffer,
  makeOffer,
  offerCode,
  offerMessage,
  parseOffer,
  problemOfOffer
} from '../../../src/protocol/claim/offer.ts'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import { validateReveal } from '../../../src/protocol/claim/valid.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../../src/protocol/crypto/change-keys.ts'
import { sign } from '../../../src/protocol/crypto/ed25519.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { bytesOf, keyOf, LOCAL, makeReveal, modelCheckers } from '../fixtures.ts'

const NAME = parseName('alice.chronym', LOCAL)
const HASH = profileHash(LOCAL)
const words = "alice's words"
const next = bytesOf('next of bob')
const first = makeReveal({ words })

describe('an offer', () => {
  it.each([true, false])('becomes the record of the change, once it is accepted (consented: %s)', async (consented) => {
    for (const [reveal, index, from] of [
      [first, 0, 'alice'],
      [makeReveal({ words, renewals: [2000], changes: [{ to: 'carol' }] }), 1, 'carol']
    ] as const) {
      const offer = makeOffer(reveal, { next, consented }, keyOf('bob'), HASH)
      expect(problemOfOffer(offer, reveal, HASH)).toBeUndefined()
      const read = parseOffer(`${formatOffer(offer)}\n`)
      expect(read).toEqual(offer)
      const message = offerMessage(read, HASH)
      const of = { name: NAME, index, profileHash: HASH }
      const changed = acceptedReveal(reveal, read, {
        key: changePublicKey(changePoint(bytesOf(words), HASH), of),
        signature: signAsChangeKey(bytesOf(words), of, message),
        ...(consented && { consent: sign(message, keyOf(from).secretKey) })
      })
      const verdict = await validateReveal(changed, LOCAL, modelCheckers(LOCAL))
      expect(verdict).toMatchObject({
        ok: true,
        claim: { id: claimOf(first, NAME, LOCAL).id, pubkey: keyOf('bob').publicKey }
      })
    }
  })
  it.each([
    ['another name', makeReveal({ words, name: 'bob.chronym' }), /is for alice/],
    ['another claim', makeReveal({ words, salt: 'other' }), /another claim/],
    ['keys that have changed', makeReveal({ words, changes: [{ to: 'carol' }] }), /keys of the claim have changed/],
    ['a renewal since', makeReveal({ words, renewals: [2000] }), /renewed/],
    ['another zone', makeReveal({ words, payload: bytesOf('zone') }), /zone/]
  ])('does not fit %s', (_, reveal, problem) => {
    const offer = makeOffer(first, { next, consented: true }, keyOf('bob'), HASH)
    expect(problemOfOffer(offer, reveal, HASH)).toMatch(problem)
  })
  it('has a code of 12 characters, which every change of it changes', () => {
    const offer = makeOffer(first, { next, consented: true }, keyOf('bob'), HASH)
    expect(offerCode(offer)).toMatch(/^[0-9a-hjkmnp-tv-z]{12}$/)
    expect(offerCode({ ...offer, terms: { ...offer.terms, pubkey: keyOf('mallory').publicKey } })).not.toBe(
      offerCode(offer)
    )
  })
  it('fits a QR code for the longest name', () => {
    const longest = makeReveal({ words, name: `${'n'.repeat(63)}.chronym`, changes: [{ to: 'carol' }] })
    expect(formatOffer(makeOffer(longest, { next, consented: true }, keyOf('bob'), HASH)).length).toBeLessThan(700)
  })
  it.each(['', 'https://example.org/', 'chronym:offer/', 'chronym:offer/AAAA', 'chronym:offer/!'])(
    'is not %j',
    (text) => {
      expect(() => parseOffer(text)).toThrow(EncodingError)
    }
  )
})
