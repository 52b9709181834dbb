/** Forty ids of one address sit around a settled name, and thousands of others pass by at nodes that know them. */
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { empty } from '../../people/adversary.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** More than a node remembers. */
const PASSERS_BY = 9_000

/** Nodes that they pass by at. */
const FLOODED = 3

export const move: Move = {
  id: 'forgotten-addresses',
  attacks: ['ids whose address is forgotten'],
  begins: 'settled',
  ids: 40,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach }) {
    const { profile, topology, places } = world
    const random = world.random('passers-by')
    const crowd = adversary.joinNear(victim.recordKey, ids, empty, Infinity)
    await world.sleep(HOUR_MS)
    const flooded = topology
      .near(victim.recordKey)
      .filter(({ isAttacker }) => !isAttacker)
      .slice(0, FLOODED)
    const passersBy = Array.from({ length: PASSERS_BY }, () => ({
      id: peerIdFromPublicKey(publicKeyFromRaw(random.bytes(32))),
      address: places.free('250.0.0.0/24')
    }))
    for (;;) {
      for (const { routed } of crowd) routed!.libp2p.hangUpAll()
      for (const node of flooded) {
        for (const { id, address } of passersBy) node.routed!.libp2p.passBy(id, address)
        const known = node.view.nearest(victim.recordKey).filter(({ peer }) => world.nodeOf({ peer }).isAttacker)
        const count = node.view.diverse(known).length
        if (count > profile.answers_per_prefix) breach(`${count} ids of one address count at a node that forgot it`)
      }
      await world.sleep(DAY_MS)
    }
  }
}
