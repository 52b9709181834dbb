import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { describe, expect, it } from 'vitest'
import { createPenalties } from '../../../src/network/budget/penalties.ts'

describe('penalties', () => {
  it('ban at the fifth offence, for ten minutes, and forget offences that are long ago', async () => {
    let now = 1_000_000
    const penalties = createPenalties(() => now)
    const peer = peerIdFromPrivateKey(await generateKeyPair('Ed25519'))
    for (let offence = 1; offence < 5; offence++) expect(penalties.add(peer)).toBe(false)
    now += 11 * 60_000
    expect(penalties.add(peer)).toBe(false)
    for (let offence = 2; offence < 5; offence++) expect(penalties.add(peer)).toBe(false)
    expect(penalties.isBanned(peer)).toBe(false)
    expect(penalties.add(peer)).toBe(true)
    expect(penalties.isBanned(peer)).toBe(true)
    now += 10 * 60_000
    expect(penalties.isBanned(peer)).toBe(false)
  })

  it('ban nobody for longer when the clock is set back', async () => {
    let now = 1_000_000_000
    const penalties = createPenalties(() => now)
    const peer = peerIdFromPrivateKey(await generateKeyPair('Ed25519'))
    for (let offence = 1; offence <= 5; offence++) penalties.add(peer)
    expect(penalties.isBanned(peer)).toBe(true)
    now -= 5 * 3_600_000
    expect(penalties.isBanned(peer)).toBe(false)
  })
})
