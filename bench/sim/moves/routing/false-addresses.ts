/** The first peer of newcomers names honest peers where nobody answers, all but one. */
import { empty } from '../../people/adversary.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { firstLookUp, honestNear } from '../../network/routed/first-look-up.ts'
import { told } from '../../network/routed/told.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'false-addresses',
  attacks: ['false addresses of honest peers'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const named = told(
      honestNear(world, victim.recordKey).map(({ peer, routed }, index) => ({
        id: peer.id,
        address: index === 0 ? routed!.libp2p.address : world.places.free(peer.prefix)
      }))
    )
    const lie = (request: Request): Answer => (request.type === 'find' ? named : empty(request))
    const liars = adversary.joinAnywhere(ids, lie)
    world.firstPeers = (joining) => (joining.isAttacker ? [] : liars)
    for (;;) {
      const { counted, of } = await firstLookUp(world, victim.recordKey, liars)
      remark(`a first look-up finds ${counted} of ${of} holders that count`)
      if (counted * 2 <= of) breach(`of ${of} holders with a false address only ${counted} are found`)
      await world.sleep(6 * HOUR_MS)
    }
  }
}
