/** A data directory knows its network and its seed. One that does not fit is refused and stays unchanged. */
import { plural } from '../util/words.ts'
import { existsSync, renameSync } from 'node:fs'
import * as v from 'valibot'
import { ServiceError } from '../errors.ts'
import { changesIn, decodeReveal } from '../protocol/claim/reveal.ts'
import type { Name } from '../protocol/name/names.ts'
import { makeNodeKey, readNodeKey } from './key-files.ts'
import {
  drawOwnerSeed,
  readOwnerSeed,
  readSealedSeed,
  sealingSteps,
  seedFingerprint,
  seedForm,
  unsealingSteps,
  writeOwnerSeed
} from './seed-files.ts'
import type { DataPaths } from './paths.ts'
import { makePrivateDirectory } from './private-files.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import type { KeyPair } from '../protocol/crypto/ed25519.ts'
import { nameKey, publicKeyOf } from '../protocol/crypto/keys.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import { forgetBackups, noteBackup } from './seed-safety.ts'
import { visitDirectory } from '../store/inspect.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { Bytes, readCbor } from '../store/stored-shapes.ts'
import { openStore, type StoreOptions } from '../store/open.ts'
import { StoreError, type OpenedStore, type Store, type StoreContents } from '../store/types.ts'

/** As much of an owned name as tells whose it is: src/registry/stored/owned-names.ts writes it. */
const SignedSchema = v.object({ reveal: Bytes })

/** What depends on the seed, as messages call it. */
const HOLDINGS = [
  ['name', prefixes.ownedNames],
  ['identity', prefixes.ownIdentities],
  ['task', prefixes.tasks],
  ['finished proof', prefixes.proofs]
] as const

export interface DataDirectory {
  readonly store: OpenedStore
  /** 32 bytes; the names' keys come from it. Undefined while it is locked: sealed, and not opened. */
  readonly masterSeed: Uint8Array | undefined
  readonly nodeKey: KeyPair
  /** Drawn in this start: nobody has its words yet. */
  readonly isSeedNew: boolean
  /** Drawn in this start, in a used directory: peers see a new id. */
  readonly isNodeKeyReplaced: boolean
}

interface OpenOptions extends Pick<
  StoreOptions,
  'onSetAside' | 'onBefore' | 'onChange' | 'onLateFailure' | 'onMigrated'
> {
  readonly unsealed?: Uint8Array | undefined
}

/**
 * Opens the directory of a daemon: checks that profile, seed and node key fit its contents, then makes what is missing.
 * Throws ServiceError SVC-CFG-001 (another network), SVC-KEY-001 (no seed), SVC-KEY-002 (another seed), SVC-KEY-003 and
 * SVC-KEY-004 (an unreadable file), or StoreError. After a ServiceError the directory is unchanged.
 */
export function openDataDirectory(
  paths: DataPaths,
  profile: NetworkProfile,
  { unsealed, ...options }: OpenOptions = {}
): DataDirectory {
  let wasUsed = false
  const store = openStore(paths.database, {
    ...options,
    admit(contents) {
      wasUsed = contents !== undefined
      requireNetwork(paths, profile, contents)
      const kept = keptSeed(paths, unsealed)
      if (kept !== 'locked')
        requireSeed(
          paths,
          profile,
          contents,
          kept,
          `the seed in ${seedForm(paths) === 'sealed' ? paths.sealedSeed : paths.seed}`
        )
      readNodeKey(paths.nodeKey)
    }
  })
  try {
    const kept = keptSeed(paths, unsealed)
    const masterSeed = kept === 'locked' ? undefined : (kept ?? drawOwnerSeed())
    if (kept === undefined) {
      forgetBackups(paths)
      writeOwnerSeed(paths.seed, masterSeed!)
    }
    // The file comes first: a directory bound to a seed that nobody has would be useless.
    store.batch([
      { put: keys.profile(), value: profileHash(profile) },
      ...(masterSeed === undefined ? [] : [{ put: keys.seedFingerprint(), value: seedFingerprint(masterSeed) }])
    ])
    const keptNodeKey = readNodeKey(paths.nodeKey)
    return {
      store,
      masterSeed,
      nodeKey: keptNodeKey ?? makeNodeKey(paths.nodeKey),
      isSeedNew: kept === undefined,
      isNodeKeyReplaced: keptNodeKey === undefined && wasUsed
    }
  } catch (error) {
    store.close()
    throw error
  }
}

/** The seed of the directory; `locked`: it is sealed, and was not opened. Throws SVC-KEY-003. */
function keptSeed(paths: DataPaths, unsealed: Uint8Array | undefined): Uint8Array | 'locked' | undefined {
  const form = seedForm(paths)
  if (form === 'sealed') return unsealed ?? 'locked'
  return form === 'clear' ? readOwnerSeed(paths.seed) : undefined
}

/**
 * Whether an unlocked seed is that of a directory opened without it; the directory then notes its fingerprint. Throws
 * SVC-KEY-002 with nothing changed, and StoreError.
 */
export function admitUnlocked(paths: DataPaths, profile: NetworkProfile, store: Store, seed: Uint8Array): void {
  requireSeed(paths, profile, store, seed, `the seed in ${paths.sealedSeed}`)
  if (store.get(keys.seedFingerprint()) === undefined) store.put(keys.seedFingerprint(), seedFingerprint(seed))
}

/**
 * Seals the seed of a directory, or changes the passphrase. After any error, and a crash at any moment, the directory
 * has its seed in at least one form.
 * Throws SVC-KEY-005 (in use), SVC-KEY-002 (the seed is not the directory's, or was replaced since), SVC-CFG-001,
 * SVC-STO-001.
 * @param sealed text of the new file, which was opened and gives `seed`
 * @param before text of the sealed file that gave `seed`; undefined where the words are in clear
 */
export function sealOwnerSeed(
  paths: DataPaths,
  profile: NetworkProfile,
  { seed, sealed, before }: { readonly seed: Uint8Array; readonly sealed: string; readonly before: string | undefined }
): void {
  underLock(paths, profile, seed, 'the one that was sealed', () => {
    requireUnchanged(paths, seed, before)
    for (const step of sealingSteps(paths, sealed)) step.run()
  })
}

/** Removes the passphrase. As {@link sealOwnerSeed}. */
export function unsealOwnerSeed(
  paths: DataPaths,
  profile: NetworkProfile,
  { seed, before }: { readonly seed: Uint8Array; readonly before: string | undefined }
): void {
  underLock(paths, profile, seed, 'the one that was opened', () => {
    requireUnchanged(paths, seed, before)
    for (const step of unsealingSteps(paths, seed)) step.run()
  })
}

/** Another command may have come between reading the seed and taking the lock. */
function requireUnchanged(paths: DataPaths, seed: Uint8Array, before: string | undefined): void {
  const clear = readOwnerSeed(paths.seed)
  const isSame =
    clear === undefined
      ? before !== undefined && readSealedSeed(paths) === before
      : before === undefined && equalBytes(clear, seed)
  if (!isSame)
    throw new ServiceError(
      'SVC-KEY-002',
      `The seed of ${paths.root} was changed by another command. This one changed nothing.`
    )
}

/** Throws SVC-KEY-005 where a daemon or another command uses the directory, SVC-STO-001. Changes nothing. */
export function requireUnused(paths: DataPaths): void {
  locked(() => visitDirectory(paths.database, () => () => undefined))
}

/**
 * Puts a seed into a directory that has none: a new one, or the one that the seed belongs to. False where it is there
 * already.
 * The caller has the words, so they count as checked. An unreadable seed file is kept beside it.
 * Throws SVC-KEY-002 (the directory has or belongs to another seed), SVC-KEY-005 (in use), SVC-CFG-001 (another
 * network), SVC-STO-001; then the directory is unchanged.
 * @param at RFC 3339, the time to note
 */
export function importOwnerSeed(paths: DataPaths, profile: NetworkProfile, seed: Uint8Array, at: string): boolean {
  if (!existsSync(paths.root)) makePrivateDirectory(paths.root)
  return underLock(paths, profile, seed, 'that of these words', () => putSeed(paths, seed, at))
}

/**
 * Whether the file's seed is the one of the directory. Changes nothing.
 * Throws SVC-KEY-002, SVC-KEY-005 (in use, so a daemon has found it right), SVC-CFG-001, SVC-STO-001.
 */
export function requireKeptSeed(paths: DataPaths, profile: NetworkProfile, seed: Uint8Array): void {
  underLock(paths, profile, seed, `the one in ${paths.seed}`, () => undefined)
}

function underLock<T>(paths: DataPaths, profile: NetworkProfile, seed: Uint8Array, what: string, act: () => T): T {
  return locked(() =>
    visitDirectory(paths.database, (contents) => {
      // Only a name's own network can judge it; a fingerprint fits every network.
      if (contents?.get(keys.seedFingerprint()) === undefined) requireNetwork(paths, profile, contents)
      requireSeed(paths, profile, contents, seed, what)
      return act
    })
  )
}

function locked<T>(visit: () => T): T {
  try {
    return visit()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const code = error.code === 'locked' ? 'SVC-KEY-005' : error.code === 'newer' ? 'SVC-STO-002' : 'SVC-STO-001'
    throw new ServiceError(code, error.message, { cause: error })
  }
}

function putSeed(paths: DataPaths, seed: Uint8Array, at: string): boolean {
  if (seedForm(paths) === 'sealed') {
    throw new ServiceError(
      'SVC-KEY-002',
      `${paths.sealedSeed} holds a seed under a passphrase, which is not replaced. ` +
        'Compare these words with it: chronym key check. Nothing was changed.'
    )
  }
  const kept = readableSeed(paths.seed)
  if (kept instanceof Uint8Array) {
    if (!equalBytes(kept, seed))
      throw new ServiceError(
        'SVC-KEY-002',
        `${paths.seed} holds another seed than that of these words. Nothing was changed.`
      )
    noteBackup(paths, { words_checked_at: at })
    return false
  }
  if (kept === 'damaged') renameSync(paths.seed, freePath(`${paths.seed}.damaged`))
  forgetBackups(paths)
  writeOwnerSeed(paths.seed, seed)
  noteBackup(paths, { words_checked_at: at })
  return true
}

function freePath(path: string): string {
  let free = path
  for (let number = 2; existsSync(free); number++) free = `${path}-${number}`
  return free
}

function readableSeed(path: string): Uint8Array | 'damaged' | undefined {
  try {
    return readOwnerSeed(path)
  } catch (error) {
    if (error instanceof ServiceError) return 'damaged'
    throw error
  }
}

/** A data directory belongs to one network: records of two must not mix. Throws SVC-CFG-001. */
function requireNetwork(paths: DataPaths, profile: NetworkProfile, contents: StoreContents | undefined): void {
  const known = contents?.get(keys.profile())
  if (known === undefined || equalBytes(known, profileHash(profile))) return
  throw new ServiceError(
    'SVC-CFG-001',
    `${paths.root} belongs to another network than ${profile.id} with these numbers, and was not ` +
      'changed. Start with the network it belongs to, or choose another directory with --data-dir.'
  )
}

/**
 * Whether a seed fits what the directory holds. Undefined means no seed, which fits a directory that never had one. A
 * directory older than fingerprints is judged by its names.
 * `what` is what messages call the seed. Throws SVC-KEY-001 and SVC-KEY-002.
 */
function requireSeed(
  paths: DataPaths,
  profile: NetworkProfile,
  contents: StoreContents | undefined,
  seed: Uint8Array | undefined,
  what: string
): void {
  if (contents === undefined) return
  const fingerprint = contents.get(keys.seedFingerprint())
  if (seed === undefined) {
    const held = holdingsOf(contents)
    if (fingerprint === undefined && held === '') return
    throw new ServiceError(
      'SVC-KEY-001',
      `${paths.seed} is not there, and ${paths.root} belongs to its ` +
        `seed${held === '' ? '' : `: it holds ${held}`}. Nothing was changed.`
    )
  }
  if (fingerprint !== undefined) {
    if (equalBytes(fingerprint, seedFingerprint(seed))) return
    throw new ServiceError('SVC-KEY-002', `${paths.root} belongs to another seed than ${what}. Nothing was changed.`)
  }
  const hash = profileHash(profile)
  const foreign = ownedKeys(contents).filter(
    ({ name, publicKey, index }) => !equalBytes(publicKey, publicKeyOf(nameKey(seed, hash, name, index)))
  )
  if (foreign.length === 0) return
  const others = foreign.length === 1 ? '' : ` and ${foreign.length - 1} more`
  throw new ServiceError(
    'SVC-KEY-002',
    `${paths.root} owns ${foreign[0]!.name}${others} by another seed than ${what}. Nothing was changed.`
  )
}

/** Who signed the names on disk, except unreadable ones. */
function ownedKeys(
  contents: StoreContents
): { readonly name: Name; readonly publicKey: Uint8Array; readonly index: number }[] {
  return [...contents.list(prefixes.ownedNames)].flatMap(([key, value]) => {
    try {
      const reveal = decodeReveal(readCbor(SignedSchema, value).reveal)
      return reveal.name === lastPart(key)
        ? [{ name: reveal.name as Name, publicKey: reveal.pubkey, index: changesIn(reveal) }]
        : []
    } catch {
      // Reading it for use sets it aside and says so.
      return []
    }
  })
}

/** "8 names, 1 task"; empty where there is nothing. */
function holdingsOf(contents: StoreContents): string {
  return HOLDINGS.map(([what, prefix]) => [what, contents.count(prefix)] as const)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => plural(count, what, what.replace(/y$/u, 'ie').concat('s')))
    .join(', ')
}
