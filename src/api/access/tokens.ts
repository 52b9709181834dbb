import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { proofKey, proofOf, type ProofStatement } from '../daemon-proof.ts'
import { TokenSchema, type TokenScope, type TokenView } from '../schemas/daemon.ts'

/** docs/api.md, "Authentication". */
const TOKEN_BYTES = 32
const MAIN_SCOPES: readonly TokenScope[] = ['admin']

/** `hash`: SHA-256 of the token, hex. Tokens are random, so a plain hash is enough. */
const StoredTokenSchema = v.object({
  ...TokenSchema.entries,
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
})
type StoredToken = v.InferOutput<typeof StoredTokenSchema>

/** Access tokens; only hashes of the narrower ones are stored. Compared in constant time. */
export interface TokenService {
  /** The scopes of a token, or undefined when it is not one of ours. */
  verify(token: string): readonly TokenScope[] | undefined
  create(scopes: readonly TokenScope[], label?: string): TokenView & { token: string }
  list(): TokenView[]
  /** False when unknown. */
  revoke(id: string): boolean
  /** Replaces the main token in its file; the old one stops working at once. */
  rotate(): string
  /** What only a holder of the main token can make: src/api/daemon-proof.ts. */
  prove(statement: ProofStatement): string
}

interface TokenServiceOptions {
  readonly store: KeyValue
  /** Begins the keys of the narrower tokens: `prefixes.tokens` of the store. */
  readonly prefix: string
  /** Undefined on the first start. */
  readonly readMainToken: () => string | undefined
  /** Durable, mode 0600. */
  readonly writeMainToken: (token: string) => void
  readonly now: () => number
}

/** Undefined for a damaged record. */
function readToken(value: Uint8Array): StoredToken | undefined {
  try {
    return v.parse(StoredTokenSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)))
  } catch {
    return undefined
  }
}

/** The tokens of this daemon. Makes the main token when there is none yet. */
export function createTokenService({
  store,
  prefix,
  readMainToken,
  writeMainToken,
  now
}: TokenServiceOptions): TokenService {
  const stored = new Map<string, StoredToken>()
  for (const [key, value] of store.list(prefix)) {
    const token = readToken(value)
    if (token === undefined) store.setAside(key, 'it is not a token')
    else stored.set(token.id, token)
  }
  const first = readMainToken()?.trim() || renewMain()
  let main = digest(first)
  let key = proofKey(first)

  function renewMain(): string {
    const token = newToken()
    writeMainToken(token)
    return token
  }

  return {
    verify(token) {
      const hash = digest(token)
      // Compares every hash, whichever fits: the time reveals nothing.
      let scopes = timingSafeEqual(hash, main) ? MAIN_SCOPES : undefined
      for (const candidate of stored.values()) {
        if (timingSafeEqual(hash, Buffer.from(candidate.hash, 'hex'))) scopes ??= candidate.scopes
      }
      return scopes
    },
    create(scopes, label) {
      const token = newToken()
      const view: TokenView = {
        id: randomBytes(8).toString('hex'),
        scopes: [...scopes],
        created_at: new Date(now()).toISOString(),
        label: label ?? null
      }
      const entry: StoredToken = { ...view, hash: digest(token).toString('hex') }
      store.put(prefix + view.id, new TextEncoder().encode(JSON.stringify(entry)))
      stored.set(view.id, entry)
      return { ...view, token }
    },
    list: () => [...stored.values()].map(({ id, scopes, created_at, label }) => ({ id, scopes, created_at, label })),
    revoke(id) {
      if (!stored.has(id)) return false
      store.delete(prefix + id)
      return stored.delete(id)
    },
    rotate() {
      const token = renewMain()
      main = digest(token)
      key = proofKey(token)
      return token
    },
    prove: (statement) => proofOf(key, statement)
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** As much of the daemon's store as tokens and idempotency keys need; a write is durable when the call returns. */
export interface KeyValue {
  get(key: string): Uint8Array | undefined
  list(prefix: string): Iterable<[key: string, value: Uint8Array]>
  put(key: string, value: Uint8Array): void
  delete(key: string): void
  /** Sets aside a record that cannot be read. */
  setAside(key: string, reason: string): void
}
