/**
 * A peer that speaks TCP and noise by the libraries, and after that whatever a test writes: multistream lines and frames
 * of yamux, byte by byte. It dials, or waits to be dialled.
 */
import { generateKeyPair } from '@libp2p/crypto/keys'
import { serviceCapabilities } from '@libp2p/interface'
import type { ConnectionEncrypter, MessageStream } from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2p } from 'libp2p'

const AS_LONG_AS_A_TEST_MS = 2 ** 30

export const DATA = 0
export const WINDOW = 1
export const PING = 2
export const SYN = 1

/** A header, and the data that may be less than it says. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  length: number,
  data: Uint8Array = new Uint8Array()
): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt8(type, 1)
  header.writeUInt16BE(flags, 2)
  header.writeUInt32BE(stream, 4)
  header.writeUInt32BE(length, 8)
  return Buffer.concat([header, data])
}

export const dataFrame = (stream: number, data: Uint8Array, flags = 0): Buffer =>
  frame(DATA, flags, stream, data.length, data)

/** As multistream-select has it. */
export function line(text: string): Buffer {
  const bytes = Buffer.from(`${text}\n`)
  const length = bytes.length < 0x80 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  return Buffer.concat([Buffer.from(length), bytes])
}

export const HELLO = line('/multistream/1.0.0')

/** The frames that open a stream for a protocol, the first bytes of its data with them. */
export const opening = (stream: number, protocol: string, data: Uint8Array = new Uint8Array()): Buffer =>
  dataFrame(stream, Buffer.concat([HELLO, line(protocol), data]), SYN)

/** The encrypted side of one connection. */
export class RawConnection {
  readonly #stream: MessageStream
  /** All that came. */
  readonly received: Uint8Array[] = []
  sent = 0

  constructor(stream: MessageStream) {
    this.#stream = stream
    stream.addEventListener('message', ({ data }) => this.received.push(data.subarray()))
  }

  get isOpen(): boolean {
    return this.#stream.status === 'open'
  }

  get receivedBytes(): number {
    return this.received.reduce((sum, { length }) => sum + length, 0)
  }

  /** Waits until the system has taken the bytes. Stops where the other side hangs up. */
  async send(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && this.isOpen; at += 65_519) {
      const part = bytes.subarray(at, at + 65_519)
      if (!this.#stream.send(part)) await this.#drained()
      this.sent += part.length
      // The end of the connection is an event of the socket.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The library's own `onDrain` waits only once. */
  #drained(): Promise<unknown> {
    return new Promise((resolve) => {
      for (const type of ['drain', 'close'] as const) this.#stream.addEventListener(type, resolve, { once: true })
    })
  }

  /** Sends the same again and again until the other side hangs up, or this many bytes are sent. */
  async flood(bytes: Uint8Array, most: number): Promise<void> {
    while (this.isOpen && this.sent < most) await this.send(bytes)
  }

  pause(): void {
    this.#stream.pause()
  }

  hangUp(): void {
    this.#stream.abort(new Error('the test is over'))
  }
}

export class RawPeer {
  readonly address: string
  readonly peerId: Libp2p['peerId']
  readonly #node: Libp2p
  #dialled: Promise<unknown> = Promise.resolve()
  readonly #arrived: RawConnection[]
  readonly #waiting: ((connection: RawConnection) => void)[]

  private constructor(node: Libp2p, arrived: RawConnection[], waiting: ((connection: RawConnection) => void)[]) {
    this.#node = node
    this.#arrived = arrived
    this.#waiting = waiting
    this.peerId = node.peerId
    this.address = node.getMultiaddrs()[0]!.toString()
  }

  /**
   * @param place an address of this machine
   * @param agreesEarly on yamux, in noise's handshake
   */
  static async start({ place = '127.0.0.1', agreesEarly = true } = {}): Promise<RawPeer> {
    const arrived: RawConnection[] = []
    const waiting: ((connection: RawConnection) => void)[] = []
    // The library would go on to a multiplexer: it waits until the connection ends, and the test writes.
    const keep = async <T extends { connection: MessageStream }>(secured: Promise<T>): Promise<T> => {
      const { connection: stream } = await secured
      const connection = new RawConnection(stream)
      const next = waiting.shift()
      if (next === undefined) arrived.push(connection)
      else next(connection)
      return new Promise((_resolve, reject) => {
        stream.addEventListener('close', () => reject(new Error('the connection has ended')))
      })
    }
    const node = await createLibp2p({
      privateKey: await generateKeyPair('Ed25519'),
      addresses: { listen: [`/ip4/${place}/tcp/0`] },
      transports: [tcp({ dialOpts: { localAddress: place } as object })],
      connectionEncrypters: [
        (components) => {
          const inner = noise()(components)
          const encrypter: ConnectionEncrypter & { [serviceCapabilities]: string[] } = {
            protocol: inner.protocol,
            [serviceCapabilities]: ['@libp2p/connection-encryption'],
            secureInbound: (stream, options) =>
              keep(inner.secureInbound(stream, { ...options, skipStreamMuxerNegotiation: !agreesEarly })),
            secureOutbound: (stream, options) =>
              keep(inner.secureOutbound(stream, { ...options, skipStreamMuxerNegotiation: !agreesEarly }))
          }
          return encrypter
        }
      ],
      streamMuxers: [yamux()],
      connectionGater: { denyDialMultiaddr: () => false },
      connectionManager: { inboundUpgradeTimeout: AS_LONG_AS_A_TEST_MS, dialTimeout: AS_LONG_AS_A_TEST_MS },
      connectionMonitor: { enabled: false }
    })
    return new RawPeer(node, arrived, waiting)
  }

  /** One connection after the other. Rejects where nobody answers, or the handshake fails. */
  async dial(address: string): Promise<RawConnection> {
    await this.#dialled
    const { promise, resolve, reject } = Promise.withResolvers<RawConnection>()
    this.#waiting.push(resolve)
    // Settled once the connection has ended: until then the library joins others to it.
    this.#dialled = this.#node.dial(multiaddr(address), { force: true }).catch((error: unknown) => {
      const index = this.#waiting.indexOf(resolve)
      if (index >= 0) this.#waiting.splice(index, 1)
      reject(error)
    })
    return promise
  }

  /** The next connection, of either direction. */
  accept(): Promise<RawConnection> {
    const arrived = this.#arrived.shift()
    return arrived === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(arrived)
  }

  async stop(): Promise<void> {
    await this.#node.stop()
  }
}
