/** Twelve ids around a settled name on three machines: two by IPv4 and two by IPv6 on each. They show another owner. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'two-families',
  attacks: ['two families'],
  rows: ['the same by ids at IPv4 and IPv6 of the same machines'],
  begins: 'settled',
  ids: 12,
  allows: 'harmless',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    adversary.joinNearInFamilies(victim.recordKey, ids, showing(reveal, world.hash))
    await Promise.resolve()
  }
}
