import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from '../env.ts'
import type { IdempotencyService } from '../services.ts'

export interface StoredAnswer {
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
    if (!/^[\x21-\x7e]{1,255}$/.test(key))
      throw new ServiceError('SVC-REQ-001', 'Idempotency-Key is not 1 to 255 printable ASCII characters.')
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
