/** A majority shows records that it should not: of another name, or with a lease that ended. */
import { showing } from '../../people/adversary.ts'
import { recordKey } from '../../../../src/protocol/claim/record-key.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'dead-or-other-claims',
  attacks: ['a claim of another name', 'a dead claim shown to a newcomer'],
  begins: 'settled',
  ids: 11,
  allows: 'harmless',
  lifeDays: 3,
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    thief(key.publicKey)
    const { lease, grace } = world.profile
    const dead = adversary.claim(victim.name, world.round() - lease - grace - 10, key)
    const other = adversary.claim(`another-${victim.name}`, world.round() - 100, key)
    const [showDead, showOther] = [showing(dead, world.hash), showing(other, world.hash)]
    const otherKey = recordKey('reveal', other.name, world.hash)
    let index = 0
    adversary.joinNear(victim.recordKey, ids, (request, from) =>
      index++ % 2 === 0 || request.type !== 'get'
        ? showDead(request, from)
        : showOther({ ...request, key: otherKey }, from)
    )
    await Promise.resolve()
  }
}
