import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import * as v from 'valibot'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from '../http/request.ts'
import type { KeyValue } from './tokens.ts'

/** Durable answers to requests with an Idempotency-Key, kept 24 h. */
export interface IdempotencyService {
  /** `conflict`: same key, other body. */
  find(
    key: string,
    bodyHash: string
  ): { status: 'new' } | { status: 'conflict' } | { status: 'replay'; response: unknown }
  remember(key: string, bodyHash: string, response: unknown): void
}

interface StoredAnswer {
  readonly status: 202
  readonly location: string
  readonly body: object
}

type Runner = (c: Context<AppEnv>, received: object, run: () => Promise<StoredAnswer>) => Promise<Response>

/**
 * Runs a request once for each Idempotency-Key: a repetition, even one that comes while the first still runs, gets the
 * first answer. `received` is the body. A request that fails leaves its key free. Throws SVC-REQ-006 for another body
 * under the same key.
 */
export function createIdempotentRunner(service: IdempotencyService): Runner {
  const underWay = new Map<string, { bodyHash: string; answer: Promise<StoredAnswer> }>()

  return async (c, received, run) => {
    const key = c.req.header('Idempotency-Key')
    if (key === undefined) return send(c, await run())
    const bodyHash = createHash('sha256')
      .update(`${c.req.path}\n${JSON.stringify(received)}`)
      .digest('hex')

    const twin = underWay.get(key)
    if (twin !== undefined) {
      if (twin.bodyHash !== bodyHash) throw conflict()
      return send(c, await twin.answer, true)
    }
    const found = service.find(key, bodyHash)
    if (found.status === 'conflict') throw conflict()
    if (found.status === 'replay') return send(c, found.response as StoredAnswer, true)

    const answer = run()
    underWay.set(key, { bodyHash, answer })
    try {
      service.remember(key, bodyHash, await answer)
      return send(c, await answer)
    } finally {
      underWay.delete(key)
    }
  }
}

function conflict(): ServiceError {
  return new ServiceError('SVC-REQ-006', 'This Idempotency-Key came with another body before.')
}

function send(c: Context<AppEnv>, { status, location, body }: StoredAnswer, replayed = false): Response {
  if (replayed) c.header('Idempotency-Replayed', 'true')
  c.header('Location', location)
  return c.json(body, status)
}

const HOUR_MS = 3600 * 1000
/** docs/api.md, "VDF tasks". */
const KEEP_MS = 24 * HOUR_MS

const EntrySchema = v.object({ at: v.number(), bodyHash: v.string(), response: v.looseObject({}) })
type Entry = v.InferOutput<typeof EntrySchema>

interface IdempotencyOptions {
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
    return v.parse(EntrySchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)))
  } catch {
    return undefined
  }
}
