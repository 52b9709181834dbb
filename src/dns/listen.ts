/** On which addresses the server starts. */
import { networkInterfaces } from 'node:os'
import { DNS_PORT } from '../config/config.ts'
import type { DnsSettings } from '../config/dns.ts'
import type { SocketAddress } from '../config/socket-address.ts'
import type { DnsListen, DnsServer } from '../native/dns.ts'
import { NativeError } from '../native/types.ts'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ServiceError } from '../errors.ts'
import { messageOf } from '../protocol/errors.ts'
import { portHolder } from '../util/port-holder.ts'
import { shellWord } from '../util/shell-commands.ts'

export interface Started {
  readonly server: DnsServer
  /** Why the usual addresses are not those that were taken. */
  readonly remark: string | undefined
}

/**
 * Starts the server on the addresses of the configuration. Where that names none: on both loopback addresses, port 7453;
 * where that port is taken, on any free one, which must not keep a second daemon from starting; where IPv6 is missing or
 * fails, on 127.0.0.1 alone. Throws NativeError LISTEN_FAILED.
 */
export function startListening(
  { listen, tlsListen }: Pick<DnsSettings, 'listen' | 'tlsListen'>,
  start: (listen: readonly DnsListen[]) => DnsServer,
  hasIpv6 = hasIpv6Loopback(),
  holderOf = portHolder
): Started {
  const tls = tlsListen.map((each): DnsListen => ({ transport: 'tls', ...each }))
  if (listen !== undefined) return { server: start([...datagramsAndStreams(listen), ...tls]), remark: undefined }
  const addresses = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']
  const attempts = [
    ...[DNS_PORT, 0].map((port) => addresses.map((address) => ({ address, port }))),
    ...(hasIpv6 ? [[{ address: '127.0.0.1', port: 0 }]] : [])
  ]
  let failure: NativeError | undefined
  for (const attempt of attempts) {
    try {
      return {
        server: start([...datagramsAndStreams(attempt), ...tls]),
        remark: failure && withHolder(failure.message, holderOf(DNS_PORT))
      }
    } catch (error) {
      if (!(error instanceof NativeError) || error.code !== 'LISTEN_FAILED') throw error
      failure = error
    }
  }
  throw failure!
}

const withHolder = (fault: string, holder: ReturnType<typeof portHolder>): string =>
  holder === undefined ? fault : `${fault}; process ${holder.pid} (${holder.command}) listens on port ${DNS_PORT}`

function datagramsAndStreams(addresses: readonly SocketAddress[]): DnsListen[] {
  return addresses.flatMap((each): DnsListen[] => [
    { transport: 'udp', ...each },
    { transport: 'tcp', ...each }
  ])
}

function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1') ?? false)
}

/** PEM. */
interface Certificate {
  readonly certificate: Uint8Array
  readonly key: Uint8Array
}

/** Why the server cannot use a private key, however well it fits its certificate. */
function faultOfKey(path: string, pem: Buffer): string | undefined {
  if (/^(?:-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/mu.test(pem.toString('latin1')))
    return `is encrypted, and the daemon asks for no passphrase of it. Decrypt it: openssl pkey -in ${shellWord(path)} -out FILE.`
  const curve = curveOf(pem)
  if (curve === undefined || CURVES.has(curve)) return undefined
  return `is a key on the curve ${curve}. Make a certificate with a key on P-256 or P-384, of RSA or of Ed25519.`
}

/** The curves of the server, by OpenSSL's names: P-256 and P-384. */
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1'])

/** Undefined for other keys, and for what is none. */
function curveOf(pem: Buffer): string | undefined {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve
  } catch {
    return undefined
  }
}

/** Reads a chain and its key, and checks that they fit. Throws SVC-DNS-003, which names field and file. */
export function readCertificate(paths: { readonly certificate: string; readonly key: string }): Certificate {
  const read = (field: string, path: string): Uint8Array => {
    try {
      return new Uint8Array(readFileSync(path))
    } catch (cause) {
      throw new ServiceError('SVC-DNS-003', `${field}, ${path}, cannot be read: ${messageOf(cause)}.`, { cause })
    }
  }
  const certificate = read('dns.tls_cert', paths.certificate)
  const key = read('dns.tls_key', paths.key)
  const fault = faultOfKey(paths.key, Buffer.from(key))
  if (fault !== undefined) throw new ServiceError('SVC-DNS-003', `dns.tls_key, ${paths.key}, ${fault}`)
  try {
    createSecureContext({ cert: Buffer.from(certificate), key: Buffer.from(key) })
  } catch (cause) {
    throw new ServiceError(
      'SVC-DNS-003',
      `${paths.certificate} and ${paths.key} are no certificate with its key: ${messageOf(cause)}.`,
      { cause }
    )
  }
  return { certificate, key }
}
