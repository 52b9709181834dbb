/**
 * Time chains: one endless VDF in ticks of a day. A tick is seeded by the output of the former one, a pulse of its day
 * and the Merkle root of the settled claims that are new to its operator. The VDF is modelled by a hash, and by its
 * squarings in costs.ts. Nothing in a tick tells when it was computed: pulses of past days are public.
 */
import { sign, verifyStrict, type KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { concatBytes, equalBytes, sha256, u64be, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { climb, pathOf, rootOf } from './tree.ts'

export interface Tick {
  readonly day: number
  readonly root: Uint8Array
  /** What the VDF gives. */
  readonly output: Uint8Array
}

/** A path from a leaf to the root of a tick. */
export interface Evidence {
  readonly day: number
  readonly index: number
  readonly path: readonly Uint8Array[]
}

/** What a resolver has of a chain. */
export interface Shown {
  /** The public key of the operator; the first tick is seeded by it. */
  readonly id: Uint8Array
  readonly ticks: readonly Tick[]
  /** Of the newest output, by the operator. A chain of anybody needs none. */
  readonly signature?: Uint8Array
}

export class TimeChain {
  readonly id: Uint8Array
  readonly #key: KeyPair | undefined
  readonly #ticks: Tick[]
  readonly #leaves = new Map<number, readonly Uint8Array[]>()

  /** @param from a public chain that this one continues as a fork, without its operator's key */
  constructor(key: KeyPair, from?: Shown) {
    this.#key = from === undefined ? key : undefined
    this.id = from?.id ?? key.publicKey
    this.#ticks = [...(from?.ticks ?? [])]
  }

  /** A day that is left out breaks the chain. */
  tick(day: number, leaves: readonly Uint8Array[]): void {
    const root = rootOf(leaves)
    this.#ticks.push({ day, root, output: outputOf(this.#ticks.at(-1)?.output ?? this.id, day, root) })
    if (leaves.length > 0) this.#leaves.set(day, leaves)
  }

  /** Of the first tick that holds the leaf; undefined where none does. */
  evidence(leaf: Uint8Array): Evidence | undefined {
    for (const [day, leaves] of this.#leaves) {
      const index = leaves.findIndex((each) => equalBytes(each, leaf))
      if (index >= 0) return { day, index, path: pathOf(leaves, index) }
    }
    return undefined
  }

  shown(): Shown {
    const newest = this.#ticks.at(-1)
    const signature =
      this.#key === undefined || newest === undefined ? undefined : sign(newest.output, this.#key.secretKey)
    return { id: this.id, ticks: this.#ticks, ...(signature !== undefined && { signature }) }
  }
}

/** The day from which on no day is left out. Undefined where an output is not that of its tick. */
export function unbrokenSince({ id, ticks }: Shown): number | undefined {
  let since: number | undefined
  for (const [index, { day, root, output }] of ticks.entries()) {
    const former = ticks[index - 1]
    if (!equalBytes(output, outputOf(former?.output ?? id, day, root))) return undefined
    if (former === undefined || day !== former.day + 1) since = day
  }
  return since
}

/**
 * Days of unbroken work behind a leaf. 0 where the path does not lead to the root of its tick, an output is not that of
 * its tick, a day is left out since, or the newest tick is older than a day.
 *
 * @param since what `unbrokenSince` gives, which is the costly part
 */
export function ageOf(
  leaf: Uint8Array,
  evidence: Evidence,
  chain: Shown,
  today: number,
  since = unbrokenSince(chain)
): number {
  const newest = chain.ticks.at(-1)
  const first = chain.ticks.find(({ day }) => day === evidence.day)
  if (newest === undefined || first === undefined || since === undefined) return 0
  if (evidence.day < since || today - newest.day > 1) return 0
  return equalBytes(climb(leaf, evidence.index, evidence.path), first.root) ? newest.day - evidence.day : 0
}

/** Whether the operator that the id names signed the newest tick, which fixes all before it. */
export function isSigned({ id, ticks, signature }: Shown): boolean {
  const newest = ticks.at(-1)
  return newest !== undefined && signature !== undefined && verifyStrict(signature, newest.output, id)
}

function outputOf(former: Uint8Array, day: number, root: Uint8Array): Uint8Array {
  const pulse = utf8(`pulse of day ${day}`)
  return sha256(concatBytes(former, pulse, u64be(day), root))
}
