/** Twenty ids of one address, nearest to a settled name, show another owner. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'one-address-around-a-key',
  attacks: [
    'ids of one address around a key',
    'one machine that passes for a crowd',
    'a claim that one address shows at every holder'
  ],
  begins: 'settled',
  ids: 20,
  allows: 'harmless',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 100, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash), Infinity)
    await Promise.resolve()
  }
}
