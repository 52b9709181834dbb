/** Documents in the store, with the names that carry them. */
import { equalBytes, fromHex, toHex, utf8 } from '../../../protocol/encoding/bytes.ts'
import { type DocumentKind, keys, lastPart, prefixes } from '../../../store/keys.ts'
import type { Store, StoreOperation } from '../../../store/types.ts'
import { decodeOwnCbor, encodeCbor, fieldsOf, integerField } from '../../../protocol/encoding/cbor.ts'
import { readOrSetAside } from '../../../store/stored-shapes.ts'

export class HeldDocuments {
  readonly #store: Store
  readonly #stamped: StampedIdentities
  readonly #identities: DocumentsByName
  readonly #manifests: DocumentsByName
  #manifestCount: number

  constructor({ store, stamped }: { readonly store: Store; readonly stamped: StampedIdentities }) {
    this.#store = store
    this.#stamped = stamped
    this.#manifestCount = store.count(prefixes.manifests)
    this.#identities = new DocumentsByName(store, 'kid')
    this.#manifests = new DocumentsByName(store, 'manifest')
  }

  get manifestCount(): number {
    return this.#manifestCount
  }

  get(kind: DocumentKind, key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(kind === 'kid' ? keys.identity(key) : keys.manifest(key))
  }

  has(kind: DocumentKind, key: Uint8Array, bytes: Uint8Array): boolean {
    const held = this.get(kind, key)
    return held !== undefined && equalBytes(held, bytes)
  }

  *all(): IterableIterator<{ kind: DocumentKind; key: Uint8Array; record: Uint8Array }> {
    for (const [storeKey, record] of this.#store.list(prefixes.identities))
      yield { kind: 'kid', key: fromHex(lastPart(storeKey)), record }
    for (const [storeKey, record] of this.#store.list(prefixes.manifests))
      yield { kind: 'manifest', key: fromHex(lastPart(storeKey)), record }
  }

  count(): number {
    return this.#stamped.identities + this.#manifestCount
  }

  /** `name`, if it may carry one more document of that kind. */
  carrierOf(kind: DocumentKind, key: Uint8Array, name: string | undefined): string | undefined {
    return name !== undefined && this.#namesOf(kind).hasPlace(toHex(key), name) ? name : undefined
  }

  nameOf(key: Uint8Array): string | undefined {
    return this.#identities.nameOf(toHex(key))
  }

  /** `stamp` counts where no name carries it. */
  putIdentity(key: Uint8Array, bytes: Uint8Array, name: string | undefined, stamp: Stamped | undefined): void {
    const id = toHex(key)
    this.#stamped.put(key, bytes, name === undefined ? stamp : undefined, this.#identities.mark(id, name))
    this.#identities.note(id, name)
  }

  dropIdentity(key: Uint8Array): void {
    const id = toHex(key)
    this.#stamped.delete(key, this.#identities.mark(id, undefined))
    this.#identities.note(id, undefined)
  }

  putManifest(key: Uint8Array, bytes: Uint8Array, name: string | undefined): void {
    const id = toHex(key)
    const isNew = this.get('manifest', key) === undefined
    this.#store.batch([{ put: keys.manifest(key), value: bytes }, this.#manifests.mark(id, name)])
    if (isNew) this.#manifestCount++
    this.#manifests.note(id, name)
  }

  dropManifest(key: Uint8Array): void {
    const id = toHex(key)
    const wasThere = this.get('manifest', key) !== undefined
    this.#store.batch([{ delete: keys.manifest(key) }, this.#manifests.mark(id, undefined)])
    if (wasThere) this.#manifestCount--
    this.#manifests.note(id, undefined)
  }

  #namesOf(kind: DocumentKind): DocumentsByName {
    return kind === 'kid' ? this.#identities : this.#manifests
  }
}

/** Documents per name. Without a bound, one VDF would let its owner fill a chosen node's disk with signed documents. */
const MAX_OF_A_NAME = 4

class DocumentsByName {
  readonly #kind: DocumentKind
  readonly #nameOf = new Map<string, string>()
  readonly #byName = new Map<string, Set<string>>()

  constructor(store: Store, kind: DocumentKind) {
    this.#kind = kind
    const text = new TextDecoder('utf-8', { fatal: true })
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

export interface Stamped {
  /** Leading zero bits of the stamp. */
  readonly work: number
  readonly round: number
}

export class StampedIdentities {
  readonly #store: Store
  readonly #byKey = new Map<string, Stamped>()
  #identities: number

  constructor(store: Store) {
    this.#store = store
    this.#identities = store.count(prefixes.identities)
    for (const [storeKey, bytes] of store.list(prefixes.stamped)) {
      const stamped = readOrSetAside(store, storeKey, bytes, decodeStamped)
      if (stamped !== undefined) this.#byKey.set(lastPart(storeKey), stamped)
    }
  }

  get size(): number {
    return this.#byKey.size
  }

  /** All stored identities, also those that a name carries. Those set aside count until the next start. */
  get identities(): number {
    return this.#identities
  }

  /** Stores an identity together with `also`; `stamped` is undefined for one that a name carries. */
  put(key: Uint8Array, record: Uint8Array, stamped: Stamped | undefined, also: StoreOperation): void {
    const mark: StoreOperation =
      stamped === undefined
        ? { delete: keys.stamped(key) }
        : { put: keys.stamped(key), value: encodeCbor({ ...stamped }) }
    const isNew = this.#store.get(keys.identity(key)) === undefined
    this.#store.batch([{ put: keys.identity(key), value: record }, mark, also])
    if (isNew) this.#identities++
    if (stamped === undefined) this.#byKey.delete(toHex(key))
    else this.#byKey.set(toHex(key), stamped)
  }

  delete(key: Uint8Array, ...also: StoreOperation[]): void {
    const wasThere = this.#store.get(keys.identity(key)) !== undefined
    this.#store.batch([{ delete: keys.identity(key) }, { delete: keys.stamped(key) }, ...also])
    if (wasThere) this.#identities--
    this.#byKey.delete(toHex(key))
  }

  /** Deletes the identity of least work below `work`, the latest of equals. False when there is none. */
  dropOneBelow(work: number): boolean {
    let least: { readonly id: string; readonly stamped: Stamped } | undefined
    for (const [id, stamped] of this.#byKey) {
      if (
        least === undefined ||
        stamped.work < least.stamped.work ||
        (stamped.work === least.stamped.work && stamped.round >= least.stamped.round)
      )
        least = { id, stamped }
    }
    if (least === undefined || least.stamped.work >= work) return false
    this.delete(fromHex(least.id))
    return true
  }
}

function decodeStamped(bytes: Uint8Array): Stamped {
  const fields = fieldsOf(decodeOwnCbor(bytes), ['work', 'round'])
  return { work: integerField(fields, 'work'), round: integerField(fields, 'round') }
}
