/** Merkle trees of a tick. Leaves and nodes are told apart by their first byte, as in RFC 6962. */
import { concatBytes, sha256 } from '../../../../src/protocol/encoding/bytes.ts'

const leafHash = (leaf: Uint8Array): Uint8Array => sha256(concatBytes(Uint8Array.of(0), leaf))
const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concatBytes(Uint8Array.of(1), left, right))

/** The last node of an odd layer is its own sibling: a path then has the same length for each leaf. */
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

/** 32 zero bytes for no leaves. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  return layers(leaves).at(-1)![0] ?? new Uint8Array(32)
}

/** The siblings from a leaf to the root, the lowest first. */
export function pathOf(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  return layers(leaves)
    .slice(0, -1)
    .map((layer, height) => layer[(index >> height) ^ 1] ?? layer[index >> height]!)
}

/** The root that a path leads to. */
export function climb(leaf: Uint8Array, index: number, path: readonly Uint8Array[]): Uint8Array {
  return path.reduce(
    (node, sibling, height) => (((index >> height) & 1) === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node)),
    leafHash(leaf)
  )
}
