/** The owner of one name binds more and more identities to it, so that others hold them for nothing. */
import { bindingOf, heldDocuments, identityRecord, isPublished, sendDocument, Signer } from '../../people/identity.ts'
import type { Did } from '../../../../src/protocol/identity/did.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const IDENTITIES = 24

/** docs/protocol/rules.md, 12. */
const OF_A_NAME = 4

export const move: Move = {
  id: 'many-documents-of-a-name',
  attacks: ['one name that carries any number of documents'],
  begins: 'settled',
  days: 6,
  ids: 0,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, breach, remark }) {
    const node = adversary.client()
    const dids: Did[] = []
    let published = 0
    for (let index = 0; index < IDENTITIES; index++) {
      const genesis = new Signer(world).genesis()
      const record = identityRecord(world, [genesis], { binding: bindingOf(world, genesis.id, victim) })
      if (isPublished(await sendDocument(node, 'kid', genesis.id, record))) published++
      dids.push(genesis.id)
      await world.sleep(MINUTE_MS)
    }
    await world.sleep(3 * HOUR_MS)
    const kept = new Map<unknown, number>()
    for (const did of dids)
      for (const { node: holder, record } of heldDocuments(world, 'kid', did))
        if (record !== undefined) kept.set(holder, (kept.get(holder) ?? 0) + 1)
    const most = Math.max(0, ...kept.values())
    const all = [...kept.values()].reduce((sum, count) => sum + count, 0)
    remark(
      `${published} of ${IDENTITIES} identities of one name were published; ` +
        `${kept.size} honest nodes keep ${all} of their records, ${most} at most`
    )
    if (most > OF_A_NAME) breach(`a node keeps ${most} records of one name`)
  }
}
