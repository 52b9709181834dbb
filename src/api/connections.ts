import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'hono'
import type { AppEnv } from './env.ts'

/** Those that carried a request of somebody known. */
const known = new WeakSet<object>()

/** Notes that the connection of this request is of somebody known: it keeps its place until it closes. */
export function keepConnection(c: Context<AppEnv>): void {
  const socket = (c.env as AppEnv['Bindings'] | undefined)?.incoming?.socket
  if (socket !== undefined) known.add(socket)
}

/**
 * Bounds the connections open at once, in place of `server.maxConnections`, which closes each new one when all places
 * are taken [who holds them idle keeps the owner out]. Here the oldest that carried no request of somebody known gives
 * way to a new one; where all are of somebody known, the new one is closed. No source has a bound of its own: all of
 * this machine is one source, with the owner in it, and a new connection finds a place anyway.
 */
export function boundConnections(server: Server, max: number): void {
  const open = new Set<Socket>()
  // In the order in which they came; those that have become known are taken out when a place is looked for.
  const strangers = new Set<Socket>()

  function leave(socket: Socket): void {
    open.delete(socket)
    strangers.delete(socket)
  }
  function giveWay(): boolean {
    for (const socket of strangers) {
      strangers.delete(socket)
      if (known.has(socket)) continue
      // At once: another may come before its close is heard.
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
