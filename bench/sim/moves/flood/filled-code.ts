/**
 * Forged records are sent each hour to all that should hold a name by its check code, while these come and go. Ids there
 * keep nothing, and those around the name show another owner.
 */
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { answerOrUndefined } from '../../../../src/network/wire/ask.ts'
import { empty, showing } from '../../people/adversary.ts'
import { forged } from '../coded-lies.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'filled-code',
  attacks: [],
  begins: 'settled',
  days: 5,
  ids: 11,
  // The bare name: as newcomers-among-liars.
  allows: 'taken',
  isAlone: true,
  lifeDays: 3,
  excuses: ['P14'],
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const key = world.newKey()
    const stolen = adversary.backdated(victim.name, key)
    thief(key.publicKey)
    adversary.joinNearBoth(victim, ids, showing(stolen, world.hash), empty)
    const client = adversary.client()
    const put = { type: 'put', kind: 'coded', record: encodeReveal(forged(victim.reveal!, key, world)) } as const
    for (let [sent, taken] = [0, 0]; ;) {
      for (const { peer } of world.holdersOf(victim.codedKey)) {
        const answer = await answerOrUndefined(client.view.ask(peer, put))
        sent++
        if (answer?.type === 'stored') taken++
      }
      const held = world.holdersOf(victim.codedKey).map(({ holder }) => holder?.coded.entries.load(victim.codedKey))
      const owners = held.flatMap((each) => (each === undefined ? [] : [toHex(each.entry.claim.pubkey)]))
      const own = owners.filter((owner) => owner === victim.pubkey).length
      remark(
        `${own} of ${held.length} honest holders have the owner's record by its code; of ${sent} forged ones ${taken} were taken`
      )
      if (own < owners.length) breach('a holder keeps a record of somebody else by the code')
      await world.sleep(HOUR_MS)
    }
  }
}
