/**
 * One look-up: the peers nearest to a position in the key space. Kademlia ends once the k nearest have answered, which
 * may all be one machine's. Here diversity precedes the cut: the look-up continues until the k nearest *diverse* peers
 * named have answered. Ids of one prefix take two places, not k [ids of one address around a key].
 * S/Kademlia (Baumgart and Mies, 2007) uses disjoint paths, so that a liar spoils only one. Here all answers share one
 * pool, where liars displace no peer of another prefix. Each prefix may name few peers in vain [peers that nobody can
 * reach]. Several claimed addresses of a peer are tried in sequence. Otherwise the first to name it can hide it [false
 * addresses of honest peers].
 */
import type { PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { distance } from '../../protocol/neighbourhood/key-space.ts'
import {
  diverseFirst,
  type IsLongKnown,
  nearestDiverse,
  widePrefix,
  type DiversityLimits
} from '../../protocol/neighbourhood/diversity.ts'
import { positionOf } from '../table.ts'
import { afterWait } from '../wire/patience.ts'

/**
 * Parallel requests. A slow peer frees its slot, and its rank among the nearest, until it answers. All k nearest are
 * asked in the end, so that fewer take more round trips and no fewer questions. As many as may be dialled elsewhere at
 * once, since all may be named at one address (DIAL_BACKS) [honest peers behind an address of a liar].
 */
const AT_ONCE = 12

/**
 * A peer is slow once it has taken as long as usual. After twice as long it is skipped, if more than half of the nearest
 * have answered.
 */
const SKIPPED_AFTER = 2

/** A look-up still running then returns its findings. */
const LOOK_UP_TIMEOUT_MS = 10_000

export interface Named {
  readonly id: PeerId
  /** Its claimed addresses; none for peers of our own table. */
  readonly addresses: readonly Multiaddr[]
}

export interface LookUpParts {
  readonly k: number
  readonly limits: DiversityLimits
  readonly isLongKnown: IsLongKnown
  readonly own: PeerId
  /** The peers to begin with: those of our table, nearest first. */
  readonly known: readonly PeerId[]
  /** The prefix of a peer: of its connection, else of its claimed addresses until it has answered. */
  prefixOf(named: Named, hasAnswered: boolean): string
  /** The peers that a peer names as nearest; undefined without an answer. Does not reject. */
  ask(named: Named): Promise<readonly Named[] | undefined>
  /** How long its answer usually takes, in milliseconds; 0 where nobody waits for it. */
  waitMs(id: PeerId): number
  /** Those nearer by it are asked first. All of the nearest are asked in the end, so it decides nothing else. */
  roundTripMs(id: PeerId): number
}

export interface Found {
  /** At most k: diverse ones first, nearest first. */
  readonly peers: PeerId[]
  /** All of the nearest have answered, so no nearer peer is known. */
  readonly isWhole: boolean
}

/** A peer at a claimed list of addresses: one candidate for each list. */
interface Candidate extends Named {
  readonly peer: string
  readonly distance: number
  prefix: string
  state: 'named' | 'asked' | 'slow' | 'skipped' | 'answered' | 'failed'
  /** The wide prefixes of the peers that name it; empty for those of our own table. */
  readonly namers: Set<string>
}

/**
 * Looks up the peers nearest to `key`, 32 bytes. Ends after 10 s with its findings. Rejects with the signal's reason.
 */
export function lookUp(key: Uint8Array, parts: LookUpParts, signal?: AbortSignal): Promise<Found> {
  return new LookUp(key, parts).run(signal)
}

class LookUp {
  readonly #key: Uint8Array
  readonly #parts: LookUpParts
  readonly #candidates = new Map<string, Candidate>()
  readonly #answered = new Set<string>()
  readonly #sorted: Candidate[] = []
  /** Failed candidates, by the wide prefix that names them. */
  readonly #inVain = new Map<string, number>()
  readonly #end = Promise.withResolvers<Found>()
  #underWay = 0
  #hasEnded = false

  constructor(key: Uint8Array, parts: LookUpParts) {
    this.#key = key
    this.#parts = parts
  }

  async run(signal?: AbortSignal): Promise<Found> {
    signal?.throwIfAborted()
    const abort = (): void => this.#end.reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const timeout = setTimeout(() => this.#finish(false), LOOK_UP_TIMEOUT_MS)
    try {
      for (const id of this.#parts.known) this.#add({ id, addresses: [] })
      this.#advance()
      return await this.#end.promise
    } finally {
      this.#hasEnded = true
      clearTimeout(timeout)
      signal?.removeEventListener('abort', abort)
    }
  }

  #add(named: Named, namer?: string): void {
    const peer = named.id.toString()
    const id = [peer, ...named.addresses.map(String).toSorted()].join(' ')
    const known = this.#candidates.get(id)
    if (known !== undefined) {
      if (namer !== undefined && known.namers.size > 0) known.namers.add(namer)
      return
    }
    if (named.id.equals(this.#parts.own)) return
    const away = distance(this.#key, positionOf(named.id))
    const candidate: Candidate = {
      ...named,
      peer,
      distance: away,
      prefix: this.#parts.prefixOf(named, false),
      state: 'named',
      namers: new Set(namer === undefined ? [] : [namer])
    }
    this.#candidates.set(id, candidate)
    const farther = this.#sorted.findIndex((other) => other.distance > away)
    this.#sorted.splice(farther === -1 ? this.#sorted.length : farther, 0, candidate)
  }

  /** The k nearest that answered or still may, each peer once: diverse ones first. */
  #nearest(withSlow: boolean): Candidate[] {
    const { k, limits, isLongKnown } = this.#parts
    const mayCount = this.#sorted.filter((candidate) => this.#mayCount(candidate, withSlow))
    const nearest = nearestDiverse(mayCount, k, limits, isLongKnown)
    const peers = new Set(nearest.map(({ peer }) => peer))
    for (const candidate of mayCount) {
      if (nearest.length === k) break
      if (!peers.has(candidate.peer)) nearest.push(candidate)
      peers.add(candidate.peer)
    }
    return nearest
  }

  /**
   * Excludes failed peers, those that answered elsewhere, and those named only by prefixes that named too many in vain.
   */
  #mayCount({ peer, state, namers }: Candidate, withSlow: boolean): boolean {
    if (state === 'slow' || state === 'skipped') return withSlow && !this.#answered.has(peer)
    if (state !== 'named') return state !== 'failed'
    const { k, limits } = this.#parts
    if (this.#answered.has(peer)) return false
    return (
      limits.answers_per_prefix === 0 ||
      namers.size === 0 ||
      [...namers].some((namer) => (this.#inVain.get(namer) ?? 0) < k)
    )
  }

  /** Ends when all of the nearest have answered; otherwise asks the next of them. */
  #advance(): void {
    if (this.#hasEnded) return
    const nearest = this.#nearest(false)
    const open = nearest.filter(({ state }) => state !== 'answered')
    if (open.length === 0) {
      const all = this.#nearest(true)
      const isWhole = all.every(({ state }) => state === 'answered')
      const isAwaited = all.some(({ state }) => state === 'slow')
      if (isWhole || (!isAwaited && nearest.length * 2 > all.length)) this.#finish(isWhole)
      return
    }
    for (const candidate of this.#quickestFirst(open)) {
      if (this.#underWay >= AT_ONCE) break
      void this.#ask(candidate)
    }
  }

  #quickestFirst(open: readonly Candidate[]): Candidate[] {
    const parts = this.#parts
    return open
      .filter(({ state }) => state === 'named')
      .map((candidate) => ({
        candidate,
        rank: parts.waitMs(candidate.id) === 0 ? Infinity : parts.roundTripMs(candidate.id)
      }))
      .sort((left, right) => (left.rank === right.rank ? 0 : left.rank - right.rank))
      .map(({ candidate }) => candidate)
  }

  async #ask(candidate: Candidate): Promise<void> {
    candidate.state = 'asked'
    // A peer that names it later adds nothing.
    const namers = [...candidate.namers]
    this.#countInVain(namers, 1)
    this.#underWay++
    let holdsPlace = true
    const leave = (): void => {
      if (holdsPlace) this.#underWay--
      holdsPlace = false
    }
    const waitMs = this.#parts.waitMs(candidate.id)
    const becomes = (state: 'slow' | 'skipped') => () => {
      leave()
      candidate.state = state
      this.#advance()
    }
    const waits = [afterWait(waitMs, becomes('slow')), afterWait(waitMs * SKIPPED_AFTER, becomes('skipped'))]
    const named = await this.#parts.ask(candidate)
    for (const end of waits) end()
    leave()
    if (this.#hasEnded) return
    if (named === undefined) candidate.state = 'failed'
    else {
      this.#countInVain(namers, -1)
      this.#take(candidate, named)
    }
    this.#advance()
  }

  #take(candidate: Candidate, named: readonly Named[]): void {
    candidate.state = this.#answered.has(candidate.peer) ? 'failed' : 'answered'
    this.#answered.add(candidate.peer)
    // Certain only now: the prefix of the connection.
    candidate.prefix = this.#parts.prefixOf(candidate, true)
    for (const each of named.slice(0, this.#parts.k)) this.#add(each, widePrefix(candidate.prefix))
  }

  #countInVain(namers: readonly string[], by: number): void {
    for (const namer of namers) this.#inVain.set(namer, (this.#inVain.get(namer) ?? 0) + by)
  }

  #finish(isWhole: boolean): void {
    this.#hasEnded = true
    const answered = this.#sorted.filter(({ state }) => state === 'answered')
    const { k, limits, isLongKnown } = this.#parts
    this.#end.resolve({ peers: diverseFirst(answered, k, limits, isLongKnown).map(({ id }) => id), isWhole })
  }
}
