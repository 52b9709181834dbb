/** The peers that a client can reach, and those of them that should hold a record. */
import type { DocumentJudge } from '../../native/types.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import type { Holder } from '../holder/holder.ts'
import type { Peer, Peers } from '../peers.ts'
import { OfflineError } from '../types.ts'
import type { Verifier } from '../holder/verifier.ts'
import { type RoundClock, systemClock } from '../../time/clock.ts'
import { sha256 } from '../../protocol/encoding/bytes.ts'
import {
  distance,
  isWithin,
  radius,
  type RecordKind,
  recordKeyPreimage
} from '../../protocol/neighbourhood/key-space.ts'
import { positionOf } from '../table.ts'
import { doubled } from '../../util/backoff.ts'
import { AskError } from '../wire/exchange.ts'
import type { AnswerTo, Request } from '../wire/messages.ts'

export interface ClientParts {
  readonly profile: NetworkProfile
  readonly verifier: Verifier
  readonly judge: DocumentJudge
  readonly clock: Pick<RoundClock, 'time'>
  readonly peers: () => Peers | undefined
  /** This node's holder while it stores for the network; undefined in light and offline mode. */
  readonly holder: () => Holder | undefined
  readonly ownPeerId: string
  /** It has peers of its network to find, so what it stores alone is not published. */
  readonly expectsOthers?: boolean
  /** Bytes that nobody can foresee; the machine's by default. */
  readonly random?: (length: number) => Uint8Array
  /** What ranks the names that are asked for beside a wanted one: a secret of the process by default. */
  readonly decoySecret?: Uint8Array
}

interface Reachable {
  readonly peers: Peers
  /** This node's holder where it counts as a peer: on loopback networks, so that a single node can register. */
  readonly countedSelf: Holder | undefined
  /** This node's holder as one voter among those asked. */
  readonly self: Holder | undefined
}

/** Whether an answer can come from others, or from this node alone where it expects none. */
export function isReachable(parts: ClientParts): boolean {
  try {
    return reachable(parts).peers.knowsAny() || parts.expectsOthers !== true
  } catch (error) {
    if (error instanceof OfflineError) return false
    throw error
  }
}

/** Throws OfflineError when no peer can be asked. */
export function reachable(parts: ClientParts): Reachable {
  const peers = parts.peers()
  if (peers === undefined)
    throw new OfflineError('the daemon is in mode offline, and asks nobody until its mode is full or light')
  const self = parts.holder()
  const countedSelf = parts.profile.scope === 'loopback' ? self : undefined
  if (!peers.knowsAny() && countedSelf === undefined) {
    const who =
      self === undefined
        ? 'no peer in mode full, the only ones that one in mode light can ask,'
        : 'no peer of this network'
    throw new OfflineError(`${who} is connected; check the connection and p2p.bootstrap`)
  }
  return { peers, countedSelf, self }
}

/**
 * The k peers that should hold a record, diverse ones first. In networks of more than k peers, look-ups of other keys
 * nearby join in: ids chosen around K cannot foresee them [a look-up led astray]. Rejects with the signal's reason.
 */
export async function shouldHold(
  peers: Peers,
  kind: RecordKind,
  id: string,
  profile: NetworkProfile,
  signal?: AbortSignal
): Promise<Peer[]> {
  const preimage = recordKeyPreimage(kind, id, profileHash(profile))
  const key = sha256(preimage)
  const closest = peers.closest(preimage, signal)
  // A newcomer has to meet some first: it would look up keys anywhere.
  if (peers.known() < profile.k && (await closest).length < profile.k) return closest
  return nearestOf(peers, key, profile.k, ...(await Promise.all([closest, nearby(peers, key, profile.k, signal)])))
}

/** The k of several lists nearest to a key, diverse ones first. */
export function nearestOf(
  peers: Pick<Peers, 'diverseFirst'>,
  key: Uint8Array,
  k: number,
  ...lists: readonly (readonly Peer[])[]
): Peer[] {
  const nearestFirst = distinct(...lists)
    .map((peer) => ({ peer, away: distance(key, positionOf(peer.id)) }))
    .sort((left, right) => left.away - right.away)
  return peers.diverseFirst(
    nearestFirst.map(({ peer }) => peer),
    k
  )
}

/**
 * The holders among the k nearest to a key, found by look-ups of other keys; diverse ones first. Rejects with the
 * signal's reason.
 */
export async function nearby(peers: Peers, key: Uint8Array, k: number, signal?: AbortSignal): Promise<Peer[]> {
  const { peers: around } = await peers.neighbourhood(key, signal)
  const reach = radius(k, peers.networkSize())
  return nearestOf(
    peers,
    key,
    k,
    around.filter(({ id }) => isWithin(key, positionOf(id), reach))
  )
}

export function distinct(...lists: readonly (readonly Peer[])[]): Peer[] {
  return [...new Map(lists.flat().map((peer) => [peer.peer, peer])).values()]
}

/** Attempts with a busy peer, and the first pause. Pauses double: 1.75 s in all. */
const ATTEMPTS = 4
const BUSY_PAUSE_MS = 250
const LONGEST_BUSY_PAUSE_MS = 1_000

/** Asks a peer, and repeats while it is busy. Rejects with AskError or the signal's reason. */
export async function askWithRetries<R extends Request>(
  peers: Peers,
  peer: Peer,
  request: R,
  signal?: AbortSignal
): Promise<AnswerTo<R>> {
  for (let attempt = 0; ; attempt++) {
    const answer = await peers.ask(peer, request, signal)
    if (answer.type !== 'busy' || attempt === ATTEMPTS - 1) return answer
    await systemClock.sleep(doubled(BUSY_PAUSE_MS, LONGEST_BUSY_PAUSE_MS, attempt), signal)
  }
}

/**
 * Aborts the work with an AskError after `milliseconds`. Rejects with that, the caller's reason, or the work's error.
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    deadline.abort(new AskError(`not answered within ${milliseconds / 1000} s`))
  }, milliseconds)
  try {
    return await work(signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Throws OfflineError where nobody was found although this node expects others. Else a node that has just started, and
 * not met them yet, would take its own word for the majority's.
 */
export function requireOthers({ expectsOthers = false }: ClientParts, found: readonly unknown[]): void {
  if (expectsOthers && found.length === 0)
    throw new OfflineError('no peer of this network has answered yet; check the connection and p2p.bootstrap')
}
