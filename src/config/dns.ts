/** The sections `dns` and `https` of a whole configuration: what fits together, without touching files or sockets. */
import { ServiceError } from '../errors.ts'
import type { Config } from './config.ts'
import { isLoopback, parseSocketAddress, socketAddressText, type SocketAddress } from './socket-address.ts'

export interface DnsSettings {
  /** UDP and TCP; undefined: the loopback addresses on the usual port, or any free one. */
  readonly listen: readonly SocketAddress[] | undefined
  readonly tlsListen: readonly SocketAddress[]
  readonly httpsListen: readonly SocketAddress[]
  /** Paths of PEM files; there is one where something listens with TLS. */
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined
  /** Of https; undefined: off. */
  readonly proxy:
    | (SocketAddress & { readonly allowPrivate: readonly string[]; readonly localPorts: readonly number[] | null })
    | undefined
  readonly forward: readonly SocketAddress[]
  /** Something listens beyond this machine. */
  readonly isPublic: boolean
  readonly cacheBytes: number
}

/**
 * Undefined where `dns.enabled` is false: the other fields then wait. Throws SVC-CFG-001 for a field without effect, and
 * for one that another field needs.
 */
export function configuredDns({ dns, https }: Pick<Config, 'dns' | 'https'>): DnsSettings | undefined {
  if (!dns.enabled) {
    if (https.enabled) throw invalid('https.enabled', 'has no effect while dns.enabled is false: it asks that server')
    return undefined
  }
  const [listen, tlsListen, httpsListen, forward] = [dns.listen, dns.tls_listen, dns.https_listen, dns.forward].map(
    (texts) => texts.map((text) => parseSocketAddress(text)!)
  )
  const isPublic = ![...listen!, ...tlsListen!, ...httpsListen!].every(isLoopback)
  checkCertificate(dns)
  checkForward(forward!, listen!)
  return {
    listen: listen!.length === 0 ? undefined : listen!,
    tlsListen: tlsListen!,
    httpsListen: httpsListen!,
    certificate: dns.tls_cert === '' ? undefined : { certificate: dns.tls_cert, key: dns.tls_key },
    proxy: configuredProxy(https, isPublic),
    forward: forward!,
    isPublic,
    cacheBytes: dns.cache_mib * 2 ** 20
  }
}

/** Any program that reaches it trusts its word for names, and sends it their bytes in clear: so loopback alone. */
function configuredProxy(
  { enabled, listen, allow_private, local_addresses, pass_ports }: Config['https'],
  isPublic: boolean
): DnsSettings['proxy'] {
  if (!enabled) return undefined
  if (local_addresses && isPublic)
    throw invalid(
      'https.local_addresses',
      'is for this machine alone, and others reach an address of dns.listen, dns.tls_listen or dns.https_listen'
    )
  const passed = pass_ports.map(Number)
  const unfit = passed.find((port) => port > 65_535 || port === 80 || port === 443)
  if (unfit !== undefined)
    throw invalid('https.pass_ports', `${unfit} is no port to pass: 80 and 443 are served, and the last is 65535`)
  const address = parseSocketAddress(listen)!
  if (!isLoopback(address))
    throw invalid('https.listen', `${listen} is no loopback address: give one, such as 127.0.0.1`)
  return {
    ...address,
    allowPrivate: allow_private,
    localPorts: local_addresses ? [443, 80, ...new Set(passed)] : null
  }
}

function checkCertificate(dns: Config['dns']): void {
  const listens = (['tls_listen', 'https_listen'] as const).find((field) => dns[field].length > 0)
  for (const [field, other] of [
    ['tls_cert', 'tls_key'],
    ['tls_key', 'tls_cert']
  ] as const) {
    if (dns[field] === '' && listens !== undefined)
      throw invalid(`dns.${field}`, `is missing, and dns.${listens} is set: name a PEM file`)
    if (dns[field] === '' && dns[other] !== '')
      throw invalid(`dns.${field}`, `is missing, and dns.${other} is set: name a PEM file`)
    if (dns[field] !== '' && listens === undefined)
      throw invalid(`dns.${field}`, 'has no effect: set dns.tls_listen or dns.https_listen, or leave it out')
  }
}

/** A server that asks itself asks without end. */
function checkForward(forward: readonly SocketAddress[], listen: readonly SocketAddress[]): void {
  for (const upstream of forward) {
    const text = socketAddressText(upstream)
    if (upstream.port === 0) throw invalid('dns.forward', `${text} has no port to ask`)
    if (listen.some((own) => isReachedBy(own, upstream)))
      throw invalid('dns.forward', `${text} is an address of this server itself: name another resolver`)
  }
}

/** `0.0.0.0` and `::` are every address of this machine, of which loopback is known here. */
function isReachedBy(own: SocketAddress, upstream: SocketAddress): boolean {
  if (own.port !== upstream.port) return false
  const isEvery = own.address === '0.0.0.0' || own.address === '::'
  return own.address === upstream.address || (isEvery && isLoopback(upstream))
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('SVC-CFG-001', `configuration: ${path}: ${message}`, { errors: [{ path, message }] })
}
