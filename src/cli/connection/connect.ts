import {
  createClient,
  plainFetch,
  ProblemError,
  type Client,
  type SeedBody,
  type Transport
} from '../../api/client/client.ts'
import { plural } from '../../util/words.ts'
import { proofKey } from '../../api/daemon-proof.ts'
import type { Context } from '../context.ts'
import { directoryTarget, directoryToken, givenToken, localPaths, requireToken, whichDaemon } from './location.ts'
import { provenFetch, UnprovedError } from '../../api/client/proven-fetch.ts'
import { printable } from '../terminal/format.ts'

/**
 * The client of the daemon that this command line is about. `anonymous` sends no token, as a stranger would ask.
 *
 * Without an address it uses the daemon of the data directory, which proves itself at each request. A named address
 * gets a token that the user gave. It gets the token of the data directory only if it proves to be its daemon.
 */
export function connect(context: Context, { anonymous = false } = {}): Client {
  const which = whichDaemon(context)
  const given = givenToken(context)
  if (which.kind === 'directory') {
    const locate = () => {
      const target = directoryTarget(context)
      return { ...target, token: anonymous ? undefined : (given ?? target.token) }
    }
    return createClient({ baseUrl: locate().url, fetch: provenFetch(locate) })
  }
  const { url: baseUrl, strict } = which
  if (anonymous) return createClient({ baseUrl })
  if (given !== undefined) {
    warnOfPlainText(context, baseUrl)
    return createClient({ baseUrl, token: given })
  }
  const token = directoryToken(context)
  if (token === undefined) return createClient({ baseUrl })
  const cure =
    `Give the address of the daemon of ${localPaths(context).root}, or omit --api. For another ` +
    'daemon, omit --data-dir and give --token.'
  const proven = provenFetch(() => ({ url: baseUrl, key: proofKey(token), token, ...(strict ? { cure } : {}) }))
  return createClient({ baseUrl, fetch: strict ? proven : orWithoutToken(context, proven) })
}

/**
 * As {@link connect}, for what must reach no other daemon, such as a passphrase. Before each request the other end of
 * the connection proves that it holds the main token. Throws CLI-TOK-001 without a main token.
 */
export function connectProven(context: Context): Client {
  const which = whichDaemon(context)
  if (which.kind === 'directory') return connect(context)
  const token = requireToken(context)
  const cure =
    'Give the main token of the daemon at that address with --token, or name its data directory with ' +
    '--data-dir and omit --api.'
  return createClient({
    baseUrl: which.url,
    fetch: provenFetch(() => ({ url: which.url, key: proofKey(token), token, cure }))
  })
}

/** Asks as a stranger where the address does not prove to be the daemon of the data directory, and says so once. */
function orWithoutToken(context: Context, proven: Transport): Transport {
  let said = false
  return async (url, init) => {
    try {
      if (url.startsWith('http:')) return await proven(url, init)
    } catch (error) {
      if (!(error instanceof UnprovedError)) throw error
    }
    if (!said)
      context.output.note(
        'note: asking without a token: this address does not prove to be the daemon of ' +
          `${printable(localPaths(context).root)}. Give the token of that daemon with --token or ` +
          'CHRONYM_TOKEN.'
      )
    said = true
    return plainFetch(url, init)
  }
}

function warnOfPlainText(context: Context, url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')) return
  context.output.note(
    `warning: the token goes to ${printable(hostname)} in plain text. Put TLS before that daemon ` +
      '(https), or use an SSH tunnel.'
  )
}

/** Undefined where the token may not read it. Earlier daemons lack some routes. */
export async function ifReadable<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    const silent = ['SVC-AUT-001', 'SVC-AUT-002', 'SVC-REQ-004']
    if (error instanceof ProblemError && silent.includes(error.code)) return undefined
    throw error
  }
}

export function waitingText(waiting: SeedBody['waiting']): string {
  return waiting.length === 0
    ? 'nothing waits for a signature'
    : `${plural(waiting.length, 'signature')} wait${waiting.length === 1 ? 's' : ''}: ${signaturesText(waiting)}`
}

export const signaturesText = (waiting: SeedBody['waiting']): string =>
  waiting.map(({ what, name }) => printable(`${what} ${name}`)).join(', ')
