/** Something that listens where a NATS server should, and sends what it likes: raw bytes over TCP. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const INFO = { server_id: 'S', server_name: 's', version: '2.10.0', proto: 1, headers: true, max_payload: 2 ** 31 }
const PIECE = Buffer.alloc(2 ** 16, 0x61)

export class HostileServer {
  /** What it has sent to all that came. */
  sent = 0
  /** Connections so far. */
  came = 0
  readonly #server = createServer()
  readonly #sockets = new Set<Socket>()

  /** `answers`: it greets and answers as a server does, then goes on with what `attack` sends. */
  static async started(
    attack: (socket: Socket, send: (bytes: Uint8Array) => Promise<boolean>) => Promise<void>,
    answers = true
  ) {
    const made = new HostileServer()
    made.#server.on('connection', (socket) => void made.#serve(socket, attack, answers))
    await once(made.#server.listen(0, '127.0.0.1'), 'listening')
    return made
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #serve(socket: Socket, attack: Parameters<typeof HostileServer.started>[0], answers: boolean): Promise<void> {
    this.came++
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    /** False once the other side has gone. */
    const send = async (bytes: Uint8Array): Promise<boolean> => {
      if (socket.destroyed) return false
      this.sent += bytes.length
      if (!socket.write(bytes))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined)
      return !socket.destroyed
    }
    if (answers) {
      socket.write(`INFO ${JSON.stringify(INFO)}\r\n`)
      const greeted = Promise.withResolvers<undefined>()
      socket.on('data', (bytes: Buffer) => {
        if (!bytes.includes('PING\r\n')) return
        socket.write('PONG\r\n')
        greeted.resolve(undefined)
      })
      socket.on('close', () => greeted.resolve(undefined))
      await greeted.promise
    }
    await attack(socket, send)
    if (!socket.destroyed) await once(socket, 'close').catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await delay(0)
  }
}

/** The same bytes until the other side goes, or so many were sent. */
export async function flood(
  send: (bytes: Uint8Array) => Promise<boolean>,
  bytes = PIECE,
  most = 2 ** 31
): Promise<void> {
  for (let sent = 0; sent < most; sent += bytes.length) if (!(await send(bytes))) return
}
