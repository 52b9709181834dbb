/**
 * Token buckets, one a key: each holds what its sender may still spend, and refills over time.
 * The rule for changes of a name has its own (protocol/admission/change-rate.ts): rules import nothing, and each budget
 * is a value.
 */

interface Bucket {
  /** Below zero after a charge larger than the rest: the sender waits until it is positive again. */
  level: number
  atMs: number
}

interface BucketOptions {
  readonly perSecond: number
  readonly burst: number
  readonly keys: number
  /** Milliseconds. A clock set back refills nothing; from then on buckets refill by it. */
  readonly now: () => number
}

/**
 * Drops a bucket only once it is full, when forgetting it changes nothing. While `keys` buckets are not full, newcomers
 * share one. So a sender gains nothing by a new name, and memory is bounded.
 */
export class TokenBuckets {
  readonly #options: BucketOptions
  /** In the order of their last charge, the oldest first. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #shared: Bucket

  constructor(options: BucketOptions) {
    this.#options = options
    this.#shared = { level: options.burst, atMs: options.now() }
  }

  has(key: string): boolean {
    return this.#level(this.#buckets.get(key) ?? (this.#canKeepMore() ? undefined : this.#shared)) > 0
  }

  /** Spends, into debt where the amount is larger than the rest. */
  take(key: string, amount: number): void {
    const known = this.#buckets.get(key)
    const bucket =
      known ?? (this.#canKeepMore() ? { level: this.#options.burst, atMs: this.#options.now() } : this.#shared)
    const level = this.#level(bucket) - amount
    Object.assign(bucket, { level, atMs: this.#options.now() })
    if (bucket === this.#shared) return
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
  }

  /** Takes `amount` if that much is left and returns 0; otherwise takes nothing and returns the seconds to wait. */
  tryTake(key: string, amount: number): number {
    const level = this.#level(this.#buckets.get(key) ?? (this.#canKeepMore() ? undefined : this.#shared))
    if (level < amount) return (amount - level) / this.#options.perSecond
    this.take(key, amount)
    return 0
  }

  /** Drops full buckets, oldest first, where there is no room for one more. */
  #canKeepMore(): boolean {
    for (const [key, bucket] of this.#buckets) {
      if (this.#buckets.size < this.#options.keys) return true
      if (this.#level(bucket) < this.#options.burst) return false
      this.#buckets.delete(key)
    }
    return true
  }

  #level(bucket: Bucket | undefined): number {
    const { burst, perSecond, now } = this.#options
    if (bucket === undefined) return burst
    const nowMs = now()
    // Otherwise an empty bucket stays empty until the clock is where it was.
    if (nowMs < bucket.atMs) bucket.atMs = nowMs
    return Math.min(burst, bucket.level + ((nowMs - bucket.atMs) * perSecond) / 1000)
  }
}
