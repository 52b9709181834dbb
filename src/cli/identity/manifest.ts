import * as v from 'valibot'
import { faultOf } from '../../protocol/encoding/issue.ts'
import { encodeMultikey, parseDid } from '../../protocol/identity/did.ts'
import { didAssertionKey } from '../../protocol/crypto/keys.ts'
import { type Capability, type Manifest, signManifest } from '../../protocol/identity/manifest.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import type { ResolvedIdentityBody } from '../../api/client/client.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { nameOfInput, readJson } from '../input/files.ts'
import { loadProfile } from '../connection/location.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { heldBy, printable } from '../terminal/format.ts'

/** Identities made from one seed that are looked through for the key of a document. */
const MAX_INDEX = 64
const DAY_MS = 24 * 60 * 60 * 1000

/** What a manifest may leave out is filled in; what the rules allow in it is the daemon's to say. */
const Draft = v.looseObject({
  id: v.optional(v.string()),
  version: v.optional(v.number()),
  capabilities: v.array(
    v.looseObject({
      id: v.string(),
      type: v.string(),
      protocol: v.string(),
      endpoint: v.string(),
      description: v.optional(v.string())
    })
  ),
  validFrom: v.optional(v.string()),
  validUntil: v.optional(v.string()),
  proof: v.optional(v.unknown())
})
type ManifestDraft = v.InferOutput<typeof Draft>

/** `files file-transfer https https://files.example`: id, type, protocol, endpoint. */
export function parseCapability(text: string): Capability {
  const [id, type, protocol, endpoint, ...rest] = text.trim().split(/\s+/u)
  if (id === undefined || type === undefined || protocol === undefined || endpoint === undefined) {
    throw usageFailure(
      `--capability "${text}": ID TYPE PROTOCOL ENDPOINT is expected`,
      "Example: --capability 'files file-transfer https https://files.example'"
    )
  }
  return { id, type, protocol, endpoint, ...(rest.length === 0 ? {} : { description: rest.join(' ') }) }
}

export function parseManifestDraft(json: unknown, file: string): ManifestDraft {
  const result = v.safeParse(Draft, json)
  if (result.success) return result.output
  throw inputFailure(
    `${nameOfInput(file)} is not a manifest: ${faultOf(result.issues)}`,
    'Write {"capabilities": [{"id", "type", "protocol", "endpoint"}]}, or give what `chronym manifest show DID` printed.'
  )
}

/** The key of this seed that the document lists for assertions, with the id of its verification method. */
function assertionKeyOf(seed: Uint8Array, identity: ResolvedIdentityBody, profile: NetworkProfile) {
  const hash = profileHash(profile)
  const methods = identity.kid_document.verificationMethod as readonly { id?: string; publicKeyMultibase?: string }[]
  for (let index = 0; index < MAX_INDEX; index += 1) {
    const key = didAssertionKey(seed, hash, index)
    const method = methods.find(({ publicKeyMultibase }) => publicKeyMultibase === encodeMultikey(key.publicKey))
    if (method?.id !== undefined) return { key, method: method.id }
  }
  throw usageFailure(
    `the seed has none of the keys of ${identity.kid_document.id}`,
    'Sign the manifest with the seed that made the identity: --seed-file, --data-dir.'
  )
}

/** Fills in what the draft leaves out (from the identity as the network shows it) and signs. */
export function makeManifest(
  seed: Uint8Array,
  draft: ManifestDraft,
  identity: ResolvedIdentityBody,
  days: number,
  nowMs: number,
  profile: NetworkProfile
): Manifest {
  const { key, method } = assertionKeyOf(seed, identity, profile)
  const standing = identity.manifest_document as { version?: number }
  const unsigned = {
    id: parseDid(identity.kid_document.id, profile),
    kid_version: (identity.kid_document as { version?: number }).version ?? 1,
    version: draft.version ?? (standing.version ?? 0) + 1,
    capabilities: draft.capabilities.map(({ id, type, protocol, endpoint, description }) => ({
      id,
      type,
      protocol,
      endpoint,
      ...(description === undefined ? {} : { description })
    })),
    validFrom: draft.validFrom ?? new Date(nowMs).toISOString(),
    validUntil: draft.validUntil ?? new Date(nowMs + days * DAY_MS).toISOString()
  }
  return signManifest(unsigned, method, key.secretKey, new Date(nowMs).toISOString(), profile)
}

interface PublishOptions extends SeedOptions {
  did?: string
  capability?: string[]
  days: number
}

async function draftOf(context: Context, file: string | undefined, options: PublishOptions): Promise<ManifestDraft> {
  const given = options.capability ?? []
  if ((file === undefined) === (given.length === 0))
    throw usageFailure('give a FILE ("-": standard input) or --capability, one of the two')
  if (file === undefined) return { capabilities: given.map((text) => ({ ...parseCapability(text) })) }
  const json = await readJson(file, context.stdin)
  const inner =
    typeof json === 'object' && json !== null && 'authorized_manifest' in json ? json.authorized_manifest : json
  return parseManifestDraft(
    typeof inner === 'object' && inner !== null && 'manifest' in inner ? inner.manifest : inner,
    file
  )
}

export async function runPublish(context: Context, options: PublishOptions, file: string | undefined): Promise<void> {
  const draft = await draftOf(context, file, options)
  const client = connect(context)
  let manifest: unknown = draft
  if (draft.proof === undefined) {
    const did = options.did ?? draft.id
    if (did === undefined)
      throw usageFailure('which identity? --did is missing', 'List its DID: it was printed by chronym kid create.')
    manifest = makeManifest(
      await readSeed(context, options.seedFile),
      draft,
      await client.resolveKid(did),
      options.days,
      Date.now(),
      loadProfile(context, options.network)
    )
  }
  const published = await client.publishManifest({ manifest })
  context.output.answer(
    published,
    () => `manifest version ${published.version} of ${printable(published.did)}, ${heldBy(published)}`
  )
}
