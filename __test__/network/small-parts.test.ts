import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { isLoopback, prefixOf } from '../../src/network/transport/addresses.ts'
import { KeyedMutex } from '../../src/util/keyed-mutex.ts'
import { createPenalties } from '../../src/network/budget/penalties.ts'
import { createVerifier } from '../../src/network/holder/verifier.ts'
import { Lab } from './lab.ts'

describe('addresses', () => {
  it.each([
    ['/ip4/127.0.0.1/tcp/1', true],
    ['/ip4/127.255.0.9/tcp/1', true],
    ['/ip6/::1/tcp/1', true],
    ['/ip6/::ffff:127.0.0.1/tcp/1', true],
    ['/ip4/128.0.0.1/tcp/1', false],
    ['/ip4/0.0.0.0/tcp/1', false],
    ['/ip6/::/tcp/1', false],
    ['/ip6/fe80::1/tcp/1', false],
    ['/dns4/localhost/tcp/1', false]
  ])('%s is of this machine: %s', (address, expected) => {
    expect(isLoopback(multiaddr(address))).toBe(expected)
  })

  it('of one /24 or one /48 have one prefix', () => {
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).toBe(prefixOf(multiaddr('/ip4/192.0.2.250/tcp/9')))
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip4/192.0.3.1/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).toBe(prefixOf(multiaddr('/ip6/2001:db8:1:ffff::9/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip6/2001:db8:2::1/tcp/1')))
  })
})

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

describe('a mutex by key', () => {
  it('runs actions of one key in order, though one fails, and others beside them', async () => {
    const mutex = new KeyedMutex()
    const order: string[] = []
    const gate = Promise.withResolvers<undefined>()
    const first = mutex.run('a', async () => {
      await gate.promise
      order.push('a1')
      throw new Error('a1 failed')
    })
    const second = mutex.run('a', () => Promise.resolve(order.push('a2')))
    await mutex.run('b', () => Promise.resolve(order.push('b1')))
    gate.resolve(undefined)
    await expect(first).rejects.toThrow('a1 failed')
    await second
    expect(order).toEqual(['b1', 'a1', 'a2'])
  })
})

describe('the verifier', () => {
  it('gives no verdict where none could be reached, and the next time asks again', async () => {
    const lab = new Lab()
    const reveal = lab.reveal('once.chronym', lab.owner('alice'), { p: lab.round })
    let isDown = true
    const verifier = createVerifier(lab.profile, lab.beacon, {
      verifyProof: (question) =>
        isDown ? Promise.reject(new Error('the pool is closed')) : lab.pool.verifyProof(question)
    })
    await expect(verifier.validate(reveal)).rejects.toThrow('the pool is closed')
    isDown = false
    expect((await verifier.validate(reveal)).ok).toBe(true)
  })

  it('[a proof copied under another key] takes no verdict over to it', async () => {
    const lab = new Lab()
    const reveal = lab.reveal('copied.chronym', lab.owner('alice'), { p: lab.round })
    const verifier = createVerifier(lab.profile, lab.beacon, lab.pool)
    expect((await verifier.validate(reveal)).ok).toBe(true)
    const thief = lab.owner('mallory')
    expect(await verifier.validate(lab.updated(reveal, thief, 1))).toMatchObject({ ok: false, rule: 'proof' })
  })
})
