import * as v from 'valibot'
import { lastPart, prefixes } from '../../store/keys.ts'
import { Count, readJson, readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

const Stored = v.object({ sinceMs: Count, isGuess: v.boolean() })
export type Wanted = v.InferOutput<typeof Stored>

/**
 * Value of `wanted/<name or did>`: JSON {sinceMs, isGuess}. `isGuess`: nobody named it. The seed may have made this
 * identity; or the name is here already, and the list of names that it carries is not read yet.
 */
export function encodeWanted(wanted: Wanted): Uint8Array {
  return Buffer.from(JSON.stringify(wanted))
}

/** Throws UnreadableRecord. */
export function decodeWanted(value: Uint8Array): Wanted {
  return readJson(Stored, value)
}

export function* storedWanted(store: Store): IterableIterator<[id: string, wanted: Wanted]> {
  for (const [key, value] of store.list(prefixes.wanted)) {
    const wanted = readOrSetAside(store, key, value, decodeWanted)
    if (wanted !== undefined) yield [lastPart(key), wanted]
  }
}
