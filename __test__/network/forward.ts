/** A router's port forward, on loopback: it opens again where it was. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { OWN_HOST } from '../../scripts/loopback.ts'

/** Passes on what comes to a port of its own. */
export class Forward {
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0
  #stallsNew = false
  readonly #pairs: [Socket, Socket][] = []
  to: number | undefined
  host = '127.0.0.1'

  async open(): Promise<string> {
    this.#server = createServer((socket) => {
      const onward = connect({ host: this.host, port: this.to! })
      for (const each of [socket, onward]) this.#sockets.add(each.on('error', () => undefined))
      this.#pairs.push([socket, onward])
      if (!this.#stallsNew) socket.pipe(onward).pipe(socket)
    }).listen(this.#port, OWN_HOST)
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
    return `/ip4/${OWN_HOST}/tcp/${this.#port}`
  }

  /** Passes on nothing more of the connections that are open, and says nothing: a router that forgot them. */
  forget(): void {
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  /** The same of those that open from now on: a line that stalls. */
  stall(): void {
    this.#stallsNew = true
    this.forget()
  }

  resume(): void {
    this.#stallsNew = false
    for (const [socket, onward] of this.#pairs) socket.pipe(onward).pipe(socket)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
    if (this.#server?.listening !== true) return
    this.#server.close()
    await once(this.#server, 'close')
  }
}
