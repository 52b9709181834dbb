/**
 * Thieves with an update and a recovery key that the owner has taken out. They sign another branch, and the genesis
 * again, and send both to all; ids near the identity show the branch.
 */
import {
  bindingOf,
  headOf,
  holding,
  identityRecord,
  IdentityResolver,
  isPublished,
  multikeys,
  sendDocument,
  showingDocument,
  Signer
} from '../../people/identity.ts'
import { recordKey } from '../../../../src/protocol/claim/record-key.ts'
import { signIdentityDocument } from '../../../../src/protocol/identity/document.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** When the genesis is signed again: another date makes another document of the same DID. */
const LATER = '2026-02-02T00:00:00Z'

const LOOKS = 4

export const move: Move = {
  id: 'keys-taken-out',
  attacks: ['a recovery key that was taken out', 'a genesis signed again by a key that was taken out'],
  begins: 'settled',
  days: 6,
  ids: 11,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { profile, hash } = world
    const [owner, fresh, thief] = [new Signer(world), new Signer(world), new Signer(world)]
    const [ours, theirs] = [multikeys(fresh.update), multikeys(thief.update)]
    const genesis = owner.genesis()
    const did = genesis.id
    const by = { binding: bindingOf(world, did, victim) }
    const changes = { updateKeys: ours, recoveryKeys: multikeys(fresh.recovery) }
    const rotated = [genesis, owner.next(genesis, changes, owner.recovery)]
    const published = await sendDocument(victim.node, 'kid', did, identityRecord(world, rotated, by))
    if (!isPublished(published)) breach('the owner cannot publish its identity')
    const early = new IdentityResolver(world)
    await early.resolve(did)
    await world.sleep(HOUR_MS)

    const again = signIdentityDocument(genesis, owner.update, LATER, profile)
    const branches = [
      [genesis, owner.next(genesis, { updateKeys: theirs }, owner.recovery)],
      [again, owner.next(again, { updateKeys: theirs }, owner.recovery)],
      [again, owner.next(again, { updateKeys: theirs })]
    ]
    const records = branches.map((documents) => identityRecord(world, documents, by))
    const node = adversary.client()
    for (const record of records) await sendDocument(node, 'kid', did, record)
    const lie = showingDocument('kid', did, records[0]!, hash)
    adversary.joinNear(recordKey('kid', did, hash), ids, lie)
    const seen = { owner: 0, thief: 0 }
    const remembering = { owner: 0, refused: 0, thief: 0 }
    for (let look = 0; look < LOOKS; look++) {
      await world.sleep(DAY_MS / LOOKS)
      const { head } = await new IdentityResolver(world).resolve(did)
      if (head === headOf(rotated)) seen.owner++
      if (branches.some((branch) => head === headOf(branch))) seen.thief++
      const known = await early.resolve(did)
      if (known.kind === 'refused') remembering.refused++
      else remembering[known.head === headOf(rotated) ? 'owner' : 'thief']++
    }
    const { count, of } = holding(world, rotated)
    remark(
      `${count} of ${of} honest holders keep the owner's log; of ${LOOKS} new resolvers ${seen.owner} see the owner ` +
        `and ${seen.thief} the thief; one that remembers saw the owner ${remembering.owner} times, and refused ${remembering.refused} times`
    )
    if (count < of) breach(`${of - count} honest holders lack the owner's log`)
    if (remembering.thief > 0) breach('a resolver that has seen the owner was shown the thief')
    if (remembering.refused > 0 && ids < profile.k)
      breach('honest holders answer, and a resolver that remembers refuses')
    if (seen.thief > 0 && ids * 2 < profile.k) breach('fewer than half of the neighbours show a new resolver the thief')
  }
}
