/** Clients of all sides: a new connection with TLS 1.3 for each request. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { build } from '../build.ts'
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

let client: Promise<string> | undefined

/** Of new connections, milliseconds from the first packet, each in order. */
export interface Waits {
  /** To the end of the handshake with the server that was asked. */
  readonly handshake: readonly number[]
  /** To the first byte of the origin's answer. */
  readonly answer: readonly number[]
}

/**
 * `count` connections, 50 a second, by a client in Rust. One in Node computes for longer than proxy and origin together,
 * and curl for longer still: it reads the authority's file each time.
 */
export async function waits({ port, isProxy, ca }: Measured, originPort: number, count: number): Promise<Waits> {
  const vouching = join(scratchDirectory(), 'ca.pem')
  writeFileSync(vouching, ca)
  client ??= build({ folder: 'bench/rust/parts', name: 'parts', bin: 'handshakes', variant: 'plain' })
  const args = [port, NAME, originPort, vouching, count, ...(isProxy ? ['tunnel'] : [])].map(String)
  const { stdout } = await promisify(execFile)(await client, args)
  const taken = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map((microseconds) => Number(microseconds) / 1000))
  const column = (index: number): number[] => taken.map((each) => each[index]!).sort((left, right) => left - right)
  return { handshake: column(0), answer: column(1) }
}
