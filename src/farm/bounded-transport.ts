/**
 * The NATS client's transport, with bounds on what a server sends. The client alone collects a message of any length, and
 * answers any number of pings; where it stops reading, its transport goes on to collect.
 */
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'
import { type NatsConnection, NatsConnectionImpl, setTransportFactory } from '@nats-io/transport-node'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { TokenBuckets } from '../util/token-buckets.ts'

/** Payloads have 1 MiB unless the server's operator says otherwise, and its JetStream answers with them in base64. */
export const MAX_MESSAGE_BYTES = 2 ** 21
/** INFO names the servers of a cluster; all other lines are shorter than 4 KiB. */
export const MAX_LINE_BYTES = 2 ** 16
/** A server pings every two minutes. */
const PINGS = { perSecond: 1, burst: 100, keys: 1 }

const LINE_END = 0x0a
/** How lines begin. At any other byte the client would print what came, and read no more. */
const STARTS = ['+OK', '-ERR ', 'INFO ', 'PING', 'PONG', 'MSG ', 'HMSG ']
/** Subject, subscription, at times where to answer, at times the length of headers, and the length in all. */
const MESSAGE = /^MSG +\S+ +\d{1,15}(?: +\S+)? +(?<whole>\d{1,15})\r\n$/u
const MESSAGE_WITH_HEADERS = /^HMSG +\S+ +\d{1,15}(?: +\S+)? +(?<head>\d{1,15}) +(?<whole>\d{1,15})\r\n$/u

/** Follows the protocol of a server (https://docs.nats.io/reference/reference-protocols/nats-protocol). */
export class ServerBounds {
  readonly #pings: TokenBuckets
  /** The line under way. */
  #line = ''
  /** Bytes of a payload that are to come, with the two that end it. */
  #payload = 0

  constructor(now: () => number) {
    this.#pings = new TokenBuckets({ ...PINGS, now })
  }

  /** Why the connection has to end before the client reads these bytes. */
  faultOf(bytes: Uint8Array): string | undefined {
    for (let at = 0; at < bytes.length;) {
      if (this.#payload > 0) {
        const taken = Math.min(this.#payload, bytes.length - at)
        if (!this.#endsAsItShould(bytes.subarray(at, at + taken))) return 'a message is longer than it says'
        this.#payload -= taken
        at += taken
        continue
      }
      const end = bytes.indexOf(LINE_END, at)
      const part = bytes.subarray(at, end === -1 ? bytes.length : end + 1)
      if (this.#line.length + part.length > MAX_LINE_BYTES) return `a line is longer than ${MAX_LINE_BYTES} bytes`
      this.#line += Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
      at += part.length
      const fault = this.#faultOfStart() ?? (end === -1 ? undefined : this.#faultOfLine())
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #faultOfStart(): string | undefined {
    const isKnown = STARTS.some((start) => start.startsWith(this.#line.slice(0, start.length)))
    return isKnown ? undefined : 'a line is none of the protocol'
  }

  /** Whether the last two bytes of a payload are those of a line's end: the client would skip others. */
  #endsAsItShould(part: Uint8Array): boolean {
    const left = this.#payload - part.length
    const [before, last] = [part.at(-2), part.at(-1)]
    if (left > 1) return true
    if (left === 1) return last === 0x0d
    return last === LINE_END && (before === undefined || before === 0x0d)
  }

  #faultOfLine(): string | undefined {
    const line = this.#line
    this.#line = ''
    if (line.startsWith('PING')) return this.#pings.tryTake('', 1) === 0 ? undefined : 'it pings without end'
    if (line.startsWith('INFO'))
      return isJson(line.slice('INFO'.length)) ? undefined : 'what it says of itself is not JSON'
    if (!/^H?MSG/u.test(line)) return undefined
    const { whole, head = '0' } = (MESSAGE.exec(line) ?? MESSAGE_WITH_HEADERS.exec(line))?.groups ?? {}
    const length = Number(whole)
    if (!(Number(head) <= length)) return 'a message does not say its length'
    if (length > MAX_MESSAGE_BYTES) return `a message has ${length} bytes; ${MAX_MESSAGE_BYTES} are the most`
    this.#payload = length + 2
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

class BoundedTransport extends NodeTransport {
  readonly #refused: (reason: string) => void

  constructor(refused: (reason: string) => void) {
    super()
    this.#refused = refused
  }

  /** Before TLS and credentials, the server's first line. */
  override peekInfo(): ReturnType<NodeTransport['peekInfo']> {
    let length = 0
    this.socket.on('data', (bytes: Uint8Array) => {
      length += bytes.length
      if (length > MAX_LINE_BYTES) this.#refuse(`its first line is longer than ${MAX_LINE_BYTES} bytes`)
    })
    return super.peekInfo()
  }

  override async *iterate(): AsyncGenerator<Uint8Array> {
    const bounds = new ServerBounds(() => performance.now())
    try {
      for await (const bytes of super.iterate()) {
        const fault = bounds.faultOf(bytes)
        if (fault !== undefined) {
          this.#refuse(fault)
          return
        }
        yield bytes
      }
    } finally {
      // The client has found a fault of its own, and reads no more.
      if (!this.done) this.socket.destroy()
    }
  }

  #refuse(reason: string): void {
    this.#refused(reason)
    this.socket.destroy(new Error(reason))
  }
}

/** As the client's own `connect`. `refused` is told why a connection was ended. */
export function connectBounded(
  options: NodeConnectionOptions,
  refused: (reason: string) => void
): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new BoundedTransport(refused), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect(options)
}
