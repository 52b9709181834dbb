import { existsSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { seedFingerprint } from '../data-directory/seed-files.ts'
import { dataPaths } from '../data-directory/paths.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'
import { messageOf } from '../protocol/errors.ts'
import { type NetworkProfile, profileHash } from '../protocol/profile/profile.ts'
import { builtInProfiles } from '../protocol/profile/built-in.ts'
import { toHex } from '../protocol/encoding/bytes.ts'
import { didAssertionKey, didRecoveryKey, didUpdateKey, wordsToSeed } from '../protocol/crypto/keys.ts'
import { keys } from '../store/keys.ts'
import { openStore } from '../store/open.ts'
import { makeDirectories, syncDirectory } from '../util/files.ts'
import { type BackupContents, BackupError } from './container.ts'
import { buildGenesis } from '../protocol/identity/document.ts'
import { encodeAdoption } from '../registry/stored/owned-names.ts'
import type { StoredRecords } from '../store/inspect.ts'

/** Written beside the other files where the network is not built in. */
export const PROFILE_FILE = 'profile.json'

type RestoredContents = Pick<BackupContents, 'profile' | 'words' | 'records' | 'files'>

/** Throws BackupError `occupied` unless the directory is empty or not there. Touches nothing. */
export function requireEmptyDirectory(root: string): void {
  try {
    if (!existsSync(root) || readdirSync(root).length === 0) return
  } catch (error) {
    throw new BackupError(
      'occupied',
      `${root} can't be the new data directory: ${messageOf(error)}`,
      'Name another with --data-dir.',
      { cause: error }
    )
  }
  throw new BackupError(
    'occupied',
    `${root} is not empty, and a restore never writes over anything`,
    'Name a directory that is empty or not there yet with --data-dir, or move this one away.'
  )
}

/**
 * Makes a data directory of verified contents: all of it or nothing. It builds it beside its place, makes it durable,
 * and renames it.
 * Returns what `--network` of its daemon must be. `sealed`: text of the sealed seed that replaces the words in clear.
 * Throws BackupError `occupied` and StoreError; then nothing is left behind.
 */
export function writeDirectory(
  root: string,
  contents: RestoredContents,
  { sealed }: { readonly sealed?: string | undefined } = {}
): string {
  const place = resolve(root)
  requireEmptyDirectory(place)
  const parent = dirname(place)
  let staging: string | undefined
  try {
    makeDirectories(parent)
    staging = mkdtempSync(join(parent, `.${basename(place)}.restoring-`))
    const isBuiltIn = fill(staging, contents, sealed)
    if (existsSync(place)) rmdirSync(place)
    renameSync(staging, place)
    syncDirectory(parent)
    return isBuiltIn ? contents.profile.id : join(place, PROFILE_FILE)
  } catch (error) {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (
      code === 'EBUSY' ||
      code === 'ENOTEMPTY' ||
      code === 'EEXIST' ||
      code === 'EACCES' ||
      code === 'EPERM' ||
      code === 'ENOENT' ||
      code === 'ENOTDIR' ||
      code === 'EROFS'
    ) {
      throw new BackupError(
        'occupied',
        `${place} can't be made the data directory: ${messageOf(error)}`,
        'Name a directory below a place that you may write to; where this one is mounted, one inside it.',
        { cause: error }
      )
    }
    throw error
  }
}

/** True for a built-in network, whose id is enough. */
function fill(
  staging: string,
  { profile, words, records, files }: RestoredContents,
  sealed: string | undefined
): boolean {
  const paths = dataPaths(staging)
  const store = openStore(paths.database)
  try {
    store.batch([
      { put: keys.profile(), value: profileHash(profile) },
      { put: keys.seedFingerprint(), value: seedFingerprint(wordsToSeed(words)) },
      ...[...records].map(([key, value]) => ({ put: key, value }))
    ])
  } finally {
    store.close()
  }
  // Only the lock's empty file is left; the daemon makes its own.
  rmSync(join(staging, 'lock.db'), { force: true })
  for (const { path, bytes } of files) {
    const file = join(staging, path)
    makeDirectories(dirname(file))
    writeFileSync(file, bytes, { mode: 0o600, flush: true })
    syncDirectory(dirname(file))
  }
  const isBuiltIn = isBuiltInProfile(profile)
  if (!isBuiltIn) writePrivateFile(join(staging, PROFILE_FILE), `${JSON.stringify(profile, undefined, 2)}\n`)
  if (sealed === undefined) writePrivateFile(paths.seed, `${words}\n`)
  else writePrivateFile(paths.sealedSeed, sealed)
  syncDirectory(staging)
  return isBuiltIn
}

function isBuiltInProfile(profile: NetworkProfile): boolean {
  return Object.values(builtInProfiles).some(
    (known) => known.id === profile.id && toHex(profileHash(known)) === toHex(profileHash(profile))
  )
}

/**
 * Identities without services and aliases have a DID that follows from the seed and an index. The daemon looks for
 * indices below this.
 */
const GUESSED_INDICES = 8

/**
 * The records of a directory that has a seed and no names: what its daemon should look for in the network.
 * @param ids names and DIDs, besides the identities that the seed makes by default
 */
export function wantedRecords(
  masterSeed: Uint8Array,
  profile: NetworkProfile,
  { ids, sinceMs }: { readonly ids: readonly string[]; readonly sinceMs: number }
): StoredRecords {
  const wanted = (isGuess: boolean) => (id: string) => [keys.wanted(id), encodeAdoption({ sinceMs, isGuess })] as const
  return new Map([...defaultDids(masterSeed, profile).map(wanted(true)), ...ids.map(wanted(false))])
}

/** What `chronym kid create --index N` makes without further options. */
function defaultDids(masterSeed: Uint8Array, profile: NetworkProfile): string[] {
  const hash = profileHash(profile)
  return Array.from({ length: GUESSED_INDICES }, (_, index) => {
    const parts = {
      keys: [didAssertionKey(masterSeed, hash, index).publicKey],
      updateKeys: [didUpdateKey(masterSeed, hash, index).publicKey],
      recoveryKeys: [didRecoveryKey(masterSeed, hash, index).publicKey]
    }
    return buildGenesis(parts, profile).id
  })
}
