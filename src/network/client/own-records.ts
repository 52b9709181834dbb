/** Records of our own: kept, so that they can be sent again whatever happens to those who hold them. */
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import type { Store } from '../../store/types.ts'
import type { RecordKind } from '../../protocol/record-key.ts'

export interface OwnRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
}

export function rememberOwnRecord(store: Store, { kind, id, bytes }: OwnRecord): void {
  store.put(keys.ownRecord(kind, id), bytes)
}

export function ownRecord(store: Store, kind: RecordKind, id: string): Uint8Array | undefined {
  return store.get(keys.ownRecord(kind, id))
}

export function forgetOwnRecord(store: Store, kind: RecordKind, id: string): void {
  store.delete(keys.ownRecord(kind, id))
}

export function* ownRecords(store: Store): IterableIterator<OwnRecord> {
  for (const kind of ['reveal', 'kid', 'manifest'] as const) {
    for (const [key, bytes] of store.list(prefixes.ownRecordsOf(kind))) yield { kind, id: lastPart(key), bytes }
  }
}
