/** A name lapses and goes to another owner. The former one sends its identity, bound to its own claim, again and again. */
import { bindingOf, identityRecord, isPublished, keeping, sendDocument, Signer } from '../../people/identity.ts'
import { HOUR_MS, SHORT_LEASE } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** From when the new owner has the name. */
const HOURS = 30

export const move: Move = {
  id: 'binding-of-a-former-owner',
  attacks: ['a binding of a former owner'],
  begins: 'start',
  leadDays: 12.5,
  days: 14.7,
  ids: 0,
  allows: 'harmless',
  profile: SHORT_LEASE,
  isAlone: true,
  async run({ world, adversary, victim, thief, breach, remark }) {
    const former = adversary.owner(victim.name)
    thief(former.key.publicKey)
    await former.work(await former.committed())
    await adversary.publish(former.reveal!, former.node)
    const genesis = new Signer(world).genesis()
    const did = genesis.id
    const record = identityRecord(world, [genesis], { binding: bindingOf(world, did, former) })
    const held = (): number => keeping(world, 'kid', did)
    const published = await sendDocument(former.node, 'kid', did, record)
    if (!isPublished(published)) breach('the former owner cannot publish its identity while it has the name')
    while (victim.state !== 'registered') await world.sleep(HOUR_MS)
    const had = held()
    let refusals: readonly string[] = []
    for (let hour = 0; hour < HOURS; hour++) {
      await world.sleep(HOUR_MS)
      const outcome = await sendDocument(former.node, 'kid', did, record)
      refusals = [...new Set(outcome.refusals.map(({ code }) => code))]
    }
    remark(
      `${had} honest nodes had the identity when the new owner registered; ${HOURS} h later ${held()} have it, ` +
        `and it is refused as ${refusals.join(', ') || 'nothing'}`
    )
    if (held() > 0) breach(`${held()} nodes still keep what a former claim carries`)
  }
}
