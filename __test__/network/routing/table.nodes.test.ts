/**
 * What nodes know of each other where more of them are close together than a leaf of the routing table holds. Real
 * nodes, k = 4.
 */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discoverPeers } from '../../../src/network/routing/refresh.ts'
import type { LookUps } from '../../../src/network/routing/look-ups.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { positionOf } from '../../../src/network/table.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { distance, sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import { findingOn, seedsNear, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const K = 4
const profile = labProfile({ k: K, answers_per_prefix: 0 })

/** As many bits as a table tells far peers apart by. */
const SHARED_BITS = 6
const CLOSE_TOGETHER = 12
const ELSEWHERE = 6

/** A look-up takes the one event loop of all nodes. */
const BETWEEN_LOOKS_MS = 500

/**
 * No part there that a table distinguishes has more than three of them: the order of arrival then does not decide who
 * finds room.
 */
const PLACE = sha256(utf8('a'))

interface Member {
  readonly node: Node
  readonly position: Uint8Array
  readonly lookUps: LookUps
  readonly leave: () => Promise<void>
}

const members: Member[] = []

/** Joins through the first node. */
async function join(seed: Uint8Array): Promise<Member> {
  const node = await startBareNode(seed, profile)
  const { lookUps } = await findingOn(node, profile)
  const end = discoverPeers(node, K, lookUps, { every: () => () => undefined }, pino({ level: 'silent' }))
  const leave = async (): Promise<void> => {
    end()
    await node.stop()
  }
  const member = { node, position: positionOf(node.peerId), lookUps, leave }
  members.push(member)
  // On a busy machine a handshake takes longer than it may, as all nodes have one event loop.
  if (member !== members[0]) await waitFor(() => node.dial(members[0]!.node.getMultiaddrs()))
  return member
}

/** The truth: the k nearest to a key, of all but one. */
function nearest(key: Uint8Array, besides?: Member): Member[] {
  return members
    .filter((member) => member !== besides)
    .toSorted((one, other) => distance(key, one.position) - distance(key, other.position))
    .slice(0, K)
}

const ids = (of: readonly Member[]): string[] => of.map(({ node }) => node.peerId.toString())

/** In its table, nearest to a key first. */
const idsIn = ({ services }: Node, key: Uint8Array): string[] => services.table.nearest(key).map(({ peer }) => peer)

/** As it does by itself every twenty minutes. */
async function lookAround({ position, lookUps }: Member): Promise<void> {
  await lookUps.askNetwork(position)
}

async function knowsItsNearest(member: Member): Promise<void> {
  await waitFor(async () => {
    await lookAround(member)
    expect(idsIn(member.node, member.position).slice(0, K)).toEqual(ids(nearest(member.position, member)))
  }, BETWEEN_LOOKS_MS)
}

beforeAll(async () => {
  const elsewhere = PLACE.map((byte) => byte ^ 0xff)
  // Before anybody joins: it keeps the event loop busy.
  const seeds = [...seedsNear(elsewhere, 1, ELSEWHERE), ...seedsNear(PLACE, SHARED_BITS, CLOSE_TOGETHER)]
  for (const seed of seeds) await join(seed)
})

afterAll(async () => {
  await Promise.all(members.map(({ leave }) => leave()))
})

const isClose = ({ position }: Member): boolean => sharesPrefix(PLACE, position, SHARED_BITS)

describe('three times as many nodes as a leaf holds, in one of 64 parts of the key space', () => {
  it('know the k nearest to themselves, each of them', async () => {
    const close = members.filter(isClose)
    expect(close).toHaveLength(CLOSE_TOGETHER)
    for (const member of close) await knowsItsNearest(member)
  })

  it('are found by somebody from elsewhere, those who are nearest to a key', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => sha256(utf8(`key ${index}`))).filter((key) =>
      sharesPrefix(PLACE, key, SHARED_BITS)
    )
    expect(keys.length).toBeGreaterThan(5)
    for (const [index, key] of keys.entries()) {
      const { lookUps } = members[index % ELSEWHERE]!
      await waitFor(
        async () => expect((await lookUps.askNetwork(key)).map(String)).toEqual(ids(nearest(key))),
        BETWEEN_LOOKS_MS
      )
    }
  })

  it('learn of peers that join next to them', async () => {
    const newcomer = await join(seedsNear(PLACE, SHARED_BITS, CLOSE_TOGETHER + 1).at(-1)!)
    await knowsItsNearest(newcomer)
    for (const { node } of nearest(newcomer.position, newcomer)) {
      await waitFor(() => expect(idsIn(node, newcomer.position).slice(0, 1)).toEqual(ids([newcomer])))
    }
  })
})
