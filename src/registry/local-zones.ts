import type { Zone } from '../protocol/zone.ts'
import { keys } from '../store/keys.ts'
import { readOrSetAside } from '../store/read-or-set-aside.ts'
import type { Store } from '../store/types.ts'

export interface LocalZone extends Zone {
  serial: number
}

interface StoredZone extends LocalZone {
  readonly withReveal?: true
}

/** Zones edited here, on disk before anything else happens with them. Values: JSON {serial, records, withReveal?}. */
export class LocalZones {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get(name: string): LocalZone | undefined {
    const stored = this.#read(name)
    return stored === undefined ? undefined : { serial: stored.serial, records: stored.records }
  }

  /** Whether the next renewal carries the zone: it came with the request for one, and nobody publishes it by itself. */
  goesWithReveal(name: string): boolean {
    return this.#read(name)?.withReveal === true
  }

  /** `withReveal`: as it was, when left out. Throws StoreError. */
  save(name: string, { serial, records }: LocalZone, { withReveal = this.goesWithReveal(name) } = {}): void {
    this.#store.put(keys.zone(name), Buffer.from(JSON.stringify({ serial, records, ...(withReveal && { withReveal }) })))
  }

  /** It has gone out, or will not. Throws StoreError. */
  holdBack(name: string): void {
    const stored = this.#read(name)
    if (stored?.withReveal === true) this.save(name, stored, { withReveal: false })
  }

  #read(name: string): StoredZone | undefined {
    return readOrSetAside(this.#store, keys.zone(name), this.#store.get(keys.zone(name)), (value) => JSON.parse(Buffer.from(value).toString()) as StoredZone)
  }
}
