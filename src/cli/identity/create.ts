import { fromBase64, toBase64 } from '../../protocol/encoding/bytes.ts'
import { nameKey } from '../../protocol/crypto/keys.ts'
import type { Did } from '../../protocol/identity/did.ts'
import type { IdentityDocument, Service } from '../../protocol/identity/document.ts'
import { signIdentityBinding } from '../../protocol/identity/record.ts'
import { parseName } from '../../protocol/name/names.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { decodeVdfProof } from '../../protocol/claim/proof.ts'
import type { IdentityPublishedBody, RevealBody } from '../../api/client/client.ts'
import { usageFailure, inputFailure } from '../failures/failure.ts'
import { createIdentity } from '../../protocol/identity/seed.ts'
import { nameOfInput, readJson } from '../input/files.ts'
import { parseRecoveryKeys } from './recovery-key.ts'
import { connect } from '../connection/connect.ts'
import { loadProfile, whichDaemon } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { heldBy, printable } from '../terminal/format.ts'

/** What POST /api/publish-kid takes as `authorized_kid`. */
interface AuthorizedIdentity {
  document: IdentityDocument
  name?: string
  /** Base64. */
  name_signature?: string
}

/** `files=FileServer=https://files.example`: fragment, type, endpoint. */
export function parseService(text: string): Service & { readonly serviceEndpoint: string } {
  const [fragment, type, ...endpoint] = text.split('=')
  if (fragment === undefined || fragment === '' || type === undefined || type === '' || endpoint.length === 0) {
    throw usageFailure(
      `--service ${text}: ID=TYPE=URL is expected`,
      'Example: --service files=FileServer=https://files.example'
    )
  }
  return { id: `#${fragment}`, type, serviceEndpoint: endpoint.join('=') }
}

/** The name's word for the identity: signed by the name's key for the claim that `reveal` shows. */
export function bindToName(seed: Uint8Array, reveal: RevealBody, did: Did, profile: NetworkProfile): string {
  const hash = profileHash(profile)
  const name = parseName(reveal.name, profile)
  const { chain, changes } = decodeVdfProof(fromBase64(reveal.vdf_proof))
  const key = nameKey(seed, hash, name, changes?.length)
  if (!Buffer.from(key.publicKey).equals(Uint8Array.from(reveal.pubkey)))
    throw usageFailure(`${reveal.name} belongs to another seed than this one`)
  const first = chain?.[0]?.p ?? reveal.drand_pulse
  return toBase64(signIdentityBinding(name, first, did, key.secretKey, hash).signature)
}

interface CreateOptions extends SeedOptions {
  name?: string
  recoveryKey?: string[]
  index: number
  service?: string[]
  alsoKnownAs?: string[]
  publish?: boolean
}

/** The daemon of the data directory signs with its seed: that asks for no passphrase where it is unlocked. */
async function createAtDaemon(context: Context, options: CreateOptions): Promise<void> {
  const published = await connect(context).createKid({
    index: options.index,
    services: (options.service ?? []).map(parseService),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.alsoKnownAs === undefined ? {} : { also_known_as: options.alsoKnownAs })
  })
  told(context, published)
}

export async function runCreate(context: Context, options: CreateOptions): Promise<void> {
  const ownSeed = options.seedFile === undefined && options.network === undefined && options.recoveryKey === undefined
  if (options.publish === true && ownSeed && whichDaemon(context).kind === 'directory')
    return createAtDaemon(context, options)
  const recoveryKeys = options.recoveryKey === undefined ? undefined : parseRecoveryKeys(options.recoveryKey)
  const profile = loadProfile(context, options.network)
  const seed = await readSeed(context, options.seedFile)
  const parts = {
    index: options.index,
    services: (options.service ?? []).map(parseService),
    alsoKnownAs: options.alsoKnownAs ?? [],
    recoveryKeys
  }
  const document = createIdentity(seed, parts, new Date().toISOString(), profile)
  const authorized: AuthorizedIdentity = { document }
  if (options.name !== undefined) {
    authorized.name = options.name
    authorized.name_signature = bindToName(seed, await connect(context).resolve(options.name), document.id, profile)
  }
  if (options.publish === true) told(context, await connect(context).publishKid(authorized))
  else {
    context.output.text(JSON.stringify({ authorized_kid: authorized }, undefined, context.output.json ? undefined : 2))
    context.output.note(`identity ${document.id}; publish it: chronym kid publish FILE`)
  }
}

export function publishedText(published: IdentityPublishedBody): string {
  return `${printable(published.did)} version ${published.version}, ${heldBy(published)}`
}

function told(context: Context, published: IdentityPublishedBody): void {
  context.output.answer(published, () => publishedText(published))
}

/** The wrapper's content: POST /api/publish-kid takes both. */
function unwrap(json: unknown, member: string): unknown {
  return typeof json === 'object' && json !== null && member in json ? (json as Record<string, unknown>)[member] : json
}

/** What `kid recover` prepares is not signed yet. */
function requireSigned(json: unknown, file: string): unknown {
  if (typeof json !== 'object' || json === null || !('chronym_recovery' in json)) return unwrap(json, 'authorized_kid')
  throw inputFailure(
    `${nameOfInput(file)} is a recovery that nobody has signed`,
    'Sign it first, where the recovery key is: chronym kid sign FILE --recovery-key-file KEY > SIGNED.'
  )
}

export async function runPublish(context: Context, _options: unknown, file: string): Promise<void> {
  const signed = requireSigned(await readJson(file, context.stdin), file)
  told(context, await connect(context).publishKid(signed))
}
