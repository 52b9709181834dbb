import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { TokenScope } from '../schemas/daemon.ts'
import { ServiceError } from '../../errors.ts'

/** Who asks: nobody known, or the holder of a token or of a dashboard session. */
export interface Caller {
  readonly via: 'none' | 'token' | 'session'
  readonly scopes: readonly TokenScope[]
  /** Whose rate limit it counts to: the token, its own or the session's; undefined for nobody known. */
  readonly token: string | undefined
  /** False once the token was revoked or replaced, or the session has ended. For long-lived answers. */
  isCurrent(): boolean
}

export interface AppEnv {
  Bindings: {
    /** Present when served over a socket; absent under `app.request()`. */
    incoming?: IncomingMessage
    outgoing?: ServerResponse
    /** It came by the UNIX socket, which has no address. */
    isUnixSocket?: boolean
  }
  Variables: {
    requestId: string
    caller: Caller
    /** The page that asks is of an origin in `api.allowed_origins`. */
    isAllowedOrigin?: boolean
  }
}

/** All of 127.0.0.0/8, also as IPv4 inside IPv6, and ::1: one machine, whichever of its 2^24 addresses it takes. */
const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i

/**
 * The one that a limit counts: the address of the connection, `loopback` for this machine, `unix` for who may connect to
 * the UNIX socket. Forwarding headers are anybody's words and are not read.
 */
export function clientOf(c: Context<AppEnv>): string {
  // Under app.request() there are no bindings at all.
  const bindings = c.env as AppEnv['Bindings'] | undefined
  if (bindings?.isUnixSocket === true) return 'unix'
  return clientAt(bindings?.incoming?.socket.remoteAddress)
}

/** The IP address of the socket itself; loopback under app.request(). */
export function ipOf(c: Context<AppEnv>): string {
  const bindings = c.env as AppEnv['Bindings'] | undefined
  const address = bindings?.incoming?.socket.remoteAddress ?? '127.0.0.1'
  // IPv4 inside IPv6, and the zone of a link-local address.
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')
}

/** Whether a program of this machine asks for itself. A reverse proxy asks for others, and says so. */
export function isOfThisMachine(c: Context<AppEnv>): boolean {
  const isForwarded = ['Forwarded', 'X-Forwarded-For', 'Via'].some((each) => c.req.header(each) !== undefined)
  return !isForwarded && LOOPBACK.test(ipOf(c))
}

export function clientAt(address: string | undefined): string {
  return address === undefined || LOOPBACK.test(address) ? 'loopback' : address
}

export interface Host {
  /** Without port, in lower case, IPv6 in brackets. */
  readonly hostname: string
  /** With the port, when one is given. */
  readonly host: string
}

/** The host that a request names; undefined when the header is not a host and port. */
export function hostOf(c: Context<AppEnv>): Host | undefined {
  const header = c.req.header('Host') ?? new URL(c.req.url).host
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(header)) return undefined
  const host = canonicalHost(header)
  return host === undefined ? undefined : { host, hostname: host.replace(/:\d+$/, '').replace(/\.$/, '') }
}

/** In lower case, IPv6 in brackets in its one spelling of RFC 5952; undefined for brackets around no address. */
export function canonicalHost(host: string): string | undefined {
  const address = /^\[[^\]]*\]/.exec(host)?.[0]
  if (address === undefined) return host.toLowerCase()
  const hostname = URL.parse(`http://${address}`)?.hostname
  return hostname === undefined ? undefined : `${hostname}${host.slice(address.length)}`
}

/** RFC 6761 "localhost", 127.0.0.0/8 and ::1. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(hostname)
  )
}

/** Does the Origin header, when there is one, name the very host that the request was sent to? */
export function isSameOrigin(c: Context<AppEnv>, origin: string): boolean {
  const host = hostOf(c)
  return host !== undefined && (origin === `http://${host.host}` || origin === `https://${host.host}`)
}

/**
 * A header of the request, its name in lower case; undefined when absent. Most are: Node knows that without the scan
 * of all headers that Hono makes.
 */
export function requestHeader(c: Context<AppEnv>, name: Lowercase<string>): string | undefined {
  const { outgoing } = (c.env as AppEnv['Bindings'] | undefined) ?? {}
  if (outgoing !== undefined && outgoing.req.headers[name] === undefined) return undefined
  return c.req.header(name)
}

/** RFC 9110, 8.8.3, of a zone. */
export function etagOf(serial: number): string {
  return `"${serial}"`
}

/** RFC 9110, 13.1.2: weak comparison. */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || tags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/**
 * The serial that If-Match asks for, undefined without one (RFC 9110, 13.1.1: strong comparison). Where several are
 * named, the standing one if it is among them. Throws SVC-ZON-004 when none can match.
 */
export function ifMatchSerial(ifMatch: string | undefined, standing: () => number | undefined): number | undefined {
  if (ifMatch === undefined) return undefined
  const current = standing()
  if (ifMatch.trim() === '*') {
    if (current === undefined)
      throw new ServiceError('SVC-ZON-004', "No local zone exists for this name, so If-Match can't match.")
    return current
  }
  const serials = tags(ifMatch).flatMap((tag) => (/^"\d{1,15}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []))
  const serial = current !== undefined && serials.includes(current) ? current : serials[0]
  if (serial === undefined) throw new ServiceError('SVC-ZON-004', 'If-Match names no ETag of a zone.')
  return serial
}

function tags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim())
}

/** A client's request id of this form is kept. */
const SANE_ID = /^[\w=-]{1,64}$/

/** Gives the request its identifier: the client's own where it is sane. */
export function identifyRequest(c: Context<AppEnv>): void {
  const given = requestHeader(c, 'x-request-id')
  c.set('requestId', given !== undefined && SANE_ID.test(given) ? given : crypto.randomUUID())
}
