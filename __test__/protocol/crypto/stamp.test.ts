import { describe, expect, it } from 'vitest'
import { stampHolds, stampWork, leadingZeroBits } from '../../../src/protocol/crypto/domain.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { bytesOf, LOCAL, MAIN } from '../fixtures.ts'

const HASH = profileHash(LOCAL)

describe('stamps', () => {
  it('count the zero bits in front', () => {
    expect(leadingZeroBits(Uint8Array.of(0x80))).toBe(0)
    expect(leadingZeroBits(Uint8Array.of(0, 0x1f))).toBe(11)
    expect(leadingZeroBits(new Uint8Array(4))).toBe(32)
  })

  it('[a stamp of another commitment] does no work: they hold for one, in one network, with a nonce of eight bytes', () => {
    const commitment = bytesOf('C')
    let nonce = new Uint8Array(8)
    for (let n = 0; stampWork(commitment, nonce, HASH) < 8; n++)
      nonce = new Uint8Array(Uint8Array.from([n >> 8, n & 255, 0, 0, 0, 0, 0, 0]))
    const work = stampWork(commitment, nonce, HASH)
    expect(stampHolds(commitment, nonce, work, HASH)).toBe(true)
    expect(stampHolds(commitment, nonce, work + 1, HASH)).toBe(false)
    expect(stampHolds(bytesOf('other'), nonce, work, HASH)).toBe(false)
    expect(stampHolds(commitment, nonce, work, profileHash(MAIN))).toBe(false)
    for (const other of [nonce.subarray(0, 7), Uint8Array.from([...nonce, 0])])
      expect(stampHolds(commitment, other, 0, HASH)).toBe(false)
  })
})
