/**
 * Many ids around one node, which try to distort its estimate of the network's size. Real nodes; the strangers chose
 * their ids.
 */
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Node } from '../../src/network/libp2p.ts'
import { positionOf } from '../../src/network/table.ts'
import { blindedPrefixBits } from '../../src/protocol/neighbourhood/key-space.ts'
import { keys } from '../../src/store/keys.ts'
import { seedsNear, startBareNode } from '../network/bare-node.ts'
import { Lab, labProfile } from '../network/lab.ts'
import { waitFor } from '../wait-for.ts'

const K = 4
const HONEST = 9
/** Not all find room in the victim's table. */
const CROWD = 2 * K
/** First bits that the crowd's places share with the victim's: 128 keys tried for each. */
const CLOSE_BITS = 7

let lab: Lab
const crowd: Node[] = []

beforeEach(() => {
  lab = new Lab(labProfile({ k: K }))
})

afterEach(async () => {
  for (const node of crowd.splice(0)) await node.stop()
  await lab.close()
})

it('[a crowd around one node] reveals no more of a name, and still lets every node store its share', async () => {
  const victim = (await lab.addNodes(HONEST)).at(-1)!
  for (const nodeSeed of seedsNear(positionOf(peerIdFromString(victim.network.status().peer_id)), CLOSE_BITS, CROWD)) {
    const node = await startBareNode(nodeSeed, lab.profile)
    crowd.push(node)
    await node.dial(multiaddr(victim.address))
  }
  await waitFor(() => {
    lab.advance(2)
    const contacts = new TextDecoder().decode(victim.store.get(keys.contacts()))
    expect(crowd.filter(({ peerId }) => contacts.includes(peerId.toString())).length).toBeGreaterThanOrEqual(K)
  })
  // By four of those alone it would be one of four hundred: three bits of each wanted name, and a hundredth of the
  // names to store.
  const { networkSize } = await victim.network.probe('wanted.chronym')
  expect(blindedPrefixBits(networkSize)).toBe(0)
})
