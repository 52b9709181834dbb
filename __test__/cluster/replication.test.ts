import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../../src/network/wire/exchange.ts'
import type { Node } from '../../src/network/libp2p.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { keys } from '../../src/store/keys.ts'
import { Lab, labProfile, type LabNode } from '../network/lab.ts'
import { waitFor } from '../wait-for.ts'

/** Past the jitter of the hourly round, in rounds of a second. */
const HOUR_AND_HALF = 5_500

let lab: Lab
let stranger: Node

beforeAll(async () => {
  lab = new Lab(labProfile({ lease: 10_000_000 }))
  await lab.addNodes(6)
  stranger = await lab.addStranger()
  // The first round of replication is over before anything is held.
  lab.advance(60)
})

afterAll(() => lab.close())

async function held({ network }: LabNode, name: string): Promise<{ state: string; payload: string | undefined }> {
  const { state, reveal } = (await network.getReveals(name, undefined, 'everybody')).answers.find(({ self }) => self)!
  return { state, payload: reveal && Buffer.from(reveal.payload).toString() }
}

describe('replication', () => {
  it('spreads a newer record of the same claim from any holder', async () => {
    const owner = lab.owner('owner')
    const reveal = await lab.claim(lab.nodes[1]!, 'newest.chronym', owner)
    const first = stranger.getPeers()[0]!
    await lab.nodes[1]!.network.putReveal(reveal)
    // The owner is gone from now on: its daemon would send the newer record everywhere itself.
    lab.nodes[1]!.store.delete(keys.ownRecord('reveal', 'newest.chronym'))
    const newer = lab.updated(reveal, owner, 2)
    expect(
      await ask(stranger, first, { type: 'put', kind: 'reveal', record: encodeReveal(newer) }, lab.profile)
    ).toEqual({ type: 'stored' })

    lab.advance(HOUR_AND_HALF)
    await waitFor(async () => {
      // Where the first round is still under way, the next one begins at a later minute.
      lab.advance(60)
      for (const node of lab.nodes)
        expect((await held(node, 'newest.chronym')).payload).toBe(Buffer.from(newer.payload).toString())
    }, 500)
  })

  it('hands commitments over to a node that came later, which then witnesses the claim', async () => {
    const owner = lab.owner('late')
    const { receipts } = await lab.commit(lab.nodes[0]!, 'late.chronym', owner)
    expect(receipts).toHaveLength(6)
    lab.advance(lab.profile.min_commit)
    const reveal = lab.reveal('late.chronym', owner, { p: lab.round })

    const newcomer = await lab.addNode()
    await lab.connected()
    lab.advance(60)
    const { remotePeer } = await stranger.dial(multiaddr(newcomer.address))
    await waitFor(async () => {
      // Only the newcomer is offered the claim, so it relies on handed-over words.
      await ask(stranger, remotePeer, { type: 'put', kind: 'reveal', record: encodeReveal(reveal) }, lab.profile)
      expect((await held(newcomer, 'late.chronym')).state).toBe('fresh')
    })
  })
})
