/** Versions that the seed's update key signs: new keys, and the end of an identity. */
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { didAssertionKey, didUpdateKey } from '../../protocol/crypto/keys.ts'
import { KEY_INDICES, keyIndexOf } from '../../protocol/identity/seed.ts'
import {
  buildNextVersion,
  type IdentityChanges,
  type IdentityDocument,
  parseIdentityDocument,
  signIdentityDocument
} from '../../protocol/identity/document.ts'
import { type IdentityLog, verifyIdentityLog, verifyVersion } from '../../protocol/identity/log.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import type { OwnIdentityView } from '../../views/own.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { publishedText } from './create.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { loadProfile } from '../connection/location.ts'
import { requireConsent } from '../input/questions.ts'
import { readSeed, type SeedOptions } from '../key/seed.ts'
import { formatTable, printable } from '../terminal/format.ts'
import { aboutDid, requireDid } from '../input/names.ts'

/**
 * The next version with the keys of another index of the seed, for the old update key to sign. Services, aliases and
 * recovery keys stay. CLI-USE-001 where the index was used before [a key that leaked would sign again].
 */
function rotatedKeys(log: IdentityLog, seed: Uint8Array, wanted: number | undefined, profile: NetworkProfile) {
  const hash = profileHash(profile)
  const updateKeyAt = (index: number): string => encodeMultikey(didUpdateKey(seed, hash, index).publicKey)
  const used = new Set(log.versions.flatMap(({ document }) => document.updateKeys))
  const index =
    wanted ?? Array.from({ length: KEY_INDICES }, (_, each) => each).find((each) => !used.has(updateKeyAt(each)))
  if (index === undefined || used.has(updateKeyAt(index))) {
    throw usageFailure(
      index === undefined
        ? `all ${KEY_INDICES} keys of the seed were in ${log.did} before`
        : `the seed's key of index ${index} was in ${log.did} before: who has it would sign again`,
      'Leave out --index, or give one that was never used.'
    )
  }
  return { index, changes: keysAt(log.did, seed, index, profile) }
}

/** The tombstone: no key and no service is left for a reader that overlooks `deactivated`. */
const TOMBSTONE: IdentityChanges = {
  deactivated: true,
  verificationMethod: [],
  authentication: [],
  assertionMethod: [],
  service: [],
  alsoKnownAs: []
}

/**
 * The next version, signed by the seed's update key. CLI-USE-001 where the seed has none, the identity has ended or its
 * log is full.
 *
 * @param created an instant in UTC, such as `new Date(ms).toISOString()`
 */
function signNextVersion(
  log: IdentityLog,
  changes: IdentityChanges,
  seed: Uint8Array,
  created: string,
  profile: NetworkProfile
): IdentityDocument {
  const parent = log.versions.at(-1)!
  const { document } = parent
  if (document.deactivated === true)
    throw usageFailure(
      `${log.did} is deactivated since version ${document.version}`,
      'Only a recovery key can revive it: chronym kid recover DID.'
    )
  const index = keyIndexOf(document, seed, profile)
  if (index === undefined)
    throw usageFailure(
      `the seed has no update key of ${log.did}, version ${document.version}`,
      'Name the seed of its owner with --seed-file, or take the identity back: chronym kid recover DID.'
    )
  if (document.version >= profile.limits.kid_versions)
    throw usageFailure(`${log.did} has ${document.version} versions, and a log holds no more`)
  const key = didUpdateKey(seed, profileHash(profile), index)
  const signed = signIdentityDocument(buildNextVersion(document, changes), key, created, profile)
  verifyVersion(signed, parent, profile)
  return signed
}

/** The log as the daemon shows it, verified. CLI-INP-001 where it is another identity's; throws IdentityError. */
export async function readLog(context: Context, did: string, profile: NetworkProfile): Promise<IdentityLog> {
  const { versions } = await aboutDid(connect(context).identityLog(requireDid(did)))
  const log = verifyIdentityLog(
    versions.map((version) => parseIdentityDocument(version, profile)),
    profile
  )
  if (log.did === did) return log
  throw inputFailure(`the daemon answered with the log of ${log.did}, not of ${did}: ask another one with --api`)
}

/** One key that signs versions, and one for authentication and assertions. */
export function keysAt(did: string, seed: Uint8Array, index: number, profile: NetworkProfile): IdentityChanges {
  const hash = profileHash(profile)
  const method = `${did}#key-1`
  return {
    updateKeys: [encodeMultikey(didUpdateKey(seed, hash, index).publicKey)],
    verificationMethod: [
      {
        id: method,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: encodeMultikey(didAssertionKey(seed, hash, index).publicKey)
      }
    ],
    authentication: [method],
    assertionMethod: [method]
  }
}

interface NextVersionOptions extends SeedOptions {
  index?: number
  yes?: boolean
}

function identitiesText(identities: readonly OwnIdentityView[]): string {
  if (identities.length === 0) return 'no identities: chronym kid create --publish makes one'
  return formatTable([
    ['did', 'version', 'state', 'name', 'key', 'updated'],
    ...identities.map(({ did, version, state, name, index, updated }) => [
      printable(did),
      String(version),
      state,
      name === null ? '-' : printable(name),
      index === null ? '-' : String(index),
      updated
    ])
  ])
}

export async function runList(context: Context): Promise<void> {
  const identities = await connect(context).identities()
  context.output.answer(identities, () => context.output.commands(identitiesText(identities)))
}

export async function runRotate(context: Context, options: NextVersionOptions, did: string): Promise<void> {
  const { log, seed, profile } = await prepare(context, options, did)
  const { index, changes } = rotatedKeys(log, seed, options.index, profile)
  const published = await publish(context, { log, seed, profile }, changes)
  context.output.answer(
    { ...published, index },
    () =>
      `${publishedText(published)}; its keys are of index ${index} now. Publish its manifest again, for the new key to sign`
  )
}

export async function runDeactivate(context: Context, options: NextVersionOptions, did: string): Promise<void> {
  const prepared = await prepare(context, options, did)
  const { recoveryKeys = [] } = prepared.log.versions.at(-1)!.document
  await requireConsent(context, {
    cost:
      `${did} ends: resolvers show it as deactivated, without keys and services. ` +
      (recoveryKeys.length === 0
        ? 'It has no recovery key, so nothing revives it'
        : `Only its recovery key can revive it (${recoveryKeys.join(', ')})`),
    question: 'Deactivate it?',
    isGiven: options.yes === true
  })
  const published = await publish(context, prepared, TOMBSTONE)
  context.output.answer({ ...published, deactivated: true }, () => `${publishedText(published)}; it is deactivated`)
}

async function prepare(context: Context, options: NextVersionOptions, did: string) {
  const profile = loadProfile(context, options.network)
  const seed = await readSeed(context, options.seedFile)
  return { log: await readLog(context, did, profile), seed, profile }
}

async function publish(
  context: Context,
  { log, seed, profile }: Awaited<ReturnType<typeof prepare>>,
  changes: IdentityChanges
) {
  const document = signNextVersion(log, changes, seed, new Date().toISOString(), profile)
  return connect(context).publishKid({ document })
}
