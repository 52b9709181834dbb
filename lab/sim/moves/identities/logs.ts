/** Moves with keys of an identity that a thief has, and with older versions of it. */
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
  showingDocument,
  Signer
} from '../../people/identity.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { signIdentityDocument } from '../../../../src/protocol/identity/document.ts'

const LOOKS = 4

/** Ids near an identity show it as it was before its owner rotated a key out, which the thief has. */
const olderIdentityShown: Move = {
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

/** When the genesis is signed again: another date makes another document of the same DID. */
const LATER = '2026-02-02T00:00:00Z'

/**
 * Thieves with an update and a recovery key that the owner has taken out. They sign another branch, and the genesis
 * again, and send both to all; ids near the identity show the branch.
 */
const keysTakenOut: Move = {
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

/** Versions that the thief signs on top of its first. */
const MORE_VERSIONS = 2

/**
 * A thief with the update key gives half of the holders a version of its own before the owner's next one comes. The
 * owner, who has never seen it, recovers a day later on top of its own version.
 */
const stolenUpdateKey: Move = {
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

export const logMoves: readonly Move[] = [olderIdentityShown, keysTakenOut, stolenUpdateKey]
