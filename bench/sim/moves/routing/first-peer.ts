/** The first peer of each newcomer shows another owner of a settled name, and names nobody but itself. */
import { showing } from '../../people/adversary.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { Request } from '../../../../src/network/wire/messages.ts'
import { told } from '../../network/routed/told.ts'
import { Resolver } from '../../people/resolver.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'first-peer',
  attacks: ['the first peer that a newcomer meets'],
  rows: ['what a newcomer is shown by its first peer'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, thief, breach }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    const show = showing(reveal, world.hash)
    const liars = adversary.joinAnywhere(ids, (request: Request, from) =>
      request.type === 'find' ? told([]) : show(request, from)
    )
    const others = world.firstPeers
    const resolver = new Resolver(world)
    world.firstPeers = (joining) => (joining === resolver.node ? liars : others(joining))
    for (;;) {
      const seen = await resolver.resolve(victim.name)
      if (seen.owner === toHex(key.publicKey) && seen.thin !== true)
        breach('the first peer alone shows an owner who is not thin')
      if (resolver.pins.has(victim.name)) breach('the first peer alone makes a pin')
      await world.sleep(6 * HOUR_MS)
    }
  }
}
