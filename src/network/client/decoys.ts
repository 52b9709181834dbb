/** Names that are asked for beside the one that is meant, so that no peer learns which one that is. */
import { randomBytes } from 'node:crypto'
import { compareBytes, concatBytes, fromHex, sha256, toHex } from '../../protocol/encoding/bytes.ts'

/** Keys asked for beside the one that is meant. */
const DECOYS = 7

/**
 * Keys of one listing that are kept to choose from: two listings that share a third of their entries share a dozen of
 * these.
 */
const SAMPLE = 64

/** Nobody outside this process can tell which keys are drawn beside which. */
const SECRET = randomBytes(32)

/**
 * The keys of one listing that rank lowest, by a rank that depends on the key that is meant.
 *
 * It is no fresh chance: drawn by chance, the key that is meant would be the only one that two questions for it have in
 * common. As each peer's keys are ranked alike, those that are kept of one listing are kept of another.
 */
export class KeySample {
  readonly #wanted: Uint8Array
  #kept: { readonly key: Uint8Array; readonly rank: Uint8Array }[] = []

  constructor(wanted: Uint8Array) {
    this.#wanted = wanted
  }

  add(keys: readonly Uint8Array[]): void {
    const ranked = keys.map((key) => ({ key, rank: sha256(concatBytes(SECRET, this.#wanted, key)) }))
    this.#kept = [...this.#kept, ...ranked].sort((left, right) => compareBytes(left.rank, right.rank)).slice(0, SAMPLE)
  }

  /** Lowest rank first. */
  keys(): Uint8Array[] {
    return this.#kept.map(({ key }) => key)
  }
}

/**
 * The key that is meant among others of those listings, ascending: as many as seven that more than half of them show,
 * or, where there are too few, that fewer show.
 */
export function withDecoys(wanted: Uint8Array, samples: readonly KeySample[]): Uint8Array[] {
  const shown = new Map<string, number>()
  for (const key of samples.flatMap((sample) => sample.keys())) shown.set(toHex(key), (shown.get(toHex(key)) ?? 0) + 1)
  const all = new KeySample(wanted)
  const rest = new KeySample(wanted)
  for (const [hex, count] of shown) (count * 2 > samples.length ? all : rest).add([fromHex(hex)])
  return [wanted, ...[...all.keys(), ...rest.keys()].slice(0, DECOYS)].sort(compareBytes)
}
