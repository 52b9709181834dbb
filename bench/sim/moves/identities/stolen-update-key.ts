/**
 * A thief with the update key gives half of the holders a version of its own before the owner's next one comes. The
 * owner, who has never seen it, recovers a day later on top of its own version.
 */
import {
  bindingOf,
  headOf,
  heldDocuments,
  holding,
  identityRecord,
  IdentityResolver,
  isPublished,
  multikeys,
  sendDocument,
  Signer
} from '../../people/identity.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Versions that the thief signs on top of its first. */
const MORE_VERSIONS = 2

export const move: Move = {
  id: 'stolen-update-key',
  attacks: ['a stolen update key', 'a recovery on top of another branch'],
  begins: 'settled',
  days: 6,
  ids: 0,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, breach, remark }) {
    const [owner, thief, fresh] = [new Signer(world), new Signer(world), new Signer(world)]
    const genesis = owner.genesis()
    const did = genesis.id
    const by = { binding: bindingOf(world, did, victim) }
    await sendDocument(victim.node, 'kid', did, identityRecord(world, [genesis], by))

    const stolen = [genesis, owner.next(genesis, { updateKeys: multikeys(thief.update) })]
    const node = adversary.client()
    for (const [index, { node: holder }] of heldDocuments(world, 'kid', did).entries()) {
      const record = identityRecord(world, stolen, by)
      if (index % 2 === 1) await node.view.ask(holder.peer, { type: 'put', kind: 'kid', record })
    }
    const own = [genesis, owner.next(genesis, { alsoKnownAs: ['https://own.example'] })]
    await sendDocument(victim.node, 'kid', did, identityRecord(world, own, by))
    while (stolen.length < 2 + MORE_VERSIONS)
      stolen.push(thief.next(stolen.at(-1)!, { alsoKnownAs: [`https://${stolen.length}.example`] }))
    await sendDocument(node, 'kid', did, identityRecord(world, stolen, by))
    await world.sleep(DAY_MS)
    const early = new IdentityResolver(world)
    const misled = (await early.resolve(did)).head === headOf(stolen)
    const before = holding(world, stolen)

    const recovered = [...own, owner.next(own.at(-1)!, { updateKeys: multikeys(fresh.update) }, owner.recovery)]
    const recovery = await sendDocument(victim.node, 'kid', did, identityRecord(world, recovered, by))
    await world.sleep(10 * MINUTE_MS)
    await sendDocument(node, 'kid', did, identityRecord(world, stolen, by))
    await world.sleep(2 * HOUR_MS)
    const after = holding(world, recovered)
    const shown = [await early.resolve(did), await new IdentityResolver(world).resolve(did)]
    remark(
      `${before.count} of ${before.of} honest holders had the thief's branch for a day; a resolver was shown ` +
        `${misled ? 'the thief' : 'the owner'}; after the recovery ${after.count} of ${after.of} have the owner's`
    )
    if (before.count === 0) breach('no holder took the branch of the stolen key: nothing was tried')
    if (!isPublished(recovery)) breach('the recovery does not count as published')
    if (after.count < after.of) breach(`${after.of - after.count} honest holders lack the recovered log`)
    if (shown.some(({ head }) => head !== headOf(recovered))) breach('a resolver does not see the recovered identity')
  }
}
