/** Seeded randomness: the same seed gives the same run. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { concatBytes, fromHex } from '../../../src/protocol/encoding/bytes.ts'

export class Random {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    this.#state = createHash('sha256').update(seed).digest().readUInt32BE()
  }

  /** A stream of its own: what one part draws does not move the others. */
  fork(label: string): Random {
    return new Random(`${this.#seed}/${label}`)
  }

  /** 0 <= x < 1, by mulberry32. */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** 0 <= n < bound, whole. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least)
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list]
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      ;[order[last], order[other]] = [order[other]!, order[last]!]
    }
    return order
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }
}

/** DER before a raw key: PKCS #8 of RFC 8410. */
const PKCS8_PREFIX = fromHex('302e020100300506032b657004220420')

export function fastKeyPair(seed: Uint8Array): KeyPair {
  const der = Buffer.from(concatBytes(PKCS8_PREFIX, seed))
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' })
  const publicKey = new Uint8Array(Buffer.from(x!, 'base64url'))
  return { publicKey, secretKey: concatBytes(seed, publicKey) }
}
