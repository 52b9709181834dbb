/** Eleven ids show another owner of a settled name from before its renewal is due until after; then they go. */
import { showing } from '../../people/adversary.ts'
import { linksOf } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, SHORT_LEASE } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** The lease ends on the tenth day, and the owner renews a tenth of it before. */
const LYING_DAYS = 7

/** Its daemon looks each hour; a few looks tell as much. */
const LOOK_HOURS = 6
const LOOKS = (LYING_DAYS * 24) / LOOK_HOURS

export const move: Move = {
  id: 'told-that-it-is-lost',
  attacks: ['an owner who is told that its name is lost'],
  begins: 'settled',
  days: 14,
  ids: 11,
  allows: 'unpinned',
  profile: SHORT_LEASE,
  isAlone: true,
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const key = world.newKey()
    const reveal = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    const daemon = new Resolver(world, victim.node)
    let told = 0
    for (let look = 0; look < LOOKS; look++) {
      const { kind, owner } = await daemon.resolve(victim.name)
      if (kind === 'contested' || (kind === 'owner' && owner === toHex(key.publicKey))) told++
      await world.sleep(LOOK_HOURS * HOUR_MS)
    }
    adversary.leave()
    await world.sleep(DAY_MS)
    const links = linksOf(victim.reveal!).length
    const seen = await new Resolver(world).resolve(victim.name)
    const holders = world.holdersOf(victim.recordKey)
    const holding = holders.filter(({ held }) => held.get(victim.name)?.owner === victim.pubkey)
    remark(
      `told ${told} times of ${LOOKS} that another has its name, the owner has ${links} links; ` +
        `${holding.length} of ${holders.length} honest holders have its claim`
    )
    if (links < 2) breach('the owner did not renew')
    if (seen.owner !== victim.pubkey) breach('a day after the liars went, a new resolver does not see the owner')
  }
}
