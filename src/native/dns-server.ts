/** Starts the addon's DNS server, with errors as those of the other native calls. */
import { addon } from './addon.ts'
import type { DnsQuestion, DnsServer, DnsServerOptions } from './dns.ts'
import { NativeError, type NativeErrorCode } from './errors.ts'

const CODES: ReadonlySet<string> = new Set<NativeErrorCode>(['INVALID_ARGUMENT', 'LISTEN_FAILED', 'SERVER_CLOSED'])

/** What the addon threw, as a NativeError where it has one of the codes of its DNS server. */
export function asDnsError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return CODES.has(code) ? new NativeError(code as NativeErrorCode, (error as Error).message, { cause: error }) : error
}

/** Throws NativeError: ADDON_UNAVAILABLE, LISTEN_FAILED, INVALID_ARGUMENT. `onQuestion` must not throw. */
export function startDnsServer(options: DnsServerOptions, onQuestion: (question: DnsQuestion) => void): DnsServer {
  try {
    return addon().DnsServer.start(options, onQuestion)
  } catch (error) {
    throw asDnsError(error)
  }
}
