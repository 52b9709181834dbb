/** Documents in the store, with the names that carry them. */
import { equalBytes, fromHex, toHex } from '../../../protocol/encoding/bytes.ts'
import { keys, lastPart, prefixes, type DocumentKind } from '../../../store/keys.ts'
import type { Store } from '../../../store/types.ts'
import { DocumentsByName } from './documents-by-name.ts'
import type { Stamped, StampedIdentities } from './stamped.ts'

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
