import * as v from 'valibot'
import { RECORD_TYPES } from '../../protocol/zone/record-data.ts'
import type { Zone } from '../../protocol/zone/zone.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { Count, readJson, readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../store/types.ts'

export interface LocalZone extends Zone {
  serial: number
}

const StoredRecords = v.array(v.object({ type: v.picklist(RECORD_TYPES), value: v.string(), ttl: v.optional(Count) }))
/**
 * The shape alone: the zone's rules were checked before it was saved. `v.record` would drop the label `constructor`.
 */
const Stored = v.object({
  serial: Count,
  records: v.custom<Zone['records']>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((list) => v.is(StoredRecords, list)),
    'labels with their records are expected'
  ),
  withReveal: v.optional(v.literal(true))
})

/** Zones edited here, on disk before anything else happens with them. Values: JSON {serial, records, withReveal?}. */
export class LocalZones {
  readonly #store: Store
  /** Highest serials of the drafts discarded since the start. */
  readonly #discarded = new Map<string, number>()

  constructor(store: Store) {
    this.#store = store
  }

  get(name: string): LocalZone | undefined {
    const stored = this.#read(name)
    return stored === undefined ? undefined : { serial: stored.serial, records: stored.records }
  }

  names(): string[] {
    return [...this.#store.list(prefixes.zones)].map(([key]) => lastPart(key))
  }

  /** Throws StoreError. */
  discard(name: string): void {
    const serial = this.#read(name)?.serial ?? 0
    this.#store.delete(keys.zone(name))
    this.#discarded.set(name, Math.max(serial, this.discardedSerial(name)))
  }

  /**
   * The highest serial of a draft of the name that was discarded since the start; 0 without one. Another draft with it
   * would pass for that one where a client names the serial that it saw.
   */
  discardedSerial(name: string): number {
    return this.#discarded.get(name) ?? 0
  }

  /** Whether the next renewal carries the zone: it came with the renewal's request, and is not published alone. */
  goesWithReveal(name: string): boolean {
    return this.#read(name)?.withReveal === true
  }

  /** `withReveal`: unchanged when left out. Throws StoreError. */
  save(name: string, zone: LocalZone, options?: { withReveal: boolean }): void {
    this.#store.batch([this.saving(name, zone, options)])
  }

  /** What `save` writes, for one step with other writes. Throws StoreError. */
  saving(
    name: string,
    { serial, records }: LocalZone,
    { withReveal = this.goesWithReveal(name) } = {}
  ): StoreOperation {
    const value = Buffer.from(JSON.stringify({ serial, records, ...(withReveal && { withReveal }) }))
    return { put: keys.zone(name), value }
  }

  /** The zone has gone out, or will not. Throws StoreError. */
  holdBack(name: string): void {
    const stored = this.#read(name)
    if (stored?.withReveal === true) this.save(name, stored, { withReveal: false })
  }

  #read(name: string): v.InferOutput<typeof Stored> | undefined {
    return readOrSetAside(this.#store, keys.zone(name), this.#store.get(keys.zone(name)), (value) =>
      readJson(Stored, value)
    )
  }
}
