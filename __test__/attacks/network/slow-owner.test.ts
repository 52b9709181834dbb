/** An owner whose work outlasts every node that saw its commitment, and a rival that is faster. Real nodes. */
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { ask } from '../../../src/network/wire/exchange.ts'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { Lab, type LabNode, saltOf } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { diverseProfile } from './adversary.ts'

const NAME = 'slow.chronym'
const K = 6
const apart = (index: number): string => `127.${index + 1}.0.1`

let lab: Lab
let stranger: Node

beforeEach(() => {
  lab = new Lab(diverseProfile(K))
})

afterEach(() => lab.close())

/** The round since which a node names a commitment to those that ask; undefined where it does not. */
async function roundNamedBy({ network, address }: LabNode, commitment: Uint8Array): Promise<number | undefined> {
  await stranger.dial(multiaddr(address))
  const answer = await ask(stranger, peerIdFromString(network.status().peer_id), { type: 'commitments' }, lab.profile)
  if (answer.type !== 'commitments') throw new Error(`answered ${answer.type}`)
  return answer.commitments.find((each) => equalBytes(each.commitment, commitment))?.seen
}

it('[a rival who commits after a slow owner] loses to it, though no node is left that saw its commitment', async () => {
  const witnesses = await lab.addNodes(K, apart)
  stranger = await lab.addStranger()
  const daemon = await lab.addNode({ mode: 'light', place: apart(100) })
  const owner = lab.owner('owner')
  await waitFor(async () => expect((await lab.commit(daemon, NAME, owner)).receipts).toHaveLength(K))
  const firstSeen = lab.round
  lab.advance(lab.profile.min_commit)
  const own = lab.reveal(NAME, owner, { p: lab.round })

  for (const [index, witness] of witnesses.entries()) {
    const newcomer = await lab.addNode({ place: apart(K + index), bootstrap: lab.nodes.map(({ address }) => address) })
    await waitFor(async () => {
      lab.advance(60)
      await lab.commit(daemon, NAME, owner)
      expect(await roundNamedBy(newcomer, lab.commitment(NAME, owner))).toBe(firstSeen)
    })
    await lab.stopNode(witness)
  }

  const rival = lab.owner('rival')
  const claim = await lab.claim(daemon, NAME, rival, saltOf('rival'))
  expect(await daemon.network.putReveal(own)).toMatchObject({ storedBy: K })
  await daemon.network.putReveal(claim)
  lab.advance(lab.profile.contest + 1)
  const holders = lab.nodes.filter((node) => node !== daemon)
  await waitFor(() => {
    lab.advance(1)
    expect(holders.map(({ network }) => network.heldHere(NAME)?.state)).toEqual(holders.map(() => 'settled'))
  })
  for (const { network } of holders) expect(network.heldHere(NAME)!.claim.pubkey).toEqual(own.pubkey)
})
