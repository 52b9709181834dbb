/**
 * What a young network of a profile that limits prefixes reports and does. Real nodes, in separate /16s and together in
 * one /24.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { peerIdFromString } from '@libp2p/peer-id'
import { positionOf } from '../../src/network/table.ts'
import { recordKey, distance } from '../../src/protocol/neighbourhood/key-space.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { tally } from '../../src/protocol/resolution/quorum.ts'
import type { KnownPeer } from '../../src/network/types.ts'
import { networkDiversity } from '../../src/registry/status.ts'
import { waitFor } from '../wait-for.ts'
import { Lab, labProfile, type LabNode } from '../network/lab.ts'

const NAME = 'young.chronym'
const [APART, TOGETHER] = [5, 4]

let lab: Lab

beforeEach(() => {
  lab = new Lab(labProfile({ scope: 'test', answers_per_prefix: 2, answers_per_wide_prefix: 4 }))
})

afterEach(() => lab.close())

const diversityOf = ({ network }: LabNode): ReturnType<typeof networkDiversity> =>
  networkDiversity(network.origins(), lab.profile)

it('tells the diverse peers that it has and lacks, registers a name, and shows it as thin', async () => {
  const nodes = await lab.addNodes(APART, (index) => `127.${index + 1}.0.1`)
  await lab.addNodes(TOGETHER, (index) => `127.100.0.${index + 1}`)
  const [owner] = nodes as [LabNode]
  // Where a peer is, a node knows once they have been connected.
  await waitFor(() => expect(owner.network.origins()).toHaveLength(APART - 1 + TOGETHER))
  expect(diversityOf(owner)).toMatchObject({
    peers: APART - 1 + 2,
    prefixes: APART,
    wide_prefixes: APART,
    needed: { answer: 11, settle: 8, adopt: 5 },
    missing: { peers: 5, prefixes: 1, wide_prefixes: 0 },
    enough: false
  })
  const listed = owner.network.peers()
  expect(listed).toHaveLength(APART - 1 + TOGETHER)
  expect(listed.filter(({ prefix }) => prefix === '127.100.0.0/24')).toHaveLength(TOGETHER)
  const distances = listed.map(({ distance }) => distance)
  expect(distances).toEqual(distances.toSorted((left, right) => left - right))
  const [{ peer, prefix }] = listed as [KnownPeer]
  expect(owner.network.placeOf(NAME, peer)).toEqual({
    distance: distance(recordKey('reveal', NAME, profileHash(lab.profile)), positionOf(peerIdFromString(peer))),
    prefix
  })

  const reveal = await lab.claim(owner, NAME, lab.owner('owner'))
  const { storedBy, of } = await owner.network.putReveal(reveal)
  expect(storedBy * 2, 'a young network registers').toBeGreaterThan(of)
  // On a busy machine a peer may answer too late for one look.
  const { answers, asked, leftOut } = await waitFor(async () => {
    const look = await owner.network.getReveals(NAME, undefined, 'everybody')
    expect(look.answers).toHaveLength(APART + 2)
    return look
  })
  expect({ asked, leftOut }).toEqual({ asked: lab.profile.k, leftOut: TOGETHER - 2 })
  const votes = answers.map(({ peer, claim, state }) => ({
    peer,
    prefix: peer,
    ...(claim !== undefined && state !== 'none' && { held: { claim, state } })
  }))
  expect(tally(votes, { asked, done: true }, lab.profile)).toMatchObject({ kind: 'owner', thin: true, settled: false })

  await lab.addNodes(5, (index) => `127.${index + 11}.0.1`)
  await waitFor(() =>
    expect(diversityOf(owner)).toMatchObject({
      peers: 11,
      missing: { peers: 0, prefixes: 0, wide_prefixes: 0 },
      enough: true,
      message: null
    })
  )
  await owner.network.setMode('offline')
  expect(diversityOf(owner)).toMatchObject({ peers: 0, missing: { peers: 11, prefixes: 6, wide_prefixes: 3 } })
})

it('hands a name of its first nodes to those that join, though they are too few to have it adopted', async () => {
  const place = (index: number): string => `127.${index + 1}.0.1`
  const [owner] = (await lab.addNodes(2, place)) as [LabNode]
  await owner.network.putReveal(await lab.claim(owner, NAME, lab.owner('owner')))
  // Their first rounds end, and the next come after half an hour.
  for (let minute = 0; minute < 5; minute++) {
    lab.advance(60)
    await owner.network.getReveals(NAME)
  }
  const joined = await lab.addNodes(3, (index) => place(index + 2))
  const soon = lab.round + 300
  await waitFor(() => {
    if (lab.round + 5 < soon) lab.advance(5)
    for (const { network } of joined) expect(network.heldHere(NAME)).toBeDefined()
  })
})

it('lacks nothing where its profile limits no prefixes', async () => {
  await lab.close()
  lab = new Lab(labProfile())
  const [one] = (await lab.addNodes(3)) as [LabNode]
  expect(diversityOf(one)).toBeNull()
})
