import { encode } from 'cborg'
import * as v from 'valibot'
import type { Name } from '../../protocol/name/names.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { Count, readCbor, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

/** All are in memory, since each look-up reads one: some 2 MB. */
export const MOST_GIVEN = 10_000

const GivenSchema = v.strictObject({ code: Text, round: Count })

export interface GivenCode {
  /** 6 to 26 characters. */
  readonly code: string
  /** When the user gave it; undefined for one of `pins.codes`, which only the configuration changes. */
  readonly round?: number
}

/**
 * The check codes that bare names mean on this machine: those of `pins.codes`, and those that the user gave, on disk
 * when `give` and `forget` return. They end only with the user's word: a code belongs to its claim for good.
 */
export class GivenCodes {
  readonly #store: Store
  readonly #codes = new Map<string, GivenCode>()

  constructor(store: Store, configured: ReadonlyMap<Name, string>) {
    this.#store = store
    for (const [key, value] of store.list(prefixes.pinCodes)) {
      const given = readOrSetAside(store, key, value, readGivenCode)
      if (given !== undefined) this.#codes.set(lastPart(key), given)
    }
    for (const [name, code] of configured) this.#codes.set(name, { code })
  }

  get(name: string): GivenCode | undefined {
    return this.#codes.get(name)
  }

  get count(): number {
    return this.#codes.size
  }

  /** By name, after `after` where one is given. */
  list(after = ''): [name: string, given: GivenCode][] {
    return [...this.#codes].filter(([name]) => name > after).sort(([left], [right]) => (left < right ? -1 : 1))
  }

  /** All or none. Throws StoreError. */
  give(codes: ReadonlyMap<Name, string>, round: number): void {
    this.#store.batch([...codes].map(([name, code]) => ({ put: keys.pinCode(name), value: encode({ code, round }) })))
    for (const [name, code] of codes) this.#codes.set(name, { code, round })
  }

  /** Throws StoreError. */
  forget(name: string): void {
    this.#store.delete(keys.pinCode(name))
    this.#codes.delete(name)
  }
}

/** Throws UnreadableRecord. */
export function readGivenCode(value: Uint8Array): GivenCode & { readonly round: number } {
  return readCbor(GivenSchema, value)
}
