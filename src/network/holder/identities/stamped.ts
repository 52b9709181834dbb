/** Identities that only a stamp carries, with its work: the first to leave a full node. */
import { fromHex, toHex } from '../../../protocol/encoding/bytes.ts'
import { decodeOwnCbor, encodeCbor } from '../../../protocol/encoding/cbor.ts'
import { fieldsOf, integerField } from '../../../protocol/encoding/record-fields.ts'
import { keys, lastPart, prefixes } from '../../../store/keys.ts'
import { readOrSetAside } from '../../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../../store/types.ts'

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
