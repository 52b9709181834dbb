/**
 * What one connection may cost this node below the record protocol. A peer that goes beyond any of it loses the
 * connection. docs/threat-model.md has what each library does without these bounds, and docs/verification.md what honest
 * peers need.
 */
import { TokenBuckets } from '../../../util/token-buckets.ts'

/** Each side of a stream may send this much ahead (yamux's first window). The longest message of ours has half of it. */
export const WINDOW_BYTES = 256 * 1024

/** Unsent bytes of a connection, and of each of its streams: an answer, and the frames that keep the connection up. */
export const UNSENT_BYTES = { connection: 2 ** 20, stream: WINDOW_BYTES }

/**
 * Streams that a peer may have open: 64 of the record protocol (wire/exchange.ts), one of identify, one push, two pings,
 * and others that are being set up.
 */
export const INBOUND_STREAMS = 128

/** Bytes that wait while a connection has no turn to be set up (transport/half-open.ts): one chunk of the socket. */
export const WAITING_BYTES = 64 * 1024

/** Lines until both sides agree on a protocol. libp2p's dialers name theirs first, and some older ones after it. */
export const LINES = 16

/** The longest line that multistream-select reads. */
export const LINE_BYTES = 1024

/** Bytes that a peer may send on one stream of libp2p's own protocols. go-libp2p sends 8 KiB of identify at most. */
export const STREAM_BYTES: ReadonlyMap<string, number> = new Map([
  ['/ipfs/id/1.0.0', 8 * 1024],
  ['/ipfs/id/push/1.0.0', 8 * 1024],
  ['/ipfs/ping/1.0.0', 8 * 1024]
])

const PUSH = '/ipfs/id/push/1.0.0'

/**
 * What a peer may do at once, and in a second.
 * - bytes: eight times what an honest peer is answered (budget/budget.ts), before they are decrypted.
 * - messages, frames: of noise and of yamux. A request and its answer take six at most, on a stream of their own sixteen.
 *   A frame costs the event loop 20 us, so that a whole burst takes 40 ms.
 * - streams: as many as a peer has requests.
 * - pings: of yamux, one in ten seconds from the most eager implementation.
 * - services: streams of identify and ping.
 * - pushes: each has the peer store sort the addresses that it names.
 */
const RATES = {
  bytes: { burst: 16 * 2 ** 20, perSecond: 4 * 2 ** 20 },
  messages: { burst: 2_048, perSecond: 1_024 },
  frames: { burst: 2_048, perSecond: 1_024 },
  streams: { burst: 320, perSecond: 80 },
  pings: { burst: 16, perSecond: 1 },
  services: { burst: 32, perSecond: 1 },
  pushes: { burst: 16, perSecond: 1 / 4 }
}

type Rate = keyof typeof RATES

/** A peer did what no honest one does. The connection ends with this reason. */
export class Excess extends Error {
  override readonly name = 'Excess'
}

/** What one connection has left of each rate. */
export class Spending {
  readonly #buckets = new Map<Rate, TokenBuckets>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Throws Excess. */
  spend(rate: Rate, amount = 1): void {
    const bucket = this.#buckets.get(rate) ?? new TokenBuckets({ ...RATES[rate], keys: 1, now: this.#now })
    this.#buckets.set(rate, bucket)
    if (bucket.tryTake('', amount) > 0) throw new Excess(`too many ${rate}`)
  }

  /** A stream was opened for one of libp2p's own protocols. Throws Excess. */
  opened(protocol: string): void {
    if (STREAM_BYTES.has(protocol)) this.spend(protocol === PUSH ? 'pushes' : 'services')
  }
}
