/** Between the socket and noise: sees how both sides agree on noise, and the lengths of its messages. */
import type { MultiaddrConnection } from '@libp2p/interface'
import { GuardedStream } from './guarded-stream.ts'
import { Excess, UNSENT_BYTES, WINDOW_BYTES, type Spending } from './limits.ts'
import { LineReader } from './lines.ts'
import type { Unread } from './unread.ts'

export class SocketGuard extends GuardedStream {
  readonly spending: Spending
  readonly unread: Unread
  readonly #lines: LineReader
  /** Received until both sides have proven their keys: nothing else counts them. */
  #early: number | undefined = 0
  /** The first byte of a message's length, where the second one has not come. */
  #lengthBegun: number | undefined
  #leftOfMessage = 0

  constructor(
    connection: MultiaddrConnection,
    encryption: string,
    spending: Spending,
    openUnread: (hangUp: (reason: Error) => void) => Unread
  ) {
    super(connection, { maxReadBufferLength: WINDOW_BYTES, maxWriteBufferLength: UNSENT_BYTES.connection })
    this.spending = spending
    this.#lines = new LineReader((line) => line === encryption)
    this.unread = openUnread((reason) => this.abort(reason))
    this.addEventListener('close', () => this.unread.end())
    this.listen()
  }

  /** The handshake is done. What is unread from here on is counted by stream. */
  secured(prefix: string): void {
    this.unread.add(-(this.#early ?? 0))
    this.#early = undefined
    this.unread.countUnder(prefix)
  }

  protected receive(bytes: Uint8Array): void {
    this.spending.spend('bytes', bytes.length)
    if (this.#early !== undefined) {
      this.#early += bytes.length
      this.unread.add(bytes.length)
    }
    const messages = this.#count(bytes.subarray(this.#lines.read(bytes)))
    if (messages > 0) this.spending.spend('messages', messages)
    this.onData(bytes)
  }

  /** The messages that begin in these bytes. Throws Excess for an empty one, which noise skips without a word. */
  #count(bytes: Uint8Array): number {
    let messages = 0
    for (let at = 0; at < bytes.length;) {
      if (this.#leftOfMessage > 0) {
        const here = Math.min(this.#leftOfMessage, bytes.length - at)
        this.#leftOfMessage -= here
        at += here
      } else if (this.#lengthBegun === undefined) this.#lengthBegun = bytes[at++]!
      else {
        this.#leftOfMessage = (this.#lengthBegun << 8) | bytes[at++]!
        this.#lengthBegun = undefined
        if (this.#leftOfMessage === 0) throw new Excess('an empty message of noise')
        messages++
      }
    }
    return messages
  }
}
