/** All nodes by their place in the key space, nearest to a key first (XOR, as Kademlia counts). */
import { hasDiverse } from '../../../src/protocol/neighbourhood/diversity.ts'
import { distance, sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import type { NodePort } from '../ports.ts'

/** Nodes in one bucket, about. */
const BUCKET_NODES = 8
const MAX_BITS = 24

/** Diverse nodes beyond those that holders look at, for the places of nodes that do not answer. */
const SPARE = 8

export class Topology<N extends NodePort> {
  readonly #profile: NetworkProfile
  #bits = 0
  #buckets = new Map<number, Set<N>>()
  /** Those in which a node has had content. */
  readonly #withContent = new Set<number>()
  #size = 0
  #version = 0
  readonly #near = new Map<string, { readonly version: number; readonly nodes: readonly N[] }>()

  constructor(profile: NetworkProfile) {
    this.#profile = profile
  }

  get size(): number {
    return this.#size
  }

  /** Changes whenever a node comes or goes. */
  get version(): number {
    return this.#version
  }

  add(node: N): void {
    this.#size++
    this.#version++
    const bits = Math.min(MAX_BITS, Math.max(0, Math.floor(Math.log2(this.#size / BUCKET_NODES))))
    if (bits !== this.#bits) this.#rebuild(bits)
    this.#put(node)
  }

  remove(node: N): void {
    if (this.#buckets.get(top(node.position, this.#bits))?.delete(node) !== true) return
    this.#size--
    this.#version++
  }

  *all(): IterableIterator<N> {
    for (const bucket of this.#buckets.values()) yield* bucket
  }

  /** Those nearest to a key, as many as hold 2 k diverse ones and a few more; all of a small network. */
  near(key: Uint8Array): readonly N[] {
    const id = Buffer.from(key).toString('latin1')
    const known = this.#near.get(id)
    if (known?.version === this.#version) return known.nodes
    const wanted = 2 * this.#profile.k + SPARE
    const nodes: N[] = []
    for (const bucket of this.#nearestBuckets(key)) {
      nodes.push(...bucket)
      if (
        nodes.length >= wanted &&
        hasDiverse(
          nodes.map(({ peer }) => peer),
          wanted,
          this.#profile
        )
      )
        break
    }
    this.#near.set(id, { version: this.#version, nodes })
    return nodes
  }

  /** A node has had content: those around it may have something to replicate. */
  markContent({ position }: N): void {
    this.#withContent.add(top(position, this.#bits))
  }

  /** False only where none of the `count` nearest has had content: whole buckets are looked at. */
  mayHaveContent(key: Uint8Array, count: number): boolean {
    const first = top(key, this.#bits)
    for (let index = 0, seen = 0; index < 2 ** this.#bits && seen < count; index++) {
      if (this.#withContent.has(first ^ index)) return true
      seen += this.#buckets.get(first ^ index)?.size ?? 0
    }
    return false
  }

  /** All that share the first bits with a key, nearest first. */
  sharing(key: Uint8Array, bits: number): N[] {
    const nodes: N[] = []
    for (const bucket of this.#nearestBuckets(key)) {
      const sharing = bucket.filter(({ position }) => sharesPrefix(key, position, bits))
      if (bucket.length > 0 && sharing.length === 0) break
      nodes.push(...sharing)
    }
    return nodes
  }

  *#nearestBuckets(key: Uint8Array): IterableIterator<N[]> {
    const first = top(key, this.#bits)
    for (let index = 0; index < 2 ** this.#bits; index++) {
      const bucket = [...(this.#buckets.get(first ^ index) ?? [])]
      if (bucket.length === 0) continue
      const away = new Map(bucket.map((node) => [node, distance(key, node.position)]))
      yield bucket.sort((left, right) => away.get(left)! - away.get(right)!)
    }
  }

  #put(node: N): void {
    const place = top(node.position, this.#bits)
    const bucket = this.#buckets.get(place) ?? new Set()
    this.#buckets.set(place, bucket.add(node))
  }

  #rebuild(bits: number): void {
    const nodes = [...this.all()]
    this.#bits = bits
    this.#buckets = new Map()
    this.#withContent.clear()
    for (const node of nodes) {
      this.#put(node)
      if (node.contentVersion > 0) this.markContent(node)
    }
  }
}

/** The first bits of a position. */
function top(position: Uint8Array, bits: number): number {
  return bits === 0 ? 0 : new DataView(position.buffer, position.byteOffset).getUint32(0) >>> (32 - bits)
}
