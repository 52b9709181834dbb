/** Our server by itself, without a daemon: the zones come from its caller. */
import { addon } from '../../src/native/addon.ts'
import type { Server } from './ask.ts'

interface OursOptions {
  /** PKCS#8 DER of a P-256 key. */
  readonly key: Uint8Array
  readonly serial: number
  /** Upstreams for all other names, as `ip:port`. */
  readonly forward?: readonly string[]
}

/** Whether a name's answers are signed, and if not, why. */
type Trust = { readonly secure: true } | { readonly secure: false; readonly reason: string }

export interface Ours extends Server {
  setZone(name: string, records: Uint8Array, trust: Trust): void
  setAbsent(name: string): void
  anchor(): { readonly ds: string; readonly dnskey: string }
  stop(): Promise<void>
}

/** What is set stays known while a comparison or a bench runs. */
const KEPT_MS = 6 * 60 * 60_000
const ATTEMPTS = 5
const ADDRESS = '127.0.0.1'

/** UDP and TCP on one free port. */
export function startOurs(options: OursOptions): Ours {
  for (let attempt = 1; ; attempt++) {
    // The ports that connections come from, and so those that the system gives out, are above.
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    try {
      return startAt(options, port)
    } catch (error) {
      if ((error as { code?: string }).code !== 'LISTEN_FAILED' || attempt === ATTEMPTS) throw error
    }
  }
}

function startAt({ key, serial, forward = [] }: OursOptions, port: number): Ours {
  const server = addon().DnsServer.start(
    {
      tld: 'chronym',
      key,
      serial,
      listen: [
        { transport: 'udp', address: ADDRESS, port },
        { transport: 'tcp', address: ADDRESS, port }
      ],
      tls: null,
      forward: [...forward],
      isPublic: false,
      cacheBytes: 32 * 2 ** 20
    },
    // Names that nobody has set are unknown until the query times out.
    () => undefined
  )
  return {
    address: ADDRESS,
    port,
    setZone(name, records, trust) {
      server.setZone(name, records, { reason: '', ...trust }, KEPT_MS, KEPT_MS)
    },
    setAbsent: (name) => server.setAbsent(name, KEPT_MS, KEPT_MS),
    anchor: () => server.anchor(),
    stop: () => server.close()
  }
}
