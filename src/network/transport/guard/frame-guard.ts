/**
 * Between noise and yamux: sees the header of each frame before its data is collected, what the streams agree on, and
 * how much of each is unread.
 */
import type { MessageStream, Stream, StreamMuxer } from '@libp2p/interface'
import { FRAME, FrameReader, HEADER_BYTES, readHeader, SYN, type Header, type Part } from './frames.ts'
import { GuardedStream } from './guarded-stream.ts'
import { Excess, STREAM_BYTES, UNSENT_BYTES, WINDOW_BYTES, type Spending } from './limits.ts'
import { LineReader, MULTISTREAM, NOT_AVAILABLE } from './lines.ts'
import { countReads, type Unread } from './unread.ts'

interface Seen {
  /** Bytes that the peer may send now. */
  window: number
  unread: number
  /** Received since the protocol was agreed on. */
  received: number
  readonly lines: LineReader
  isInbound: boolean
}

interface FrameGuardOptions {
  /** The multiplexer that has yet to be agreed on; undefined where noise's handshake did so. */
  readonly multiplexer: string | undefined
  /** Protocols that a peer may open a stream for. */
  readonly protocols: () => readonly string[]
  readonly spending: Spending
  readonly unread: Unread
}

export class FrameGuard extends GuardedStream {
  readonly #options: FrameGuardOptions
  readonly #frames = new FrameReader()
  readonly #streams = new Map<number, Seen>()
  /** Opened by the peer in frames that yamux may not have had yet. */
  readonly #opening = new Set<number>()
  /** Data of a frame that no stream takes: yamux collects it all the same. */
  #ownerless = 0
  #lines: LineReader | undefined
  #muxer: StreamMuxer | undefined

  constructor(inner: MessageStream, options: FrameGuardOptions) {
    super(inner, { maxReadBufferLength: WINDOW_BYTES, maxWriteBufferLength: UNSENT_BYTES.connection })
    this.#options = options
    const { multiplexer } = options
    if (multiplexer !== undefined) this.#lines = new LineReader((line) => line === multiplexer)
    this.listen()
  }

  carry(muxer: StreamMuxer): void {
    this.#muxer = muxer
  }

  /** Yamux sends each frame by a call of its own. */
  override send(data: Parameters<GuardedStream['send']>[0]): boolean {
    if (this.#muxer !== undefined && data.byteLength === HEADER_BYTES) {
      const { type, stream, length } = readHeader(data.subarray())
      const seen = this.#streams.get(stream)
      if (type === FRAME.window && seen !== undefined) seen.window += length
    }
    return super.send(data)
  }

  protected receive(bytes: Uint8Array): void {
    const used = this.#lines?.read(bytes) ?? 0
    if (used > 0) this.onData(bytes.subarray(0, used))
    if (this.#lines?.agreed !== undefined) this.#lines = undefined
    for (const part of this.#frames.read(bytes.subarray(used))) {
      if (part.isFirst) this.#begin(part.header)
      if (part.data.length > 0) this.#count(part)
      // What is unread may have ended this connection.
      if (this.status !== 'open') return
      this.onData(part.bytes)
      this.#adopt()
    }
  }

  #begin({ type, flags, stream, length }: Header): void {
    const { spending } = this.#options
    spending.spend('frames')
    const isOpening = (flags & SYN) !== 0
    if (type === FRAME.ping && isOpening) spending.spend('pings')
    if (type !== FRAME.data && type !== FRAME.window) return
    const isNew = isOpening && !this.#streams.has(stream)
    if (isOpening) spending.spend('streams')
    if (isNew) {
      this.#see(stream, true)
      this.#opening.add(stream)
    }
    if (type !== FRAME.data) return
    const seen = this.#streams.get(stream) ?? this.#seeOwn(stream)
    // Data of a stream that this side has reset may be under way.
    const window = seen?.window ?? WINDOW_BYTES
    if (stream === 0 || length > window)
      throw new Excess(`a frame of ${length} bytes for stream ${stream}, which may send ${window}`)
    if (seen !== undefined) seen.window -= length
  }

  /** Before yamux has them. */
  #count({ header, data, isLast }: Part): void {
    const { spending, unread } = this.#options
    const seen = this.#streams.get(header.stream)
    unread.add(data.length)
    if (seen === undefined) {
      this.#ownerless += data.length
      if (!isLast) return
      unread.add(-this.#ownerless)
      this.#ownerless = 0
      return
    }
    seen.unread += data.length
    const isAgreed = seen.lines.agreed !== undefined
    seen.received += data.length - seen.lines.read(data)
    const protocol = seen.lines.agreed
    if (protocol === undefined) return
    if (!isAgreed && seen.isInbound) spending.opened(protocol)
    if (seen.received > (STREAM_BYTES.get(protocol) ?? Infinity))
      throw new Excess(`${seen.received} bytes on a stream of ${protocol}`)
  }

  #see(id: number, isInbound: boolean): Seen {
    const { protocols } = this.#options
    const isAgreed = isInbound
      ? (line: string) => protocols().includes(line)
      : (line: string) => line !== MULTISTREAM && line !== NOT_AVAILABLE
    const lines = new LineReader(isAgreed)
    const seen: Seen = { window: WINDOW_BYTES, unread: 0, received: 0, lines, isInbound }
    this.#streams.set(id, seen)
    return seen
  }

  /** A stream that this side opened. */
  #seeOwn(id: number): Seen | undefined {
    const stream = this.#find(id)
    if (stream === undefined) return undefined
    const seen = this.#see(id, false)
    this.#follow(id, seen, stream)
    return seen
  }

  /** Follows the streams that yamux has opened, and forgets those that it refused. */
  #adopt(): void {
    if (this.#opening.size === 0 || this.#muxer === undefined || this.readBufferLength > 0) return
    for (const id of this.#opening) {
      const [seen, stream] = [this.#streams.get(id)!, this.#find(id)]
      if (stream === undefined) this.#forget(id, seen)
      else this.#follow(id, seen, stream)
    }
    this.#opening.clear()
  }

  #find(id: number): Stream | undefined {
    return this.#muxer?.streams.find((stream) => stream.id === String(id))
  }

  #follow(id: number, seen: Seen, stream: Stream): void {
    countReads(stream, (bytes) => {
      seen.unread -= bytes
      this.#options.unread.add(-bytes)
    })
    stream.addEventListener('close', () => this.#forget(id, seen))
  }

  #forget(id: number, seen: Seen): void {
    this.#options.unread.add(-seen.unread)
    seen.unread = 0
    if (this.#streams.get(id) === seen) this.#streams.delete(id)
  }
}
