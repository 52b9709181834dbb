/** The file with the main access token. The daemon and the command line take it under the same conditions. */
import { PartError } from '../protocol/errors.ts'
import { NotPrivateError, readPrivateFile } from './private-files.ts'

/**
 * The daemon makes tokens of 43 characters. The minimum, 32 hex digits, has 128 bits: out of reach for offline
 * guessing.
 */
const MIN_TOKEN_CHARACTERS = 32
const TOKEN = /^[!-~]+$/u

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
  const token = readPrivate(path)?.trim()
  if (token === undefined) return undefined
  const cure =
    'Stop the daemon, delete the file and start again: the daemon ' + 'makes a new token. Or put the whole token back.'
  if (token.length < MIN_TOKEN_CHARACTERS)
    throw new AccessTokenError(
      `the access token in ${path} is too short: ${token.length} characters, ${MIN_TOKEN_CHARACTERS} at least`,
      cure
    )
  if (!TOKEN.test(token))
    throw new AccessTokenError(`the access token in ${path} has characters that no token has`, cure)
  return token
}

function readPrivate(path: string): string | undefined {
  try {
    return readPrivateFile(path)
  } catch (error) {
    if (!(error instanceof NotPrivateError)) throw error
    throw new AccessTokenError(
      `the access token is not safe: ${error.reason}`,
      error.isForeign
        ? 'Run this as the user that runs the daemon; if somebody else put the file there, delete it and restart the daemon.'
        : `chmod 600 ${path}, then replace what they may have read: chronym token rotate.`
    )
  }
}
