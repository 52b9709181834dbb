/** A client of all sides: a new connection with TLS 1.3 for each request. */
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { NAME, type Measured } from './scene.ts'

const contexts = new Map<string, SecureContext>()

/** A connection that has shaken hands, through the tunnel of a proxy. */
export async function open({ port, isProxy, ca }: Measured, originPort: number): Promise<TLSSocket> {
  const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true })
  if (isProxy) {
    socket.write(`CONNECT ${NAME}:${originPort} HTTP/1.1\r\n\r\n`)
    await once(socket, 'data')
  }
  const secureContext = contexts.get(ca) ?? createSecureContext({ ca, minVersion: 'TLSv1.3' })
  contexts.set(ca, secureContext)
  const tls = connectTls({ socket, servername: NAME, secureContext })
  await once(tls, 'secureConnect')
  return tls
}

/** Gets a file; how many bytes came. */
async function get(server: Measured, originPort: number, path: string): Promise<number> {
  const tls = await open(server, originPort)
  tls.write(`GET ${path} HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`)
  let count = 0
  tls.on('data', (chunk: Buffer) => (count += chunk.length))
  await once(tls, 'close')
  return count
}

/** Gets it again and again for so long, `parallel` at once; bytes of each. Throws where an answer is too short. */
export async function load(
  server: Measured,
  originPort: number,
  { path, atLeast, seconds, parallel }: { path: string; atLeast: number; seconds: number; parallel: number }
): Promise<number> {
  const until = performance.now() + seconds * 1000
  let count = 0
  const one = async (): Promise<void> => {
    do {
      const bytes = await get(server, originPort, path)
      if (bytes < atLeast) throw new Error(`an answer has ${bytes} bytes instead of ${atLeast}`)
      count++
    } while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: parallel }, one))
  return count
}
