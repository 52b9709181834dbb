/** Round robin over prefixes, and over the peers of each: a busy peer delays only itself. */
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'

export class FairQueue<T> {
  readonly #limits: { readonly all: number; readonly peer: number }
  /** By prefix, then by peer, in the order of their turns; no queue is empty. */
  readonly #waiting = new Map<string, Map<string, T[]>>()
  #size = 0

  constructor(limits: { readonly all: number; readonly peer: number }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  /**
   * Adds an item. When full, returns the item dropped for it: the last of the busiest peer in the busiest prefix,
   * perhaps the new one.
   */
  add({ peer, prefix }: Origin, item: T): T | undefined {
    const peers = this.#waiting.get(prefix) ?? new Map<string, T[]>()
    const items = peers.get(peer) ?? []
    if (items.length === this.#limits.peer) return item
    items.push(item)
    this.#waiting.set(prefix, peers.set(peer, items))
    this.#size++
    if (this.#size <= this.#limits.all) return undefined
    const fullest = largest(this.#waiting, (each) => [...each.values()].reduce((sum, { length }) => sum + length, 0))
    return this.#take(
      fullest,
      largest(this.#waiting.get(fullest)!, ({ length }) => length),
      'last'
    )
  }

  next(): T | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [prefix, peers] = first
    const [peer] = peers.keys()
    const item = this.#take(prefix, peer!, 'first')
    moveBack(peers, peer!)
    moveBack(this.#waiting, prefix)
    return item
  }

  #take(prefix: string, peer: string, which: 'first' | 'last'): T {
    const peers = this.#waiting.get(prefix)!
    const items = peers.get(peer)!
    const item = which === 'first' ? items.shift() : items.pop()
    if (items.length === 0) peers.delete(peer)
    if (peers.size === 0) this.#waiting.delete(prefix)
    this.#size--
    return item!
  }
}

/** The key of the largest value; of equals the one whose turn is last. */
function largest<V>(of: ReadonlyMap<string, V>, sizeOf: (value: V) => number): string {
  return [...of]
    .map(([key, value]) => ({ key, size: sizeOf(value) }))
    .reduce((most, each) => (each.size >= most.size ? each : most)).key
}

function moveBack<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
