/** The routing table, with ids and times that are made up. */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { describe, expect, it } from 'vitest'
import { RoutingTable, type Contact } from '../../src/network/table.ts'
import { sha256, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { distance } from '../../src/protocol/neighbourhood/key-space.ts'

const K = 20
const NOBODY_COUNTED = { answers_per_prefix: 0, answers_per_wide_prefix: 0 }
const MINUTE_MS = 60_000

/** A table takes an id of any position. */
const ID = peerIdFromPublicKey(publicKeyFromRaw(sha256()))

function contact(peer: string, position: Uint8Array, prefix = peer): Contact {
  const id = Object.create(ID, { toString: { value: () => peer } }) as Contact['id']
  return { id, peer, position, prefix }
}

const contacts = (what: string, count: number): Contact[] =>
  Array.from({ length: count }, (_, index) => contact(`${what} ${index}`, sha256(utf8(`${what} ${index}`))))

const namesOf = (of: Iterable<Contact>): string[] => Array.from(of, ({ peer }) => peer)

function nearest(key: Uint8Array, of: readonly Contact[]): string[] {
  const away = ({ position }: Contact): number => distance(key, position)
  return namesOf(of.toSorted((one, other) => away(one) - away(other)).slice(0, K))
}

function filled(own: Uint8Array, others: readonly Contact[]): RoutingTable {
  const table = new RoutingTable(own, { k: K, ...NOBODY_COUNTED })
  for (const other of others) table.offer(other, 0)
  return table
}

describe.each([20, 500, 1_000, 2_000, 5_000, 10_000])('a network of %i', (size) => {
  const others = contacts(`peer of ${size}`, size - 1)
  const tables = contacts(`node of ${size}`, 10).map(({ position: own }) => ({ own, table: filled(own, others) }))

  it('a node knows the k nearest to itself, and those nearest to each key that is its own to store', () => {
    for (const { own, table } of tables) {
      expect(namesOf(table.nearest(own)).slice(0, K)).toEqual(nearest(own, others))
      // The farthest of them is as far away as a key that is ours to store.
      for (const { position: key } of table.nearest(own).slice(0, K))
        expect(namesOf(table.nearest(key)).slice(0, K)).toEqual(nearest(key, others))
    }
  })

  it('a node holds 64 k peers at most, and 4 k more each time the network is twice as large', () => {
    for (const { own, table } of tables) {
      if (size <= K) expect(table.size).toBe(others.length)
      expect(table.size).toBe(table.nearest(own).length)
      expect(table.size).toBeLessThan(64 * K + 4 * K * Math.max(0, 1 + Math.log2(size / (64 * K))))
    }
  })
})

it('reads the peers of a few leaves to answer with the k nearest to a key, in a table of any size', () => {
  let read = 0
  const others = contacts('counted', 5_000).map(({ id, peer, prefix, position }) => ({
    id, peer, prefix, get position() { return read++, position }
  })) // prettier-ignore
  const table = filled(sha256(utf8('node')), others)
  expect(table.size).toBeGreaterThan(1_300)
  for (let index = 0; index < 100; index++) {
    read = 0
    expect(Array.from({ length: K }, nextOf(table.outwards(sha256(utf8(`key ${index}`)))))).not.toContain(undefined)
    expect(read).toBeLessThanOrEqual(6 * K)
  }
})

function nextOf(contactsOfTable: Iterator<Contact>): () => Contact | undefined {
  return () => contactsOfTable.next().value as Contact | undefined
}

it('has the same order by leaves as by distance, from keys anywhere', () => {
  const table = filled(sha256(utf8('node')), contacts('peer', 3_000))
  for (let index = 0; index < 50; index++) {
    const key = sha256(utf8(`key ${index}`))
    const away = table.nearest(key).map(({ position }) => distance(key, position))
    expect(away).toEqual(away.toSorted((left, right) => left - right))
    expect(away).toHaveLength(table.size)
  }
})

it('holds 104 k peers at most, whatever ids there are', () => {
  const table = new RoutingTable(sha256(utf8('node')), { k: 2, ...NOBODY_COUNTED })
  for (let first = 0; first < 3 * 65_536; first++) {
    const position = new Uint8Array(32)
    new DataView(position.buffer).setUint16(0, first % 65_536)
    table.offer(contact(String(first), position), 0)
  }
  expect(table.size).toBe(104 * 2)
})

/** All of one leaf that is far from the node at 0. */
const OWN = new Uint8Array(32)
function ofLeaf(index: number, prefix?: string): Contact {
  const position = new Uint8Array(32)
  position[0] = 0x80
  position[31] = index
  return contact(`peer ${index}`, position, prefix)
}

describe('a full leaf', () => {
  const full = (): RoutingTable => {
    const table = new RoutingTable(OWN, { k: 4, ...NOBODY_COUNTED })
    for (let index = 0; index < 4; index++) expect(table.offer(ofLeaf(index), index)).toEqual([])
    return table
  }
  const newcomer = ofLeaf(9)

  it('keeps those who were alive within ten minutes, without a question', () => {
    const table = full()
    expect(table.offer(newcomer, 10 * MINUTE_MS)).toEqual([])
    expect(table.has(newcomer.id)).toBe(false)
    expect(table.size).toBe(4)
  })

  it('has three tried that were not heard of for longest, none of them again within ten minutes', () => {
    const table = full()
    const later = 10 * MINUTE_MS + 4
    table.offer(ofLeaf(1), later)
    expect(namesOf(table.offer(newcomer, later + 1))).toEqual(['peer 0', 'peer 2', 'peer 3'])
    expect(table.offer(newcomer, later + 2)).toEqual([])
    table.remove(ofLeaf(2).id)
    expect(table.offer(newcomer, later + 3)).toEqual([])
    expect(namesOf(table.nearest(OWN))).toEqual(['peer 0', 'peer 1', 'peer 3', 'peer 9'])
    expect(namesOf(table.offer(ofLeaf(8), later + 10 * MINUTE_MS + 2))).toEqual(['peer 1', 'peer 0', 'peer 3'])
  })

  it('has three tried of four, however long ago they were heard of', () => {
    expect(namesOf(full().offer(newcomer, 60 * MINUTE_MS))).toEqual(['peer 0', 'peer 1', 'peer 2'])
  })

  it('makes room for other prefixes, of the latest beyond the limits', () => {
    const limits = { answers_per_prefix: 2, answers_per_wide_prefix: 0 }
    const table = new RoutingTable(OWN, { k: 4, ...limits })
    for (const [index, prefix] of ['one', 'other', 'one', 'one'].entries()) table.offer(ofLeaf(index, prefix), 0)
    table.offer(ofLeaf(5, 'one'), 0)
    expect(namesOf(table.nearest(OWN)), 'a newcomer beyond them too').not.toContain('peer 5')
    table.offer(ofLeaf(6, 'third'), 0)
    expect(namesOf(table.nearest(OWN))).toEqual(['peer 0', 'peer 1', 'peer 2', 'peer 6'])
    table.offer(ofLeaf(7, 'fourth'), 0)
    expect(table.has(ofLeaf(7).id), 'where nobody is beyond them').toBe(false)
  })

  it('makes room by IPv4 for IPv6', () => {
    const table = new RoutingTable(OWN, { k: 2, answers_per_prefix: 1, answers_per_wide_prefix: 0 })
    const ipv6 = (index: number): string => `2001000${index}0000/48`
    for (let index = 0; index < 2; index++) table.offer(ofLeaf(index, ipv6(index)), 0)
    table.offer(ofLeaf(5, ipv6(5)), 0)
    table.offer(ofLeaf(6, '192.0.2.0/24'), 0)
    expect(namesOf(table.nearest(OWN))).toEqual(['peer 0', 'peer 6'])
  })

  it('sees the prefix that a peer has by now', () => {
    let where = 'one'
    const moves = { ...ofLeaf(0), get prefix() { return where } } // prettier-ignore
    const table = new RoutingTable(OWN, { k: 2, answers_per_prefix: 1, answers_per_wide_prefix: 0 })
    table.offer(moves, 0)
    table.offer(ofLeaf(1, 'other'), 0)
    table.offer(ofLeaf(2, 'third'), 0)
    expect(table.has(ofLeaf(2).id)).toBe(false)
    where = 'other'
    table.offer(ofLeaf(2, 'third'), 0)
    expect(namesOf(table.nearest(OWN))).toEqual(['peer 0', 'peer 2'])
  })
})

it('tells of each peer that enters, once', () => {
  const told: string[] = []
  const table = new RoutingTable(OWN, { k: 1, ...NOBODY_COUNTED })
  const end = table.onAdded(({ peer }) => told.push(peer))
  for (const index of [1, 1, 2]) table.offer(ofLeaf(index), 0)
  table.remove(ofLeaf(1).id)
  table.offer(ofLeaf(2), 0)
  end()
  table.remove(ofLeaf(2).id)
  table.offer(ofLeaf(3), 0)
  expect(told).toEqual(['peer 1', 'peer 2'])
})

it('has the peers nearer to a key than a distance', () => {
  const others = contacts('peer', 50)
  const [own, key] = [sha256(utf8('node')), sha256(utf8('key'))]
  const table = filled(own, others)
  const away = distance(key, own)
  expect(namesOf(table.nearer(key, away)).toSorted()).toEqual(
    namesOf(others.filter(({ position }) => distance(key, position) < away)).toSorted()
  )
})
