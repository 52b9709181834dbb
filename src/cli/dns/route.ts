/** What a resolver must know to ask the daemon for its zone. Strict: it ends in files that root writes. */
import { isIP } from 'node:net'
import type { DnsView } from '../../views/dns.ts'
import { EXIT, Failure } from '../failures/failure.ts'

const TLD = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u
const DS = /^\S+ (?:\d+ )?IN DS (?<tag>\d{1,5}) (?<algorithm>\d{1,3}) (?<type>\d{1,3}) (?<digest>[0-9A-Fa-f]{40,96})$/u
const DNSKEY = /^\S+ (?:\d+ )?IN DNSKEY (?<flags>\d{1,5}) 3 (?<algorithm>\d{1,3}) (?<key>[A-Za-z0-9+/]+={0,2})$/u

/** The cure of CLI-DNS-003. */
export const ENABLE_CURE = 'Set dns.enabled = true in its configuration, and restart it. Its log says why DNS fails.'

function unusable(what: string): Failure {
  return new Failure('CLI-NET-002', `the daemon's answer has ${what}`, {
    exitCode: EXIT.fault,
    cure: 'Use a chronym of the same version as the daemon.'
  })
}

/** The zone without its closing dot. */
function tldOf(zone: string): string {
  const tld = zone.replace(/\.$/u, '')
  if (!TLD.test(tld)) throw unusable('a zone that is not a label of a domain name')
  return tld
}

/** An address that means "every interface" can't be asked. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}

function isLoopback({ address }: Pick<Server, 'address'>): boolean {
  return address === '::1' || address.startsWith('127.')
}

function serversOf(listen: DnsView['listen']): Server[] {
  const servers = listen
    .filter(({ transport }) => transport === 'udp')
    .map(({ address, port }): Server => {
      if (isIP(address) === 0 || !Number.isInteger(port) || port < 1 || port > 65_535)
        throw unusable('an unusable address')
      return { address: reachable(address), port }
    })
  const distinct = servers.filter(
    (server, at) => servers.findIndex((each) => each.address === server.address && each.port === server.port) === at
  )
  const local = distinct.filter(isLoopback)
  return local.length > 0 ? local : distinct
}

function anchorOf({ ds, dnskey }: { readonly ds: string; readonly dnskey: string }): Anchor {
  const digest = DS.exec(ds)?.groups
  const key = DNSKEY.exec(dnskey)?.groups
  if (digest === undefined || key === undefined) throw unusable('an anchor that is not a DS with its DNSKEY')
  return {
    keyTag: Number(digest['tag']),
    algorithm: Number(digest['algorithm']),
    digestType: Number(digest['type']),
    digest: digest['digest']!.toUpperCase(),
    flags: Number(key['flags']),
    publicKey: key['key']!
  }
}

/**
 * The servers to ask: those on loopback, else all. Throws CLI-DNS-003 where the daemon serves no DNS, CLI-NET-002 for an
 * answer that fits no configuration file.
 */
export function routeOf({ enabled, zone, listen, anchor }: DnsView): Route {
  const tld = tldOf(zone)
  const servers = serversOf(listen)
  if (!enabled || anchor === null || servers.length === 0)
    throw new Failure('CLI-DNS-003', 'the daemon serves no DNS', { exitCode: EXIT.refused, cure: ENABLE_CURE })
  return { tld, servers, anchor: anchorOf(anchor) }
}

/** `chronym. IN DS ...`, a line of a master file. */
export function dsLine({ tld, anchor }: Pick<Route, 'tld' | 'anchor'>): string {
  return `${tld}. IN DS ${anchor.keyTag} ${anchor.algorithm} ${anchor.digestType} ${anchor.digest}`
}

export function dnskeyLine({ tld, anchor }: Pick<Route, 'tld' | 'anchor'>): string {
  return `${tld}. IN DNSKEY ${anchor.flags} 3 ${anchor.algorithm} ${anchor.publicKey}`
}

/** `127.0.0.1:7453`, `[::1]:7453`. */
export function hostPort({ address, port }: Server): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`
}

export interface Server {
  /** An IP address, never one that means every interface. */
  readonly address: string
  readonly port: number
}

/** The key of the zone, as DS and as DNSKEY. */
interface Anchor {
  readonly keyTag: number
  readonly algorithm: number
  readonly digestType: number
  /** Upper-case hexadecimal. */
  readonly digest: string
  readonly flags: number
  /** Base64. */
  readonly publicKey: string
}

/** Where the names of a zone are answered, and the key that signs them. */
export interface Route {
  /** Without a closing dot. */
  readonly tld: string
  readonly servers: readonly Server[]
  readonly anchor: Anchor
}

export interface ConfigFile {
  readonly path: string
  /** What begins a comment in this format. */
  readonly comment: '#' | ';'
  /** With its closing line end. */
  readonly body: string
}
