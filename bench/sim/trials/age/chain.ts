/**
 * Time chains: one endless VDF in ticks of a day. A tick is seeded by the output of the former one, a pulse of its day
 * and the Merkle root of the settled claims that its operator sees. The age of a claim is the number of unbroken ticks
 * since the first that holds it. The VDF is modelled by a hash and by its squarings; trees and paths are real.
 */
import { concatBytes, equalBytes, sha256, u64be } from '../../../../src/protocol/encoding/bytes.ts'

export interface Tick {
  readonly day: number
  readonly root: Uint8Array
  /** Hash of the former output, the pulse of the day and the root: what the VDF gives. */
  readonly output: Uint8Array
}

/** What a holder stores beside a record: the tick, the leaf's place and its siblings, the lowest first. */
export interface Evidence {
  readonly chain: Uint8Array
  readonly day: number
  readonly index: number
  readonly path: readonly Uint8Array[]
}

export class TimeChain {
  readonly id: Uint8Array
  readonly ticks: Tick[] = []
  readonly #leaves = new Map<number, readonly Uint8Array[]>()

  constructor(operator: string) {
    this.id = sha256(Buffer.from(operator))
  }

  /** One more tick. `claims`: leaves, each the hash of (claim id, C, y). Days may be left out; then the chain is broken. */
  tick(day: number, claims: readonly Uint8Array[]): void {
    const root = rootOf(claims)
    const former = this.ticks.at(-1)?.output ?? this.id
    this.ticks.push({ day, root, output: outputOf(former, day, root) })
    this.#leaves.set(day, claims)
  }

  /** Of the first tick that holds it; undefined where none does. */
  evidence(claim: Uint8Array): Evidence | undefined {
    for (const { day } of this.ticks) {
      const leaves = this.#leaves.get(day)!
      const index = leaves.findIndex((leaf) => equalBytes(leaf, claim))
      if (index >= 0) return { chain: this.id, day, index, path: pathOf(leaves, index) }
    }
    return undefined
  }
}

/**
 * Days of unbroken work behind a claim: 0 where the path does not lead to the root of its tick, an output is not that of
 * its tick, a day is left out since, or the newest tick is older than a day.
 */
export function ageOf(claim: Uint8Array, evidence: Evidence, ticks: readonly Tick[], today: number): number {
  const first = ticks.findIndex(({ day }) => day === evidence.day)
  if (first < 0 || !equalBytes(climb(claim, evidence), ticks[first]!.root)) return 0
  for (const [index, { day, root, output }] of ticks.entries()) {
    const former = index === 0 ? evidence.chain : ticks[index - 1]!.output
    if (!equalBytes(output, outputOf(former, day, root))) return 0
    if (index > first && day !== ticks[index - 1]!.day + 1) return 0
  }
  const { day } = ticks.at(-1)!
  return today - day > 1 ? 0 : day - evidence.day
}

/** Bytes beside the record: chain id, day, index and path. */
export function bytesOf({ path }: Pick<Evidence, 'path'>): number {
  return 32 + 8 + 8 + 32 * path.length
}

function outputOf(former: Uint8Array, day: number, root: Uint8Array): Uint8Array {
  return sha256(concatBytes(former, u64be(day), root))
}

/** Leaves and nodes are told apart by their first byte, as in RFC 6962. */
const leafHash = (leaf: Uint8Array): Uint8Array => sha256(concatBytes(Uint8Array.of(0), leaf))
const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concatBytes(Uint8Array.of(1), left, right))

function layers(leaves: readonly Uint8Array[]): Uint8Array[][] {
  const all = [leaves.map(leafHash)]
  for (let layer = all[0]!; layer.length > 1; layer = all.at(-1)!)
    all.push(
      Array.from({ length: Math.ceil(layer.length / 2) }, (_, index) =>
        nodeHash(layer[2 * index]!, layer[2 * index + 1] ?? layer[2 * index]!)
      )
    )
  return all
}

export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  return layers(leaves).at(-1)![0] ?? new Uint8Array(32)
}

export function pathOf(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  return layers(leaves)
    .slice(0, -1)
    .map((layer, height) => layer[(index >> height) ^ 1] ?? layer[index >> height]!)
}

function climb(leaf: Uint8Array, { index, path }: Evidence): Uint8Array {
  return path.reduce(
    (node, sibling, height) => (((index >> height) & 1) === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node)),
    leafHash(leaf)
  )
}
