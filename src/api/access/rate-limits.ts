import { ServiceError } from '../../errors.ts'
import { TokenBuckets } from '../../util/token-buckets.ts'

/** Tokens a second, and how many may be saved up. */
interface BucketSize {
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

/** Addresses or tokens remembered; while that many have spent tokens, newcomers share one bucket. */
const MAX_CLIENTS = 10_000

export interface RateLimits {
  /** Each throws SVC-REQ-005 when that is too often. */
  anonymous(client: string): void
  known(token: string): void
  failedLogin(client: string): void
}

export function createRateLimits(sizes: LimitSizes, now: () => number): RateLimits {
  const anonymous = new TokenBuckets({ ...sizes.anonymous, keys: MAX_CLIENTS, now })
  const known = new TokenBuckets({ ...sizes.known, keys: MAX_CLIENTS, now })
  const failed = new TokenBuckets({ ...sizes.failedLogins, keys: MAX_CLIENTS, now })
  return {
    anonymous: (client) =>
      refuse(
        anonymous.tryTake(client, 1),
        'Too many requests without a token from this source (this machine is one source). A token has a ' +
          'limit of its own.'
      ),
    known: (token) => refuse(known.tryTake(token, 1), 'This token asks too often.'),
    failedLogin: (client) => refuse(failed.tryTake(client, 1), 'This client sent too many tokens that do not verify.')
  }
}

function refuse(waitSeconds: number, detail: string): void {
  if (waitSeconds > 0) throw new ServiceError('SVC-REQ-005', detail, { retryAfter: waitSeconds })
}
