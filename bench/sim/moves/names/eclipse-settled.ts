/**
 * Ids around a settled name show another owner, with a whole VDF behind it, to all who ask, without a break. As many
 * around its check code show forged records.
 */
import { showing } from '../../people/adversary.ts'
import { forging } from '../coded-lies.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'eclipse-settled',
  attacks: ['another owner before the lease is dead', 'a bare name taken by its neighbourhood'],
  rows: ['a settled name at resolvers without a firm pin, as long as it goes on'],
  begins: 'settled',
  ids: 11,
  allows: 'unpinned',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    adversary.joinNearBoth(victim, ids, showing(reveal, world.hash), forging(victim, reveal, key, world))
    await Promise.resolve()
  }
}
