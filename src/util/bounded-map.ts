/** Maps and sets that forget their oldest entries, so that others cannot fill memory. */

/** A map that forgets its oldest entry beyond `capacity`. Setting a key, known or not, makes it the newest. */
export class BoundedMap<K, V> {
  protected readonly entries = new Map<K, V>()
  readonly #capacity: number

  /** `capacity`: entries kept, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  has(key: K): boolean {
    return this.entries.has(key)
  }

  keys(): IterableIterator<K> {
    return this.entries.keys()
  }

  values(): IterableIterator<V> {
    return this.entries.values()
  }

  set(key: K, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > this.#capacity) this.entries.delete(this.entries.keys().next().value as K)
  }

  delete(key: K): void {
    this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }
}

/** Reading an entry also makes it the newest: the least recently used is forgotten first. */
export class LruMap<K, V> extends BoundedMap<K, V> {
  override get(key: K): V | undefined {
    if (!this.entries.has(key)) return undefined
    const value = this.entries.get(key) as V
    this.set(key, value)
    return value
  }
}
