/** The file with the main access token. The daemon and the command line take it under the same conditions. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { PartError } from '../protocol/errors.ts'

/**
 * The daemon makes tokens of 43 characters. The minimum, 32 hex digits, has 128 bits: out of reach for offline
 * guessing.
 */
export const MIN_TOKEN_CHARACTERS = 32
const TOKEN = /^[!-~]+$/u
/** Permission bits of group and others. */
const OTHERS = 0o077

/** The file exists but is not safe to use. */
export class AccessTokenError extends PartError<'data-directory', 'access-token'> {
  override readonly name = 'AccessTokenError'
  override readonly part = 'data-directory'
  readonly reason: string
  readonly cure: string

  constructor(reason: string, cure: string) {
    super('access-token', `${reason}. ${cure}`)
    this.reason = reason
    this.cure = cure
  }
}

/**
 * The token without surrounding space, or undefined where there is no file. Throws AccessTokenError, or the system's
 * error.
 */
export function readAccessToken(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    requireOwn(path, file)
    const token = readFileSync(file, 'utf8').trim()
    const cure =
      'Stop the daemon, delete the file and start again: the daemon ' +
      'makes a new token. Or put the whole token back.'
    if (token.length < MIN_TOKEN_CHARACTERS)
      throw new AccessTokenError(
        `the access token in ${path} is too short: ${token.length} characters, ${MIN_TOKEN_CHARACTERS} at least`,
        cure
      )
    if (!TOKEN.test(token))
      throw new AccessTokenError(`the access token in ${path} has characters that no token has`, cure)
    return token
  } finally {
    closeSync(file)
  }
}

/** Windows has no owner or mode here; its directory inherits the user's access list. */
function requireOwn(path: string, file: number): void {
  const self = process.getuid?.()
  if (self === undefined) return
  const { uid, mode } = fstatSync(file)
  // Root looks after the daemons of other users.
  if (self !== 0 && uid !== self) {
    throw new AccessTokenError(
      `the access token ${path} belongs to another user (uid ${uid})`,
      'Run this as the user that runs the daemon; if somebody else put ' +
        'the file there, delete it and restart the daemon.'
    )
  }
  if ((mode & OTHERS) !== 0) {
    throw new AccessTokenError(
      `the access token ${path} can be read or changed by others (mode ${(mode & 0o777).toString(8)})`,
      `chmod 600 ${path}, then replace what they may have read: chronym token rotate.`
    )
  }
}
