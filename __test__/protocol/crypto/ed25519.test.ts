import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import fc from 'fast-check'
import nacl from 'tweetnacl'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { isAcceptablePublicKey, keyPairFromSeed, sign, verifyStrict } from '../../../src/protocol/crypto/ed25519.ts'
import speccheck from '../../vectors/ed25519-speccheck.json' with { type: 'json' }
import strict from '../../vectors/ed25519-strict.json' with { type: 'json' }
import wycheproof from '../../vectors/wycheproof-ed25519.json' with { type: 'json' }
import { keyOf } from '../fixtures.ts'

const MESSAGE = utf8('a message')
const { Point } = ed25519
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** 32 bytes, little-endian. */
function littleEndian(value: bigint): Uint8Array {
  return fromHex(value.toString(16).padStart(64, '0')).reverse()
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`)
}

describe('signing', () => {
  it('gives the same bytes as tweetnacl, the reference', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ maxLength: 200 }),
        (seed, message) => {
          const key = keyPairFromSeed(seed)
          const signature = sign(message, key.secretKey)
          expect(signature).toEqual(nacl.sign.detached(message, key.secretKey))
          expect(verifyStrict(signature, message, key.publicKey)).toBe(true)
        }
      ),
      { numRuns: 20, seed: 1 }
    )
  })

  it('is spoiled by any change of a bit', () => {
    const key = keyOf('bits')
    const signature = sign(MESSAGE, key.secretKey)
    for (let bit = 0; bit < 512; bit++) {
      const changed = Uint8Array.from(signature)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(verifyStrict(changed, MESSAGE, key.publicKey)).toBe(false)
    }
  })
})

describe('strict verification', () => {
  it.each(speccheck.map((vector, index) => ({ ...vector, ...strict.speccheck[index]!, index })))(
    'case $index of speccheck: $reason',
    ({ message, pub_key, signature, valid }) => {
      expect(verifyStrict(fromHex(signature), fromHex(message), fromHex(pub_key))).toBe(valid)
    }
  )

  it('agrees with all verdicts of wycheproof', () => {
    let count = 0
    for (const group of wycheproof.testGroups) {
      const publicKey = fromHex(group.publicKey.pk)
      for (const test of group.tests) {
        expect({ id: test.tcId, valid: verifyStrict(fromHex(test.sig), fromHex(test.msg), publicKey) }).toEqual({
          id: test.tcId,
          valid: test.result === 'valid'
        })
        count++
      }
    }
    expect(count).toBe(wycheproof.numberOfTests)
  })

  it('refuses S + L, which the equation cannot tell from S', () => {
    const key = keyOf('s')
    const signature = sign(MESSAGE, key.secretKey)
    const malleated = Uint8Array.from(signature)
    malleated.set(littleEndian(fromLittleEndian(signature.subarray(32)) + ORDER), 32)
    expect(verifyStrict(malleated, MESSAGE, key.publicKey)).toBe(false)
  })

  it('refuses all eight points of small order and their other encodings as A and as R', () => {
    const points = Array.from({ length: 8 }, (_, index) =>
      (index === 0 ? Point.ZERO : TORSION.multiply(BigInt(index))).toBytes()
    )
    const signature = sign(MESSAGE, keyOf('r').secretKey)
    for (const encoded of points) {
      const negative = Uint8Array.from(encoded)
      negative[31]! ^= 0x80
      for (const point of [encoded, negative]) {
        expect(isAcceptablePublicKey(point)).toBe(false)
        expect(verifyStrict(signature, MESSAGE, point)).toBe(false)
        const forged = Uint8Array.from(signature)
        forged.set(point)
        expect(verifyStrict(forged, MESSAGE, keyOf('r').publicKey)).toBe(false)
      }
    }
    expect(new Set(points.map(toHex)).size).toBe(8)
  })

  it('refuses a y of p or above, whatever its sign', () => {
    for (let offset = 0n; offset < 19n; offset++) {
      const encoded = littleEndian(2n ** 255n - 19n + offset)
      for (const sign of [0, 0x80]) {
        const point = Uint8Array.from(encoded)
        point[31]! |= sign
        expect(isAcceptablePublicKey(point)).toBe(false)
      }
    }
  })

  it('[libraries disagree otherwise] refuses an R and a key with a part of small order, where S fits and others agree', () => {
    const key = keyOf('torsion')
    // The equation times eight holds, the equation itself does not.
    const nonce = 0x1234_5678n
    const mixedR = Point.BASE.multiply(nonce).add(TORSION).toBytes()
    const digest = createHash('sha512').update(mixedR).update(key.publicKey).update(MESSAGE).digest()
    const { scalar } = ed25519.utils.getExtendedPublicKey(key.secretKey.slice(0, 32))
    const s = (nonce + (fromLittleEndian(digest) % ORDER) * scalar) % ORDER
    const mixed = Uint8Array.from([...mixedR, ...littleEndian(s)])
    expect(ed25519.verify(mixed, MESSAGE, key.publicKey, { zip215: true }), 'other libraries take it').toBe(true)
    expect(verifyStrict(mixed, MESSAGE, key.publicKey)).toBe(false)
    const shiftedKey = Point.fromHex(toHex(key.publicKey)).add(TORSION).toBytes()
    expect(verifyStrict(sign(MESSAGE, key.secretKey), MESSAGE, shiftedKey)).toBe(false)
  })

  it('refuses wrong lengths and a key off the curve without throwing', () => {
    const key = keyOf('lengths')
    const signature = sign(MESSAGE, key.secretKey)
    expect(verifyStrict(signature.subarray(0, 63), MESSAGE, key.publicKey)).toBe(false)
    expect(verifyStrict(signature, MESSAGE, key.publicKey.subarray(0, 31))).toBe(false)
    expect(verifyStrict(signature, MESSAGE, littleEndian(2n))).toBe(false)
    expect(verifyStrict(new Uint8Array(64), MESSAGE, new Uint8Array(32))).toBe(false)
  })
})
