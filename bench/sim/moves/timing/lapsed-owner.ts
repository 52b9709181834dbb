/** A former owner whose lease and grace are over dates a renewal back into its lease, once another wants the name. */
import { makeReveal } from '../../world/claims.ts'
import { HOUR_MS, SHORT_LEASE } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** A renewal that names a pulse from shortly before its lease ended. */
const BEFORE_END_ROUNDS = 100

const HOURS = 48

export const move: Move = {
  id: 'lapsed-owner',
  attacks: ['a lapsed owner must start again'],
  begins: 'start',
  leadDays: 12.5,
  days: 14.7,
  ids: 0,
  allows: 'harmless',
  profile: SHORT_LEASE,
  isAlone: true,
  async run({ world, adversary, victim, thief, remark }) {
    const { profile } = world
    const former = adversary.owner(victim.name)
    thief(former.key.publicKey)
    await former.work(await former.committed())
    const first = former.reveal!
    await adversary.publish(first, former.node)
    const holding = (pubkey: string): number =>
      world.holdersOf(victim.recordKey).filter(({ held }) => held.get(victim.name)?.owner === pubkey).length
    const had = holding(former.pubkey)
    while (victim.state === 'committing') await world.sleep(HOUR_MS / 12)
    const renewal = makeReveal(
      {
        name: victim.name,
        owner: former.key,
        salt: world.random('renewal').bytes(32),
        round: first.drand_pulse + profile.lease - BEFORE_END_ROUNDS,
        former: first,
        serial: 2
      },
      profile
    )
    for (let hour = 0; hour < HOURS; hour++) {
      await adversary.publish(renewal, former.node)
      remark(
        `${had} honest holders had the first lease; after ${hour} h of renewals ` +
          `${holding(former.pubkey)} have it, ${holding(victim.pubkey)} the new owner's claim`
      )
      await world.sleep(hour === 0 ? HOUR_MS / 3 : HOUR_MS)
    }
  }
}
