/** Clients of all sides: a new connection with TLS 1.3 for each request. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { programOf } from '../../scripts/packages.ts'
import { scratchDirectory } from '../network/scratch.ts'
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

/** Of new connections, milliseconds from the first packet, each in order. */
export interface Waits {
  /** To the end of the handshake with the server that was asked. */
  readonly handshake: readonly number[]
  /** To the first byte of the origin's answer. */
  readonly answer: readonly number[]
}

/**
 * One curl, 50 new connections a second. A client in Node computes longer than proxy and origin together, and collects
 * its garbage meanwhile.
 */
export async function waits({ port, isProxy, ca }: Measured, originPort: number, count: number): Promise<Waits> {
  const vouching = join(scratchDirectory(), 'ca.pem')
  writeFileSync(vouching, ca)
  const through = isProxy
    ? ['--proxy', `http://127.0.0.1:${port}`]
    : ['--connect-to', `${NAME}:${originPort}:127.0.0.1:${port}`]
  const { stdout } = await promisify(execFile)(programOf('curl'), [
    ...['--disable', '--silent', '--show-error', '--fail', '--noproxy', '', '--output', '/dev/null'],
    ...['--tlsv1.3', '--no-sessionid', '--cacert', vouching, '--header', 'Connection: close', '--rate', '50/s'],
    ...['--write-out', '%{num_connects} %{time_appconnect} %{time_starttransfer}\\n', ...through],
    `https://${NAME}:${originPort}/small?[1-${count}]`
  ])
  const lines = stdout.trim().split('\n')
  if (lines.length !== count || !lines.every((line) => line.startsWith('1 '))) throw new Error(`curl says ${stdout}`)
  const column = (index: number): number[] =>
    lines.map((line) => Number(line.split(' ')[index]) * 1000).sort((left, right) => left - right)
  return { handshake: column(1), answer: column(2) }
}
