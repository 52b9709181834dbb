/** A rival commits a minute after the owner, works on the fastest chip, and reveals first. */
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import { FAST_CHIP } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'later-commitment',
  attacks: ['a rival who takes an earlier pulse', 'the fastest known chip does 715,000 squarings a second'],
  rows: ['a rival who commits later and has the earlier pulse'],
  begins: 'committed',
  ids: 0,
  allows: 'taken',
  async run({ adversary, victim, thief }) {
    const rival = adversary.owner(victim.name, { ...ALWAYS_AWAKE, squaringsPerSecond: FAST_CHIP })
    thief(rival.key.publicKey)
    await rival.live()
  }
}
