/** Moves on what keeps documents: manifests, bindings and stamps. */
import {
  bindingOf,
  CREATED,
  heldDocuments,
  identityRecord,
  IdentityResolver,
  isPublished,
  keeping,
  sendDocument,
  showingDocument,
  Signer
} from '../../people/identity.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { equalBytes } from '../../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { encodeManifestRecord, signManifest } from '../../../../src/protocol/identity/manifest.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SHORT_LEASE, SIM_PROFILE } from '../../world/world.ts'
import type { Move } from '../move.ts'
import type { Did } from '../../../../src/protocol/identity/did.ts'
import { parseProfile } from '../../../../src/protocol/profile/profile.ts'

/** Versions of the owner's manifest and of the thief's: the higher one counts. */
const [OURS, THEIRS] = [1, 9_999]

const LOOKS = 4

/** A thief signs manifests with an assertion key that the owner has taken out; ids near the identity show the best one. */
const manifestByAnOldKey: Move = {
  id: 'manifest-by-an-old-key',
  attacks: ['a manifest by a key that was taken out'],
  begins: 'settled',
  days: 6,
  ids: 19,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { profile, hash } = world
    const owner = new Signer(world)
    const second = world.newKey()
    const genesis = owner.genesis(second)
    const did = genesis.id
    const by = { binding: bindingOf(world, did, victim) }
    const manifest = (key: KeyPair, index: number, version: number): Uint8Array => {
      const unsigned = {
        id: did,
        kid_version: 1,
        version,
        capabilities: [],
        validFrom: CREATED,
        validUntil: '2027-01-01T00:00:00Z'
      }
      return encodeManifestRecord(signManifest(unsigned, `${did}#key-${index}`, key.secretKey, CREATED, profile))
    }
    const kept = genesis.verificationMethod[1]!
    const changes = { verificationMethod: [kept], authentication: [], assertionMethod: [kept.id] }
    const rotated = [genesis, owner.next(genesis, changes)]
    await sendDocument(victim.node, 'kid', did, identityRecord(world, rotated, by))
    const published = await sendDocument(victim.node, 'manifest', did, manifest(second, 2, OURS))
    if (!isPublished(published)) breach('the owner cannot publish its manifest')
    await world.sleep(HOUR_MS)
    const stolen = manifest(owner.assertion, 1, THEIRS)
    await sendDocument(adversary.client(), 'manifest', did, stolen)
    const holds = (bytes: Uint8Array): number =>
      heldDocuments(world, 'manifest', did).filter(({ record }) => record !== undefined && equalBytes(record, bytes))
        .length
    const took = holds(stolen)
    adversary.joinNear(recordKey('manifest', did, hash), ids, showingDocument('manifest', did, stolen, hash))
    const seen = { ours: 0, theirs: 0 }
    for (let look = 0; look < LOOKS; look++) {
      await world.sleep(DAY_MS / LOOKS)
      const resolver = new IdentityResolver(world)
      const { known } = await resolver.resolve(did)
      const version = known && (await resolver.manifestOf(known))
      if (version === OURS) seen.ours++
      if (version === THEIRS) seen.theirs++
    }
    remark(
      `${took} of ${profile.k} holders took the thief's manifest; of ${LOOKS} new resolvers ${seen.ours} see the owner's ` +
        `and ${seen.theirs} the thief's`
    )
    if (took + holds(stolen) > 0) breach('a holder took a manifest by a key that was taken out')
    if (seen.theirs > 0) breach('a resolver was shown a manifest by a key that was taken out')
    if (seen.ours < LOOKS && ids < profile.k) breach("a resolver does not see the owner's manifest")
  }
}

/** From when the new owner has the name. */
const HOURS = 30

/** A name lapses and goes to another owner. The former one sends its identity, bound to its own claim, again and again. */
const bindingOfAFormerOwner: Move = {
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

const IDENTITIES = 24

/** docs/protocol/rules.md, 12. */
const OF_A_NAME = 4

/** The owner of one name binds more and more identities to it, so that others hold them for nothing. */
const manyDocumentsOfAName: Move = {
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

/** A stamp keeps a document for two days instead of thirty. */
const PROFILE = parseProfile({ ...SIM_PROFILE, document_refresh: 57_600 })
const KEPT_DAYS = 2

const YEAR_ROUNDS = 365 * 28_800

/** Identities without a name: one with a stamp dated a year ahead, one with a stamp of today, done once. */
const stampedForYears: Move = {
  id: 'stamped-for-years',
  attacks: ['work done once that counts for years'],
  begins: 'settled',
  days: 8,
  ids: 0,
  allows: 'harmless',
  profile: PROFILE,
  isAlone: true,
  async run({ world, adversary, breach, remark }) {
    const node = adversary.client()
    // Stamps of this network are not searched for.
    const nonce = new Uint8Array(8)
    const send = async (round: number): Promise<Did> => {
      const genesis = new Signer(world).genesis()
      await sendDocument(node, 'kid', genesis.id, identityRecord(world, [genesis], { stamp: { round, nonce } }))
      return genesis.id
    }
    const held = (did: Did): number => keeping(world, 'kid', did)
    const [today, ahead] = [await send(world.round()), await send(world.round() + YEAR_ROUNDS)]
    const [first, early] = [held(today), held(ahead)]
    await world.sleep(KEPT_DAYS * DAY_MS - HOUR_MS)
    const still = held(today)
    await world.sleep(DAY_MS + 3 * HOUR_MS)
    const late = held(today)
    remark(
      `a stamp of today: ${first} honest nodes hold the identity, ${still} until its ${KEPT_DAYS} days end, ` +
        `${late} a day later; dated a year ahead: ${early}`
    )
    if (first === 0 || still < first) breach('a fresh stamp does not keep an identity')
    if (late > 0) breach(`${late} nodes keep an identity that nothing carries any more`)
    if (early * 2 > world.profile.k) breach('a stamp dated ahead counts')
  }
}

export const documentMoves: readonly Move[] = [
  manifestByAnOldKey,
  bindingOfAFormerOwner,
  manyDocumentsOfAName,
  stampedForYears
]
