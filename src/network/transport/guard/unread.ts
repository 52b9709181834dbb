/** Bytes that peers sent and nothing has read yet, by connection, by prefix and in all. */
import { Excess } from './limits.ts'

/** One connection may have as many unread bytes as eight of our longest messages. */
const UNREAD_BYTES = { connection: 2 ** 20, prefix: 8 * 2 ** 20, all: 64 * 2 ** 20 }

interface Holder {
  bytes: number
  prefix: string
  readonly hangUp: (reason: Error) => void
}

/** What one connection has unread. */
export interface Unread {
  /** More than nothing may end this connection, or the one that has most unread. */
  add(bytes: number): void
  /** The peer is known now. */
  countUnder(prefix: string): void
  end(): void
}

export class UnreadBytes {
  readonly #limits: typeof UNREAD_BYTES
  readonly #holders = new Set<Holder>()
  readonly #ofPrefix = new Map<string, number>()
  #all = 0

  constructor(limits = UNREAD_BYTES) {
    this.#limits = limits
  }

  get all(): number {
    return this.#all
  }

  /** @param hangUp calls `end` */
  open(prefix: string, hangUp: (reason: Error) => void): Unread {
    const holder: Holder = { bytes: 0, prefix, hangUp }
    this.#holders.add(holder)
    return {
      add: (bytes) => {
        if (!this.#holders.has(holder)) return
        this.#change(holder, bytes)
        if (bytes > 0) this.#makeRoom(holder)
      },
      countUnder: (next) => {
        const { bytes } = holder
        this.#change(holder, -bytes)
        holder.prefix = next
        this.#change(holder, bytes)
      },
      end: () => {
        if (this.#holders.delete(holder)) this.#change(holder, -holder.bytes)
      }
    }
  }

  #change(holder: Holder, bytes: number): void {
    holder.bytes += bytes
    this.#all += bytes
    const ofPrefix = (this.#ofPrefix.get(holder.prefix) ?? 0) + bytes
    if (ofPrefix === 0) this.#ofPrefix.delete(holder.prefix)
    else this.#ofPrefix.set(holder.prefix, ofPrefix)
  }

  #makeRoom(holder: Holder): void {
    if (holder.bytes > this.#limits.connection) this.#hangUp(holder, 'its connection')
    if ((this.#ofPrefix.get(holder.prefix) ?? 0) > this.#limits.prefix)
      this.#hangUpFullest([...this.#holders].filter(({ prefix }) => prefix === holder.prefix))
    if (this.#all > this.#limits.all) this.#hangUpFullest([...this.#holders])
  }

  #hangUpFullest(holders: readonly Holder[]): void {
    const fullest = holders.reduce((left, right) => (right.bytes > left.bytes ? right : left))
    this.#hangUp(fullest, 'all connections')
  }

  #hangUp(holder: Holder, of: string): void {
    holder.hangUp(new Excess(`too many unread bytes of ${of}: ${holder.bytes} here`))
  }
}

const readers = new WeakMap<object, (bytes: number) => void>()

/** Has `onRead` called when bytes of the stream are read. */
export function countReads(stream: object, onRead: (bytes: number) => void): void {
  readers.set(stream, onRead)
}

/** Bytes of the stream were read. They have bounds of their own from here on (wire/exchange.ts). */
export function wasRead(stream: object, bytes: number): void {
  readers.get(stream)?.(bytes)
}
