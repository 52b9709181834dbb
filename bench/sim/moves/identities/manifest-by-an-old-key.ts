/** A thief signs manifests with an assertion key that the owner has taken out; ids near the identity show the best one. */
import {
  bindingOf,
  CREATED,
  heldDocuments,
  identityRecord,
  IdentityResolver,
  isPublished,
  sendDocument,
  showingDocument,
  Signer
} from '../../people/identity.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { equalBytes } from '../../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../../src/protocol/claim/record-key.ts'
import { encodeManifestRecord, signManifest } from '../../../../src/protocol/identity/manifest.ts'
import { DAY_MS, HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Versions of the owner's manifest and of the thief's: the higher one counts. */
const [OURS, THEIRS] = [1, 9_999]

const LOOKS = 4

export const move: Move = {
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
