/** How much a daemon reads of what workers say of themselves: length, number and names of messages are theirs to choose. */
import { TokenBuckets } from '../util/token-buckets.ts'

/** Decoding takes some ten microseconds a message, and some ten milliseconds a mebibyte. */
const LEAST_COST = 256
/** Ten thousand workers may begin at once. */
const BYTES = { perSecond: 2 ** 22, burst: 2 ** 22, keys: 1 }
/** A worker with a thousand evaluations reports each of them every two seconds, and at each checkpoint. */
const MESSAGES = { perSecond: 1000, burst: 2000 }

export class Intake {
  readonly #bytes: TokenBuckets
  readonly #messages: TokenBuckets

  constructor(workers: number, now: () => number) {
    this.#bytes = new TokenBuckets({ ...BYTES, now })
    this.#messages = new TokenBuckets({ ...MESSAGES, keys: workers, now })
  }

  /** Whether a message of that length may be decoded now. */
  takes(length: number): boolean {
    return this.#bytes.tryTake('', Math.max(LEAST_COST, length)) === 0
  }

  /** Whether a worker has not said too much. */
  hears(worker: string): boolean {
    return this.#messages.tryTake(worker, 1) === 0
  }
}
