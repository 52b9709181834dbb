import { ProblemError } from '../../api/client/client.ts'
import { Failure, usageFailure } from '../failures/failure.ts'

/** What a DID that the daemon refuses or does not find needs; the table of codes speaks of requests and names. */
const CURES: Readonly<Record<string, string>> = {
  'SVC-REQ-001':
    'Give the whole DID as `chronym kid create` printed it, of the network of this daemon (`chronym status`).',
  'SVC-RES-002':
    'Check the DID, and that this daemon is in its network. Its owner publishes it with `chronym kid ' +
    'publish FILE`; one without a name lapses when its daemon stops.'
}

/** Throws CLI-USE-001 unless `text` is a DID. */
export function requireDid(text: string): string {
  if (text.startsWith('did:')) return text
  throw usageFailure(
    `"${text}" is no DID`,
    'A DID begins with did:, such as did:chronym:zQm...; a name is looked up by `chronym resolve NAME`.'
  )
}

/** The daemon's answer about a DID; a failure gets the cure that fits DIDs. */
export async function aboutDid<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const cure = error instanceof ProblemError ? CURES[error.code] : undefined
    if (cure === undefined) throw error
    const { toFailure } = await import('../to-failure.ts')
    const { code, message, exitCode, status, requestId } = toFailure(error)
    // There is one field, which the message names.
    throw new Failure(code, message, {
      exitCode,
      cure,
      cause: error,
      ...(status === undefined ? {} : { status }),
      ...(requestId === undefined ? {} : { requestId })
    })
  }
}
