import type { Socket } from 'node:net'
import type { Context } from 'hono'
import type { AppEnv } from './env.ts'

/** Servers of node:http and node:http2. */
interface ConnectionSource {
  on(event: 'connection', listener: (socket: Socket) => void): unknown
}

/** Connections that carried an authenticated request. */
const known = new WeakSet<object>()

/** Notes that an authenticated caller sent this request: its connection keeps its place until it closes. */
export function keepConnection(c: Context<AppEnv>): void {
  const socket = (c.env as AppEnv['Bindings'] | undefined)?.incoming?.socket
  if (socket !== undefined) known.add(socket)
}

/**
 * Bounds the open connections. `server.maxConnections` would close each new one when all places are taken [who holds
 * them idle keeps the owner out]. Here the oldest connection without an authenticated request gives way to a new one;
 * if there is none, the new one is closed. There is no bound for each source: this machine is one source, owner
 * included.
 */
export function boundConnections(server: ConnectionSource, max: number): void {
  const open = new Set<Socket>()
  // In order of arrival; those that became known are removed when a new connection needs a place.
  const strangers = new Set<Socket>()

  function leave(socket: Socket): void {
    open.delete(socket)
    strangers.delete(socket)
  }
  function giveWay(): boolean {
    for (const socket of strangers) {
      strangers.delete(socket)
      if (known.has(socket)) continue
      // Not at its `close`: another connection may come before that.
      leave(socket)
      socket.destroy()
      return true
    }
    return false
  }
  server.on('connection', (socket: Socket) => {
    if (open.size >= max && !giveWay()) {
      socket.destroy()
      return
    }
    open.add(socket)
    strangers.add(socket)
    socket.once('close', () => leave(socket))
  })
}
