/** A rival commits a minute after the owner, works on the fastest chip, and reveals first. */
import { ALWAYS_AWAKE, Owner } from '../people/owner.ts'
import { FAST_CHIP } from '../adversary.ts'
import type { Move } from './move.ts'

export const move: Move = {
  id: 'later-commitment',
  attacks: ['a rival who takes an earlier pulse', 'the fastest known chip does 715,000 squarings a second'],
  rows: ['a rival who commits later and has the earlier pulse'],
  begins: 'committed',
  ids: 0,
  allows: 'taken',
  async run({ world, adversary, victim, thief }) {
    const rival = new Owner(world, victim.name, { ...ALWAYS_AWAKE, squaringsPerSecond: FAST_CHIP }, adversary.client())
    adversary.worked(victim.name)
    thief(rival.key.publicKey)
    await rival.live()
  }
}
