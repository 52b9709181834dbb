/** Other keys in the same request, so that no peer learns which one is meant. */
import { randomBytes } from 'node:crypto'
import { compareBytes, concatBytes, fromHex, sha256, toHex } from '../../protocol/encoding/bytes.ts'

/** Keys requested beside the one that is meant. */
const DECOYS = 7

/** Keys kept of one listing. Two listings that share a third of their entries share a dozen of these. */
const SAMPLE = 64

const SECRET: Uint8Array = randomBytes(32)

/**
 * The keys of a listing that rank lowest by a secret rank, which depends on the key that is meant.
 * Random draws would fail: two questions for one key would have only that key in common. A fixed rank keeps the same
 * keys of every listing.
 */
export class KeySample {
  readonly #wanted: Uint8Array
  readonly #secret: Uint8Array
  #kept: { readonly key: Uint8Array; readonly rank: Uint8Array }[] = []

  constructor(wanted: Uint8Array, secret = SECRET) {
    this.#wanted = wanted
    this.#secret = secret
  }

  add(keys: readonly Uint8Array[]): void {
    const ranked = keys.map((key) => ({ key, rank: sha256(concatBytes(this.#secret, this.#wanted, key)) }))
    this.#kept = [...this.#kept, ...ranked].sort((left, right) => compareBytes(left.rank, right.rank)).slice(0, SAMPLE)
  }

  keys(): Uint8Array[] {
    return this.#kept.map(({ key }) => key)
  }
}

/** The meant key among up to seven others, ascending. Keys that more than half of the listings show come first. */
export function withDecoys(wanted: Uint8Array, samples: readonly KeySample[], secret = SECRET): Uint8Array[] {
  const shown = new Map<string, number>()
  for (const key of samples.flatMap((sample) => sample.keys())) shown.set(toHex(key), (shown.get(toHex(key)) ?? 0) + 1)
  const all = new KeySample(wanted, secret)
  const rest = new KeySample(wanted, secret)
  for (const [hex, count] of shown) (count * 2 > samples.length ? all : rest).add([fromHex(hex)])
  return [wanted, ...[...all.keys(), ...rest.keys()].slice(0, DECOYS)].sort(compareBytes)
}
