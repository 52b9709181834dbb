/** Which documents are held here for which name. Durable: otherwise a name could add four more after each restart. */
import { utf8 } from '../../../protocol/encoding/bytes.ts'
import { keys, lastPart, prefixes, type DocumentKind } from '../../../store/keys.ts'
import type { Store, StoreOperation } from '../../../store/types.ts'

/** Documents per name. Without a bound, one VDF would let its owner fill a chosen node's disk with signed documents. */
const MAX_OF_A_NAME = 4

export class DocumentsByName {
  readonly #kind: DocumentKind
  readonly #nameOf = new Map<string, string>()
  readonly #byName = new Map<string, Set<string>>()

  constructor(store: Store, kind: DocumentKind) {
    this.#kind = kind
    const text = new TextDecoder()
    for (const [storeKey, name] of store.list(prefixes.carried(kind))) this.note(lastPart(storeKey), text.decode(name))
  }

  nameOf(id: string): string | undefined {
    return this.#nameOf.get(id)
  }

  /** Whether a name may carry a document: it already does, or is below the limit. */
  hasPlace(id: string, name: string): boolean {
    return this.#nameOf.get(id) === name || (this.#byName.get(name)?.size ?? 0) < MAX_OF_A_NAME
  }

  /** The operation to write with a document that is held for a name, or for none. */
  mark(id: string, name: string | undefined): StoreOperation {
    const key = keys.carried(this.#kind, id)
    return name === undefined ? { delete: key } : { put: key, value: utf8(name) }
  }

  note(id: string, name: string | undefined): void {
    this.#forget(id)
    if (name === undefined) return
    this.#nameOf.set(id, name)
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(id))
  }

  #forget(id: string): void {
    const name = this.#nameOf.get(id)
    if (name === undefined) return
    this.#nameOf.delete(id)
    const others = this.#byName.get(name)!
    others.delete(id)
    if (others.size === 0) this.#byName.delete(name)
  }
}
