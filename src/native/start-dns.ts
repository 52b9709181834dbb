/** Starts the DNS server of the addon. */
import { addon } from './addon.ts'
import type { DnsQuestion, DnsServer, DnsServerOptions } from './dns.ts'
import { NativeError, type NativeErrorCode } from './errors.ts'

/**
 * See `DnsServerClass.start`. Throws NativeError: LISTEN_FAILED with address, cause and cure, INVALID_ARGUMENT for
 * options that cannot be used.
 */
export function startDnsServer(options: DnsServerOptions, onQuestion: (question: DnsQuestion) => void): DnsServer {
  try {
    return addon().DnsServer.start(options, onQuestion)
  } catch (cause) {
    if (cause instanceof NativeError) throw cause
    const { code, message } = cause as Error & { code: NativeErrorCode }
    throw new NativeError(code, message, { cause })
  }
}
