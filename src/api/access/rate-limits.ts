import { ServiceError } from '../../errors.ts'

/** Tokens a second, and how many may be saved up. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

export interface LimitSizes {
  /** Requests without a token, by address. */
  readonly anonymous: BucketSize
  /** Requests with a token or a session of it, by token. */
  readonly known: BucketSize
  /** Tokens that did not verify, by address; a valid token is never counted here. */
  readonly failedLogins: BucketSize
}

/**
 * Chosen so that no person and no sensible script meets them: a lookup costs peers some 5 ms of CPU each. Guessing a
 * token of 256 bits is hopeless at any rate; the last limit keeps logs readable.
 */
export const DEFAULT_LIMITS: LimitSizes = {
  anonymous: { perSecond: 200, burst: 400 },
  known: { perSecond: 2000, burst: 4000 },
  failedLogins: { perSecond: 1, burst: 20 }
}

/** Addresses remembered; beyond it the one seen longest ago is forgotten, so memory stays bounded. */
const MAX_CLIENTS = 10_000

export interface RateLimits {
  /** Each throws SVC-REQ-005 when that is too often. */
  anonymous(client: string): void
  known(token: string): void
  failedLogin(client: string): void
}

export function createRateLimits(sizes: LimitSizes, now: () => number): RateLimits {
  const anonymous = createBuckets(sizes.anonymous, now)
  const known = createBuckets(sizes.known, now)
  const failed = createBuckets(sizes.failedLogins, now)
  return {
    anonymous: (client) =>
      refuse(
        anonymous(client),
        'Requests without a token come too often from there (all of this machine counts as one). With a token there is a limit for it alone.'
      ),
    known: (token) => refuse(known(token), 'This token asks too often.'),
    failedLogin: (client) => refuse(failed(client), 'This client sent too many tokens that do not verify.')
  }
}

function refuse(waitSeconds: number, detail: string): void {
  if (waitSeconds > 0) throw new ServiceError('SVC-REQ-005', detail, { retryAfter: waitSeconds })
}

/** Token buckets by client. Takes one token and returns 0, or returns the seconds until there is one. */
function createBuckets({ perSecond, burst }: BucketSize, now: () => number): (client: string) => number {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (client) => {
    const at = now()
    const bucket = buckets.get(client) ?? { tokens: burst, at }
    // A clock set back refills nothing.
    const refilled = Math.min(burst, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond)
    const tokens = refilled < 1 ? refilled : refilled - 1
    buckets.delete(client)
    buckets.set(client, { tokens, at })
    if (buckets.size > MAX_CLIENTS) buckets.delete(buckets.keys().next().value!)
    return refilled < 1 ? (1 - refilled) / perSecond : 0
  }
}
