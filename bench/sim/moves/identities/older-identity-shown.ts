/** Ids near an identity show it as it was before its owner rotated a key out, which the thief has. */
import {
  bindingOf,
  headOf,
  identityRecord,
  IdentityResolver,
  isPublished,
  multikeys,
  sendDocument,
  showingDocument,
  Signer
} from '../../people/identity.ts'
import { recordKey } from '../../../../src/protocol/claim/record-key.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const LOOKS = 4

export const move: Move = {
  id: 'older-identity-shown',
  attacks: ['an identity shown with a key that was rotated out'],
  begins: 'settled',
  days: 6,
  ids: 19,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { profile, hash } = world
    const [owner, fresh] = [new Signer(world), new Signer(world)]
    const genesis = owner.genesis()
    const did = genesis.id
    const by = { binding: bindingOf(world, did, victim) }
    const rotated = [genesis, owner.next(genesis, { updateKeys: multikeys(fresh.update) })]
    for (const documents of [[genesis], rotated]) {
      const published = await sendDocument(victim.node, 'kid', did, identityRecord(world, documents, by))
      if (!isPublished(published)) breach('the owner cannot publish its identity')
    }
    const early = new IdentityResolver(world)
    await early.resolve(did)
    await world.sleep(HOUR_MS)
    const lie = showingDocument('kid', did, identityRecord(world, [genesis], by), hash)
    adversary.joinNear(recordKey('kid', did, hash), ids, lie)
    const news = { current: 0, older: 0 }
    const remembering = { current: 0, refused: 0, older: 0 }
    for (let look = 0; look < LOOKS; look++) {
      await world.sleep(DAY_MS / LOOKS)
      const { head } = await new IdentityResolver(world).resolve(did)
      if (head === headOf(rotated)) news.current++
      else news.older++
      const seen = await early.resolve(did)
      if (seen.kind === 'refused') remembering.refused++
      else if (seen.head === headOf(rotated)) remembering.current++
      else remembering.older++
    }
    remark(
      `of ${LOOKS} new resolvers ${news.current} see the newest version and ${news.older} an older one; ` +
        `one that remembers saw ${remembering.current} times the newest, and refused ${remembering.refused} times`
    )
    if (remembering.older > 0) breach('a resolver that has seen the newest version was shown an older one')
    if (news.older > 0 && ids < profile.k) breach('a new resolver was shown an older version beside an honest answer')
  }
}
