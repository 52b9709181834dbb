import type { Zone } from '../protocol/zone.ts'
import { keys } from '../store/keys.ts'
import type { Store } from '../store/types.ts'

export interface LocalZone extends Zone {
  serial: number
}

/** Zones edited here, on disk before anything else happens with them. Values: JSON {serial, records}. */
export class LocalZones {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get(name: string): LocalZone | undefined {
    const value = this.#store.get(keys.zone(name))
    return value === undefined ? undefined : (JSON.parse(Buffer.from(value).toString()) as LocalZone)
  }

  /** Throws StoreError. */
  save(name: string, zone: LocalZone): void {
    this.#store.put(keys.zone(name), Buffer.from(JSON.stringify(zone)))
  }
}
