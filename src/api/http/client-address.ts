import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

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
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

export function clientAt(address: string | undefined): string {
  return address === undefined || LOOPBACK.test(address) ? 'loopback' : address
}
