import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Time for a browser to start and load the page. */
export const LINK_LIFETIME_MS = 60 * 1000
/** Links that wait to be used; beyond it the oldest stops working. */
const MAX_LINKS = 10

export interface LoginLinks {
  /** A secret that opens one session of `token`. `endsAt`: milliseconds since 1970. */
  create(token: string): { readonly link: string; readonly endsAt: number }
  /** The token, once, which may be revoked meanwhile; undefined for a link that was used, is too old or never was. */
  use(link: string): string | undefined
}

interface Waiting {
  readonly hash: Buffer
  readonly token: string
  readonly endsAt: number
}

/** Links that log the dashboard in, in memory only: a restart ends them. */
export function createLoginLinks(now: () => number): LoginLinks {
  let waiting: readonly Waiting[] = []
  const unexpired = () => waiting.filter(({ endsAt }) => endsAt > now())
  return {
    create(token) {
      const link = randomBytes(32).toString('base64url')
      const endsAt = now() + LINK_LIFETIME_MS
      waiting = [...unexpired(), { hash: digest(link), token, endsAt }].slice(-MAX_LINKS)
      return { link, endsAt }
    },
    use(link) {
      const hash = digest(link)
      // Compares every hash, whichever fits: the time reveals nothing.
      const found = unexpired().filter((each) => timingSafeEqual(each.hash, hash))
      waiting = unexpired().filter((each) => !found.includes(each))
      return found[0]?.token
    }
  }
}

function digest(link: string): Buffer {
  return createHash('sha256').update(link).digest()
}
