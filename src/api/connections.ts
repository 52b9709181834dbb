import type { Socket } from 'node:net'
import type { Context } from 'hono'
import { addressPrefix } from '../protocol/neighbourhood/diversity.ts'
import { type AppEnv, type Caller, clientAt } from './http/request.ts'

/** Servers of node:http and node:http2. */
interface ConnectionSource {
  on(event: 'connection', listener: (socket: Socket) => void): unknown
}

/** Who sent the last authenticated request of a connection. */
const known = new WeakMap<object, Caller>()

/** Notes who sent the request: its connection gives way after those of strangers. */
export function keepConnection(c: Context<AppEnv>, caller: Caller): void {
  const socket = (c.env as AppEnv['Bindings'] | undefined)?.incoming?.socket
  if (socket !== undefined) known.set(socket, caller)
}

/**
 * Bounds the open connections. `server.maxConnections` would close each new one when all places are taken [who holds
 * them idle keeps the owner out]. Here an older one gives way to a new one: the oldest that carried no valid token or
 * session; else the oldest of the narrower token that has most, so that none keeps the owner out. If there is none, the
 * new one is closed. `ofNetwork` bounds those of one /24 or /48, unless it is this machine: that is one source, owner
 * included.
 */
export function boundConnections(server: ConnectionSource, max: number, ofNetwork = Infinity): void {
  /** The oldest first. */
  const open = new Set<Socket>()
  const ofNetworks = new Map<string, number>()

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket)
    const others = network === undefined ? 0 : (ofNetworks.get(network) ?? 0)
    if (others >= ofNetwork) {
      socket.destroy()
      return
    }
    if (open.size >= max) {
      const old = firstToGo(open)
      ;(old ?? socket).destroy()
      if (old === undefined) return
      // Not at its `close`: another connection may come before that.
      open.delete(old)
    }
    open.add(socket)
    if (network !== undefined) ofNetworks.set(network, others + 1)
    socket.once('close', () => {
      open.delete(socket)
      if (network === undefined) return
      const left = ofNetworks.get(network)! - 1
      if (left > 0) ofNetworks.set(network, left)
      else ofNetworks.delete(network)
    })
  })
}

/** Undefined for this machine, and for a socket that has gone already. */
function networkOf({ remoteAddress }: Socket): string | undefined {
  return remoteAddress === undefined || clientAt(remoteAddress) === 'loopback'
    ? undefined
    : addressPrefix(remoteAddress.replace(/%.*/, ''))
}

function firstToGo(open: Iterable<Socket>): Socket | undefined {
  const byToken = new Map<string, Socket[]>()
  for (const socket of open) {
    const caller = known.get(socket)
    if (caller?.token === undefined || !caller.isCurrent()) return socket
    if (caller.scopes.includes('admin')) continue
    const ofToken = byToken.get(caller.token)
    if (ofToken === undefined) byToken.set(caller.token, [socket])
    else ofToken.push(socket)
  }
  const [fullest] = [...byToken.values()].sort((left, right) => right.length - left.length)
  return fullest?.[0]
}
