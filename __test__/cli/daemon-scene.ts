/** A daemon's HTTP interface, its data directory, and programs that pass for it, all on loopback. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect as dial, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { serve, type ApiServer } from '../../src/api/serve.ts'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { writePrivateFile } from '../../src/data-directory/private-files.ts'
import { writeRunningRecord } from '../../src/data-directory/running-record.ts'
import { createWorld, INSTANCE, MAIN_TOKEN, type World } from '../api/helpers/world.ts'
import { temporary } from '../temporary.ts'

export interface Impostor {
  readonly url: string
  readonly port: number
  /** All that it was sent. */
  readonly seen: string[]
}

const textOf = (request: IncomingMessage): string => `${request.method} ${request.url} ${request.rawHeaders.join(' ')}`

async function listen(server: Server, seen: string[], port = 0, host = '127.0.0.1'): Promise<Impostor> {
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return { url: `http://${host}:${taken}`, port: taken, seen }
}

/** What a test started, ended in reverse. */
export class DaemonScene {
  readonly #cleanups: (() => unknown)[] = []

  onEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup)
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup()
  }

  temporary(): string {
    const path = temporary()
    return path
  }

  /** A data directory as a daemon with that token leaves it; without an address no daemon runs on it. */
  dataDirectory(
    url?: string,
    { token = MAIN_TOKEN, instance = INSTANCE, socket = undefined as string | undefined } = {}
  ): string {
    const directory = this.temporary()
    const paths = dataPaths(directory)
    writePrivateFile(paths.token, `${token}\n`)
    if (url !== undefined) writeRunningRecord(paths, { url, socket, instance })
    return directory
  }

  async daemon(socket?: string, host = '127.0.0.1'): Promise<ApiServer & { world: World }> {
    const world = createWorld()
    const server = await serve(world.services, { host, port: 0, socket })
    this.onEnd(() => server.close())
    return { ...server, world }
  }

  /** Answers whatever it likes and notes what it is sent. */
  async impostor(
    answer: RequestListener = (_request, response) => response.end('[]'),
    port?: number,
    host?: string
  ): Promise<Impostor> {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(textOf(request))
      answer(request, response)
    })
    this.onEnd(async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    })
    return listen(server, seen, port, host)
  }

  /** Passes every byte on to the real daemon; `change` may rewrite what goes there. */
  async relay(to: number, change = (text: string) => text): Promise<Impostor> {
    const seen: string[] = []
    const server = createTcpServer((socket) => {
      const onward = dial({ host: '127.0.0.1', port: to })
      for (const end of [socket, onward]) end.on('error', () => undefined)
      socket.on('data', (bytes) => {
        seen.push(bytes.toString('latin1'))
        onward.write(change(bytes.toString('latin1')), 'latin1')
      })
      onward.pipe(socket)
      socket.on('close', () => onward.destroy())
    })
    this.onEnd(() => new Promise((resolve) => server.close(resolve)))
    return listen(server, seen)
  }
}
