/**
 * While the owner is away, ids crowd its honest holders out and show its record until these drop their payloads. Then
 * they go, and a claim of the attacker's is sent to all.
 */
import { showing } from '../../people/adversary.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const AWAY_FROM_DAY = 3.5

const HOURS = 24

export const move: Move = {
  id: 'displaced-holders',
  attacks: ['displaced holders'],
  begins: 'settled',
  days: 6.4,
  ids: 100,
  allows: 'harmless',
  habits: { ...ALWAYS_AWAKE, absences: [{ fromMs: AWAY_FROM_DAY * DAY_MS, untilMs: 365 * DAY_MS }] },
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    const before = world.holdersOf(victim.recordKey)
    adversary.joinNear(victim.recordKey, ids, showing(victim.reveal!, world.hash))
    await world.sleep(DAY_MS)
    const dropped = before.filter(({ holder }) => holder?.entries.load(victim.recordKey) === undefined)
    const isStub = before.map(({ holder }) => holder?.entries.isStub(victim.recordKey) === true)
    adversary.leave()
    const client = adversary.client()
    for (let hour = 0; hour < HOURS; hour++) {
      await adversary.publish(reveal, client)
      await world.sleep(HOUR_MS)
    }
    const taken = before.filter(({ held }) => held.get(victim.name)?.owner !== victim.pubkey)
    remark(
      `${isStub.filter(Boolean).length} of ${before.length} honest holders kept a stub only; ` +
        `${taken.length} have another claim or none a day after the ids went`
    )
    if (dropped.length > 0)
      breach(`${dropped.length} holders that were crowded out keep nothing that refuses another claim`)
    if (taken.length > 0) breach(`${taken.length} holders that were crowded out no longer have the claim`)
  }
}
