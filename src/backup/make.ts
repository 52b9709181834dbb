import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../protocol/errors.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { seedToWords, wordsToSeed } from '../protocol/crypto/keys.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { readSnapshot, type StoredRecords } from '../store/inspect.ts'
import { hasEnded } from '../registry/claims/task.ts'
import { decodeEntry } from '../registry/claims/journal.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { VERSION } from '../version.ts'
import { type BackedUpFile, type BackupContents, BackupError } from './container.ts'
import { BACKED_UP_PREFIXES, problemOf, type RecordFacts } from './records.ts'
import { readTextFile } from '../util/utf8.ts'

/**
 * The files of an evaluation. Their states come first: intermediates only grow, so a later copy holds all that a state
 * counts.
 */
const TASK_FILE = /^(?:state\.[01]|repair\.[01]|mark\.\d{1,2}|intermediates)$/u

interface MakeOptions {
  /** 32 bytes, of a sealed seed that was opened; undefined: the words are in clear. */
  readonly seed?: Uint8Array | undefined
  readonly tasks: boolean
  readonly nowMs: number
  /** Those that the directory may belong to; its own hash chooses. */
  readonly networks: readonly NetworkProfile[]
}

interface MadeBackup {
  readonly contents: BackupContents
  /** Unreadable records, and why; the daemon sets them aside when it meets them. */
  readonly leftOut: readonly { readonly key: string; readonly reason: string }[]
}

/**
 * What a backup of a data directory holds, at one moment, with or without a running daemon. Writes nothing there;
 * SQLite may leave its empty files for readers beside the database.
 * Throws BackupError `source` (no seed, names of another seed) or `network`, StoreError.
 */
export async function makeContents(
  paths: DataPaths,
  { seed, tasks, nowMs, networks }: MakeOptions
): Promise<MadeBackup> {
  const masterSeed = seed ?? readSeed(paths)
  // Before the journal: a checkpoint older than its record serves, one without its record is worth nothing.
  const copied = tasks ? await copyTaskFiles(paths) : []
  const all = readSnapshot(paths.database, [
    keys.profile(),
    ...BACKED_UP_PREFIXES.filter((prefix) => tasks || prefix !== prefixes.tasks)
  ])
  const profile = networkOf(all, paths, networks)
  const facts = { profile, masterSeed }
  const leftOut: { key: string; reason: string }[] = []
  const records = new Map(
    [...all].filter(
      ([key, value]) =>
        key !== keys.profile() && isWanted(key, all) && isReadable(key, value, facts, leftOut) && isRunning(key, value)
    )
  )
  const files = copied.filter(({ path }) => records.has(keys.task(path.split('/')[1]!)))
  return {
    contents: { createdMs: nowMs, program: VERSION, profile, words: seedToWords(masterSeed), records, files },
    leftOut
  }
}

function readSeed(paths: DataPaths): Uint8Array {
  try {
    return wordsToSeed(readTextFile(paths.seed))
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new BackupError(
      'source',
      missing ? `there is no seed at ${paths.seed}` : `the seed at ${paths.seed} can't be read: ${messageOf(error)}`,
      'Name the data directory with --data-dir; a daemon makes its seed at the first start.',
      { cause: error }
    )
  }
}

function networkOf(all: StoredRecords, { root }: DataPaths, networks: readonly NetworkProfile[]): NetworkProfile {
  const known = all.get(keys.profile())
  const profile = networks.find((each) => known !== undefined && equalBytes(profileHash(each), known))
  if (profile !== undefined) return profile
  throw new BackupError(
    'network',
    `${root} belongs to another network than ${networks.map(({ id }) => id).join(', ')} with these numbers`,
    'Name the profile file that its daemon is started with: --network FILE.'
  )
}

/** Our own of the names seen: without them a serial could be used twice. */
function isWanted(key: string, all: StoredRecords): boolean {
  if (!key.startsWith(prefixes.seenNames)) return true
  const name = key.split('/')[1]!
  return all.has(keys.ownedName(name)) || all.has(keys.zone(name))
}

function isReadable(
  key: string,
  value: Uint8Array,
  facts: RecordFacts,
  leftOut: { key: string; reason: string }[]
): boolean {
  const reason = problemOf(key, value, facts)
  if (reason !== undefined) leftOut.push({ key, reason })
  return reason === undefined
}

function isRunning(key: string, value: Uint8Array): boolean {
  return !key.startsWith(prefixes.tasks) || !hasEnded(decodeEntry(value, lastPart(key)).state)
}

async function copyTaskFiles({ root, tasks }: DataPaths): Promise<BackedUpFile[]> {
  const files: BackedUpFile[] = []
  for (const id of await namesIn(tasks)) {
    const names = (await namesIn(join(tasks, id))).filter((name) => TASK_FILE.test(name))
    for (const name of names.sort(
      (left, right) => Number(left === 'intermediates') - Number(right === 'intermediates')
    )) {
      const path = `tasks/${id}/${name}`
      const bytes = await unlessGone(readFile(join(root, path)))
      if (bytes !== undefined) files.push({ path, bytes })
    }
  }
  return files
}

async function namesIn(directory: string): Promise<string[]> {
  return (await unlessGone(readdir(directory))) ?? []
}

/** A task may end, and its files disappear, while they are read. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
