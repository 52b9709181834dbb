/** The hosts that had a key for https, on disk. The addon bounds them, and decides when one is forgotten. */
import { encode } from 'cborg'
import * as v from 'valibot'
import type { KeyedHost } from '../native/dns.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { Count, readCbor, readOrSetAside } from '../store/stored-shapes.ts'
import type { Store } from '../store/types.ts'

const NoneSinceSchema = v.nullable(Count)

/** Unreadable ones are set aside. Throws StoreError. */
export function readKeyedHosts(store: Store): KeyedHost[] {
  return [...store.list(prefixes.keyedHosts)].flatMap(([key, value]) => {
    const noneSince = readOrSetAside(store, key, value, (bytes) => readCbor(NoneSinceSchema, bytes))
    return noneSince === undefined ? [] : [{ host: lastPart(key), noneSince }]
  })
}

/** Durable a second later. `noneSince`: undefined forgets the host. */
export function keepKeyedHost(store: Store, host: string, noneSince: number | null | undefined): void {
  const key = keys.keyedHost(host)
  store.batchLater([noneSince === undefined ? { delete: key } : { put: key, value: encode(noneSince) }])
}
