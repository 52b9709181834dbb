/** The first peer of newcomers names honest peers at its own address, which passes bytes on to them. */
import { empty } from '../../people/adversary.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { firstLookUp, honestNear } from '../../network/routed/first-look-up.ts'
import { told } from '../../network/routed/told.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Holders that one look-up may miss. */
const MISSED = 1

export const move: Move = {
  id: 'peers-behind-an-address',
  attacks: ['honest peers behind an address of a liar'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    let relayed: Answer = told([])
    const liars = adversary.joinAnywhere(ids, (request: Request) =>
      request.type === 'find' ? relayed : empty(request)
    )
    const { prefix } = liars[0]!.peer
    relayed = told(
      honestNear(world, victim.recordKey).map(({ peer, routed }) => ({
        id: peer.id,
        address: world.places.relay(prefix, routed!.libp2p)
      }))
    )
    world.firstPeers = (joining) => (joining.isAttacker ? [] : liars)
    for (;;) {
      const { counted, of } = await firstLookUp(world, victim.recordKey, liars)
      remark(`a first look-up finds ${counted} of ${of} holders that count`)
      if (counted < of - MISSED) breach(`of ${of} holders behind an address of a liar only ${counted} count`)
      await world.sleep(6 * HOUR_MS)
    }
  }
}
