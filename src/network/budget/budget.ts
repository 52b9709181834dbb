/**
 * What peers may cost this node: bytes, and time of the threads that verify. Every cost is charged before the work. A
 * peer over budget is told `busy`, which is no offence. docs/protocol/rules.md, 15.
 */
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import { ConcurrencyLimit } from '../../util/concurrency.ts'
import { TokenBuckets } from '../../util/token-buckets.ts'

/** Thread time for peers in a second: half of the two threads that the pool has for verification. */
const VERIFICATION_MS = 1_000

/** Bytes of records in a second: what a home's connection carries. */
const RECORD_BYTES = 8 * 2 ** 20

/** Bytes of requests and answers in a second, for four busy peers. Only the number of connections bounds the total. */
const MESSAGE_BYTES = 2 * 2 ** 20

/**
 * The least a message is charged: a stream costs the event loop as much as reading these bytes. 64 requests a second.
 */
const LEAST_MESSAGE_BYTES = 8 * 2 ** 10

/**
 * Commitments in a second, for four peers: each is written to disk. A daemon sends one for each name that it registers,
 * and again each hour.
 */
const COMMITMENTS = 32

/** Pages of entries or commitments in a second, for one peer; peers take turns (holder/pages.ts). */
const PAGES = 10

/** One page each 25 ms for all peers: 40 a second, 40% of the event loop. */
const PAGES_OF_ALL = { perSecond: 40, burst: 1 }

/**
 * Time of the event loop for look-ups of all peers, in milliseconds: a fifth of it, and a second's worth at once. Peers
 * take turns (budget/turns.ts).
 */
const FINDS = { perSecond: 200, burst: 200 }

/**
 * The event loop's time for one `find`, with its frames and its stream, in any table (`npm run lab:flood -- --finding
 * 8`).
 */
export const FIND_MS = 1

/**
 * Connections from one prefix: each costs the event loop 5 ms. One that is never set up holds a pending place for 5 s.
 */
const CONNECTIONS = { perSecond: 5, burst: 60 }

/**
 * Dial-backs that one prefix may ask for, and that may lead to one prefix. A node has a few addresses, and asks again
 * every ten minutes. Those that check where peers are have as many (routing/whereabouts.ts).
 */
export const DIAL_BACKS = { perSecond: 1 / 5, burst: 12 }

/** Part of verification and records for claims whose commitment is held here or whose key owns the entry. */
const EXPECTED_PART = 0.8

/** Part of each of these that one peer, and one /24 or /48, may use. */
const PEER_PART = 1 / 4
const PREFIX_PART = 1 / 2

/**
 * Extra part of the pool once it is used up, and of that for one prefix. Without it, four peers in two prefixes that
 * send only valid records keep everybody else from being verified.
 */
const RESERVE = { all: 1 / 2, prefix: 1 / 20 }

/** A peer may spend this much saved budget at once. */
const BURST_SECONDS = 5

/** Buckets for peers and prefixes: about 150 bytes each, in twenty tables. */
export const BUCKETS = 4_096

/**
 * Verifications that wait: in all, without an expected claim, of one prefix, of one peer. Each may wait ten seconds for
 * every silent peer.
 */
const PLACES = { all: 48, unexpected: 24, prefix: 8, peer: 4 }

/**
 * What verifying a link takes on one thread (docs/verification.md, "What it costs"), a proof until this machine has
 * measured it; the two signatures of a change of keys on the event loop.
 */
export const CHECK_MS = { pulse: 2, proof: 7, change: 0.6 }

/** An entry is written to the disk on the event loop: some milliseconds. */
export const WRITE_MS = 8

/** Asking a neighbourhood: a look-up and up to k questions, a millisecond of the event loop each. */
export const ASK_MS = 40

/** Thread time of a document: its longest logs take 20 ms. */
export function documentMs(bytes: number): number {
  return 1 + bytes / 5_000
}

export interface Work {
  /** Charges more, before it is done. Debt is paid back by waiting. */
  charge(milliseconds: number): void
  end(): void
}

export interface Budget {
  /** Like `dialBack`, `read`, `page` and `commit`, charges the cost before it arises; false over budget. */
  connect(prefix: string): boolean
  /** Charges a dial to the prefix that asks for it, and to the one that it leads to. */
  dialBack(asking: string, dialled: string): boolean
  read(sender: Origin, bytes: number): boolean
  answered(sender: Origin, bytes: number): void
  page(sender: Origin): boolean
  /** Charges a page to the pace of all peers and returns 0; otherwise returns the seconds until the next. */
  pageOfAll(): number
  commit(sender: Origin): boolean
  /** Charges a `find` to the pool of all peers and returns 0; otherwise returns the seconds until the pool has as much. */
  find(): number
  /**
   * Charges a record's bytes and milliseconds before it is verified, and takes a place. Undefined over budget.
   *
   * @param expected the claim's C is held here, or its key owns the entry
   */
  begin(sender: Origin, expected: boolean, bytes: number, milliseconds: number): Work | undefined
}

/** `now` is monotonic, in milliseconds. Prefixes are limited where the network limits them. */
export function createBudget(limitsPrefixes: boolean, now: () => number = () => performance.now()): Budget {
  const allowance = (perSecond: number, isPooled: boolean): Allowance =>
    new Allowance(perSecond, { limitsPrefixes, isPooled }, now)
  const byLane = (perSecond: number) => ({
    expected: allowance(perSecond * EXPECTED_PART, true),
    unexpected: allowance(perSecond * (1 - EXPECTED_PART), true)
  })
  const [time, bytesOfRecords] = [byLane(VERIFICATION_MS), byLane(RECORD_BYTES)]
  const messages = allowance(MESSAGE_BYTES, false)
  const connections = new TokenBuckets({ ...CONNECTIONS, keys: BUCKETS, now })
  const dialBacks = [0, 1].map(() => new TokenBuckets({ ...DIAL_BACKS, keys: BUCKETS, now }))
  const pages = new TokenBuckets({ perSecond: PAGES, burst: PAGES * BURST_SECONDS, keys: BUCKETS, now })
  const commitments = allowance(COMMITMENTS, false)
  const finds = new TokenBuckets({ ...FINDS, keys: 1, now })
  const pagesOfAll = new TokenBuckets({ ...PAGES_OF_ALL, keys: 1, now })
  const places = {
    all: new ConcurrencyLimit(PLACES.all, PLACES.all),
    ofPrefixes: new ConcurrencyLimit(PLACES.unexpected, limitsPrefixes ? PLACES.prefix : PLACES.unexpected),
    ofPeers: new ConcurrencyLimit(PLACES.unexpected, PLACES.peer)
  }

  return {
    connect(prefix) {
      if (!limitsPrefixes) return true
      if (!connections.has(prefix)) return false
      connections.take(prefix, 1)
      return true
    },
    dialBack(...prefixes) {
      if (!limitsPrefixes) return true
      if (!dialBacks.every((of, index) => of.has(prefixes[index]!))) return false
      for (const [index, of] of dialBacks.entries()) of.take(prefixes[index]!, 1)
      return true
    },
    read(sender, bytes) {
      if (!messages.has(sender)) return false
      messages.take(sender, Math.max(bytes, LEAST_MESSAGE_BYTES))
      return true
    },
    answered(sender, bytes) {
      messages.take(sender, bytes)
    },
    page(sender) {
      if (!pages.has(sender.peer)) return false
      pages.take(sender.peer, 1)
      return true
    },
    commit(sender) {
      if (!commitments.has(sender)) return false
      commitments.take(sender, 1)
      return true
    },
    find: () => finds.tryTake(POOL, FIND_MS),
    pageOfAll: () => pagesOfAll.tryTake(POOL, 1),
    begin(sender, expected, bytes, milliseconds) {
      const lane = expected ? 'expected' : 'unexpected'
      if (!time[lane].has(sender) || !bytesOfRecords[lane].has(sender)) return undefined
      const taken = [
        places.all.take(sender.peer),
        ...(expected ? [] : [places.ofPrefixes.take(sender.prefix), places.ofPeers.take(sender.peer)])
      ]
      const leave = (): void => {
        for (const each of taken) each?.()
      }
      if (taken.includes(undefined)) {
        leave()
        return undefined
      }
      bytesOfRecords[lane].take(sender, bytes)
      return { charge: time[lane].take(sender, milliseconds), end: leave }
    }
  }
}

const POOL = 'all'

/**
 * A rate for each peer and prefix, and a pool for all. A prefix that finds the pool used up has its part of the
 * reserve.
 */
class Allowance {
  readonly #own: readonly Bucket[]
  readonly #pool: readonly Bucket[]
  readonly #reserve: readonly Bucket[]

  constructor(
    perSecond: number,
    { limitsPrefixes, isPooled }: { limitsPrefixes: boolean; isPooled: boolean },
    now: () => number
  ) {
    const buckets = (part: number, keys: number): TokenBuckets =>
      new TokenBuckets({ perSecond: perSecond * part, burst: perSecond * part * BURST_SECONDS, keys, now })
    const ofPrefix = (part: number): Bucket => ({ of: buckets(part, BUCKETS), key: ({ prefix }) => prefix })
    const ofAll = (part: number): Bucket => ({ of: buckets(part, 1), key: () => POOL })
    this.#own = [
      { of: buckets(PEER_PART, BUCKETS), key: ({ peer }) => peer },
      ...(limitsPrefixes ? [ofPrefix(PREFIX_PART)] : [])
    ]
    this.#pool = isPooled ? [ofAll(1)] : []
    this.#reserve = limitsPrefixes && isPooled ? [ofAll(RESERVE.all), ofPrefix(RESERVE.prefix)] : this.#pool
  }

  has(sender: Origin): boolean {
    return has(this.#own, sender) && (has(this.#pool, sender) || has(this.#reserve, sender))
  }

  /**
   * Returns how to spend more from the same buckets. Otherwise later costs of work begun on the pool use up the
   * reserve.
   */
  take(sender: Origin, amount: number): (more: number) => void {
    const shared = has(this.#pool, sender) ? this.#pool : this.#reserve
    const spend = (some: number): void => {
      for (const { of, key } of [...this.#own, ...shared]) of.take(key(sender), some)
    }
    spend(amount)
    return spend
  }
}

interface Bucket {
  readonly of: TokenBuckets
  readonly key: (sender: Origin) => string
}

function has(buckets: readonly Bucket[], sender: Origin): boolean {
  return buckets.every(({ of, key }) => of.has(key(sender)))
}

/** This node's own offers: no budget, no rate. */
export const OURSELVES: Origin = { peer: 'self', prefix: 'self' }
