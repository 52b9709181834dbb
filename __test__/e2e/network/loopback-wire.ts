/**
 * Loaded before a daemon (`node --import`). Its connections come from LOOPBACK_ADDRESS, so that peers do not see all at
 * 127.0.0.1. Connections with the addresses in LOOPBACK_CUT_FILE, one a line, are ended and refused while listed.
 */
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'

const ownAddress = process.env['LOOPBACK_ADDRESS']!
const cutFile = process.env['LOOPBACK_CUT_FILE']!
const LOOK_MS = 100

const isPeer = (host: unknown): host is string => typeof host === 'string' && /^127\.1\.\d+\.1$/.test(host)
const cut = (): ReadonlySet<string> => new Set(readFileSync(cutFile, 'utf8').split('\n'))
const sockets = new Set<Socket>()

function watch(socket: Socket): void {
  if (isPeer(socket.remoteAddress) && cut().has(socket.remoteAddress)) {
    socket.destroy()
    return
  }
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

type Connect = (this: Socket, ...args: unknown[]) => Socket
const connect = Reflect.get(Socket.prototype, 'connect') as Connect
Reflect.set(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]) {
  // net.connect() hands over its arguments as one array: the options, then the listener.
  const given: unknown = Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0]
  const options = given as { host?: string; localAddress?: string }
  if (isPeer(options.host)) {
    if (cut().has(options.host)) {
      queueMicrotask(() => this.destroy(new Error('the wire is cut')))
      return this
    }
    options.localAddress = ownAddress
    this.once('connect', () => watch(this))
  }
  return connect.apply(this, args)
})
subscribe('net.server.socket', (message) => watch((message as { socket: Socket }).socket))

setInterval(() => {
  const now = cut()
  for (const socket of sockets) {
    if (now.has(socket.remoteAddress ?? '')) socket.destroy()
  }
}, LOOK_MS).unref()
