/**
 * A queue in which each prefix, and in it each peer, has its turn: one that asks for much waits behind nobody but
 * itself, and nobody waits behind that.
 */
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'

export class FairQueue<T> {
  readonly #limits: { readonly all: number; readonly peer: number }
  /** By prefix, then by peer, each in the order of their turns; none is empty. */
  readonly #waiting = new Map<string, Map<string, T[]>>()
  #size = 0

  constructor(limits: { readonly all: number; readonly peer: number }) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  /**
   * Lets an item wait. Gives back the one that leaves for it where there are too many, which may be itself: the last
   * one of the peer that has most, in the prefix that has most.
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

  /** The one whose turn it is. */
  next(): T | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [prefix, peers] = first
    const [peer] = peers.keys()
    const item = this.#take(prefix, peer!, 'first')
    // One with more to ask for is the last to have a turn again.
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

/** The key of the largest; of several the one whose turn comes last. */
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
