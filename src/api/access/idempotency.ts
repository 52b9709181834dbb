import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { KeyValue } from './key-value.ts'
import type { IdempotencyService } from '../services.ts'

const HOUR_MS = 3600 * 1000
/** docs/api.md, "VDF tasks". */
const KEEP_MS = 24 * HOUR_MS

const EntrySchema = v.object({ at: v.number(), bodyHash: v.string(), response: v.looseObject({}) })
type Entry = v.InferOutput<typeof EntrySchema>

export interface IdempotencyOptions {
  readonly store: KeyValue
  readonly prefix: string
  readonly now: () => number
}

/** Answers kept in the store for 24 h; those past it are dropped once an hour. */
export function createIdempotency({ store, prefix, now }: IdempotencyOptions): IdempotencyService {
  let sweptAt = -Infinity

  const sweep = () => {
    if (Math.abs(now() - sweptAt) < HOUR_MS) return
    sweptAt = now()
    const expired = [...store.list(prefix)].filter(([, value]) => !fresh(decode(value))).map(([key]) => key)
    for (const key of expired) store.delete(key)
  }
  // By a clock that was set back they come from the future.
  const fresh = (entry: Entry | undefined): entry is Entry =>
    entry !== undefined && Math.abs(now() - entry.at) < KEEP_MS

  return {
    find(key, bodyHash) {
      const value = store.get(prefix + storeKey(key))
      const entry = value === undefined ? undefined : decode(value)
      if (!fresh(entry)) return { status: 'new' }
      return entry.bodyHash === bodyHash ? { status: 'replay', response: entry.response } : { status: 'conflict' }
    },
    remember(key, bodyHash, response) {
      sweep()
      const entry = { at: now(), bodyHash, response }
      store.put(prefix + storeKey(key), new TextEncoder().encode(JSON.stringify(entry)))
    }
  }
}

/** Hashed: a client chooses the text. */
function storeKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Undefined for a damaged entry, which counts as expired. */
function decode(value: Uint8Array): Entry | undefined {
  try {
    return v.parse(EntrySchema, JSON.parse(new TextDecoder().decode(value)))
  } catch {
    return undefined
  }
}
