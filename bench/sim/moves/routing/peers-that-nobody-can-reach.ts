/** Four ids of one provider, near a settled name, name twenty ids each that nobody has: nearer, and of any provider. */
import { empty } from '../../people/adversary.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { firstLookUp, honestNear } from '../../network/routed/first-look-up.ts'
import { told } from '../../network/routed/told.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Twenty that do not answer, six at a time, half a second each; then those that do. */
const LONGEST_MS = 5_000

/** Honest ones among the first peers. */
const HONEST = 3

export const move: Move = {
  id: 'peers-that-nobody-can-reach',
  attacks: ['peers that nobody can reach'],
  begins: 'settled',
  ids: 4,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { k } = world.profile
    const madeUp = adversary.madeUpNear(victim.recordKey, ids * k).map((id, index) => ({
      id,
      address: world.places.free(`${100 + (index >> 8)}.${index & 255}.0.0/24`)
    }))
    const liars = Array.from({ length: ids }, (_, index) => {
      const own = told(madeUp.slice(index * k, (index + 1) * k))
      const lie = (request: Request): Answer => (request.type === 'find' ? own : empty(request))
      return adversary.joinNear(victim.recordKey, 1, lie)[0]!
    })
    for (;;) {
      const firstPeers = [...liars, ...honestNear(world, victim.recordKey).slice(-HONEST)]
      const { counted, of, tookMs } = await firstLookUp(world, victim.recordKey, firstPeers)
      if (counted * 2 <= of) breach(`of ${of} holders only ${counted} are found`)
      remark(`a look-up finds ${counted} of ${of} holders in ${(tookMs / 1000).toFixed(1)} s`)
      if (tookMs > LONGEST_MS) breach('a look-up takes more than five seconds')
      await world.sleep(6 * HOUR_MS)
    }
  }
}
