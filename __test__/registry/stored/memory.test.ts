/** The newest records seen, and how many are remembered. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { Memory } from '../../../src/registry/stored/memory.ts'
import { prefixes } from '../../../src/store/keys.ts'
import { MemoryStore } from '../claims/fakes.ts'

const MOST = 16
const KEY = new Uint8Array(32).fill(7)

/** What of a claim counts here. */
const claim = (name: string, newestRound: number, serial = 1): Claim =>
  ({
    name: name as Name,
    id: KEY,
    changes: [],
    newestRound,
    serial,
    payloadHash: KEY,
    recordHash: KEY
  }) as unknown as Claim

describe('the memory of records seen', () => {
  let store: MemoryStore
  let memory: Memory
  const needed = new Set<string>()
  const remembered = (name: string): boolean => memory.newest(name, KEY) !== undefined

  beforeEach(() => {
    store = new MemoryStore()
    needed.clear()
    memory = new Memory(store, { most: MOST, isDead: (round) => round < 100, isNeeded: (name) => needed.has(name) })
  })

  it('is bounded, and forgets no name of ours and no pinned owner', () => {
    needed.add('ours.chronym')
    memory.see(claim('ours.chronym', 1))
    for (let number = 0; number < 500; number++) memory.see(claim(`name-${number}.chronym`, 1_000 + number))
    expect(store.count(prefixes.seenNames)).toBeLessThanOrEqual(MOST)
    expect(remembered('ours.chronym')).toBe(true)
    expect(remembered('name-499.chronym')).toBe(true)
    expect(remembered('name-0.chronym')).toBe(false)
    expect(memory.see(claim('ours.chronym', 1, 0)), 'an older record of it').toBe(false)
  })

  it('keeps changes of keys that are final, and refuses the records before them', () => {
    const before = claim('sold.chronym', 1_000, 9)
    const sold = { ...before, serial: 1, changes: [{ hash: KEY, consented: true }] }
    memory.see(before)
    expect(memory.see(sold, false)).toBe(true)
    expect(memory.see({ ...before, serial: 10 }), 'the change may not last').toBe(true)
    expect(memory.see(sold, true)).toBe(true)
    expect(memory.see({ ...before, newestRound: 2_000, serial: 11 })).toBe(false)
  })

  it('forgets dead leases first, and all of them', () => {
    for (let number = 0; number < MOST; number++)
      memory.see(claim(`name-${number}.chronym`, number % 4 === 0 ? 99 : 1_000 - number))
    memory.see(claim('one-more.chronym', 2_000))
    const kept = Array.from({ length: MOST }, (_, number) => number).filter((number) =>
      remembered(`name-${number}.chronym`)
    )
    expect(kept).toEqual([1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15])
  })

  it('goes beyond its bound rather than forget what is needed', () => {
    for (let number = 0; number < 2 * MOST; number++) {
      needed.add(`name-${number}.chronym`)
      memory.see(claim(`name-${number}.chronym`, 1_000))
    }
    expect(store.count(prefixes.seenNames)).toBe(2 * MOST)
  })

  it('counts what an earlier run left', () => {
    for (let number = 0; number < MOST; number++) memory.see(claim(`name-${number}.chronym`, 1_000))
    memory = new Memory(store, { most: MOST, isDead: () => false, isNeeded: () => false })
    memory.see(claim('one-more.chronym', 1_000))
    expect(store.count(prefixes.seenNames)).toBeLessThanOrEqual(MOST)
  })
})
