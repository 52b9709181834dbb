/**
 * What this user alone may change and read. Windows has neither owner nor mode here: what a directory holds inherits
 * the user's access list.
 */
import { NotUtf8Error, textOfUtf8 } from '../util/utf8.ts'
import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats
} from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../errors.ts'
import { AT_ONCE, makeDirectories } from '../util/files.ts'
import { replaceFileSync } from '../util/replace-file.ts'

/** Permission bits of group and others: to change a directory, and any. */
const CHANGE = 0o022
const ANY = 0o077
/** Of a directory: all may change it; and each its own entries alone. */
const ALL_CHANGE = 0o002
const STICKY = 0o1000

/** SVC-KEY-010. `isForeign`: it belongs to another user. */
export class NotPrivateError extends ServiceError {
  readonly reason: string
  readonly isForeign: boolean

  constructor(reason: string, isForeign: boolean) {
    super('SVC-KEY-010', `${reason}. Nothing was read or changed.`)
    this.reason = reason
    this.isForeign = isForeign
  }
}

/** Throws with a message for people, which names the part that can't be made. */
export function makePrivateDirectory(path: string): void {
  try {
    makeDirectories(path)
    chmodSync(path, 0o700)
  } catch (cause) {
    const cure =
      'Check that the disk can be written to and that the directory ' +
      'belongs to this user, or choose another with --data-dir.'
    throw new Error(`${path} cannot be the data directory: ${(cause as Error).message}. ${cure}`, { cause })
  }
}

/**
 * Refuses a directory in which another user can put or replace files: a planted seed or token would be taken for ours.
 * An empty one is closed to others instead. Refuses one that all can move away, too: what is written next would go to
 * the directory that they put there. Reads nothing of it. Throws SVC-KEY-010.
 */
export function requirePrivateDirectory(path: string): void {
  const self = process.getuid?.()
  if (self === undefined) return
  const found = statSync(path)
  if (found.uid !== self) throw foreign(path, found)
  requireFixedPlace(path)
  if ((found.mode & CHANGE) === 0) return
  if (readdirSync(path).length > 0)
    throw new NotPrivateError(`others can put files into ${path} (mode ${modeOf(found)})`, false)
  makePrivateDirectory(path)
}

function requireFixedPlace(path: string): void {
  for (let place = realpathSync(path), above; (above = dirname(place)) !== place; place = above) {
    const { mode } = statSync(above)
    if ((mode & ALL_CHANGE) !== 0 && (mode & STICKY) === 0)
      throw new NotPrivateError(
        `everybody can replace ${path}: all may change ${above} (mode ${modeOf({ mode })})`,
        false
      )
  }
}

/**
 * The text of a file with a secret; undefined where there is none, empty where it is not a file. In the directory of
 * another user root reads that user's files alone: a link there could lead to a file of root's.
 * Throws SVC-KEY-010 for a file of another user, or one that others can read or change.
 */
export function readPrivateFile(path: string, flags = AT_ONCE): string | undefined {
  let file: number
  try {
    file = openSync(path, flags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const self = process.getuid?.()
    const found = fstatSync(file)
    if (self !== undefined) {
      if (found.uid !== (self === 0 ? statSync(dirname(path)).uid : self)) throw foreign(path, found)
      if ((found.mode & ANY) !== 0)
        throw new NotPrivateError(`others can read or change ${path} (mode ${modeOf(found)})`, false)
    }
    return found.isFile() ? textOrOctets(readFileSync(file)) : ''
  } finally {
    closeSync(file)
  }
}

/** What is not UTF-8 as a character an octet: each reader expects ASCII, and refuses it in its own words. */
function textOrOctets(octets: Buffer): string {
  try {
    return textOfUtf8(octets)
  } catch (error) {
    if (error instanceof NotUtf8Error) return octets.toString('latin1')
    throw error
  }
}

/** Mode 0600. A crash leaves either the old or the new content. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  replaceFileSync(path, content, 0o600)
}

function foreign(path: string, { uid }: Stats): NotPrivateError {
  return new NotPrivateError(`${path} belongs to another user (uid ${uid})`, true)
}

function modeOf({ mode }: Pick<Stats, 'mode'>): string {
  return (mode & 0o777).toString(8)
}
