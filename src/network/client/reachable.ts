import type { DocumentJudge } from '../../native/types.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Holder } from '../holder/holder.ts'
import type { Peers } from '../peers.ts'
import { OfflineError } from '../types.ts'
import type { Verifier } from '../holder/verifier.ts'
import type { RoundClock } from '../../time/round-clock.ts'

export interface ClientParts {
  readonly profile: NetworkProfile
  readonly verifier: Verifier
  readonly judge: DocumentJudge
  readonly clock: Pick<RoundClock, 'time'>
  readonly peers: () => Peers | undefined
  /** This node's holder while it stores for the network; undefined in light and offline mode. */
  readonly holder: () => Holder | undefined
  readonly ownPeerId: string
  /** Bytes that nobody can foresee; the machine's by default. */
  readonly random?: (length: number) => Uint8Array
  /** What ranks the names that are asked for beside a wanted one: a secret of the process by default. */
  readonly decoySecret?: Uint8Array
}

export interface Reachable {
  readonly peers: Peers
  /** This node's holder where it counts as a peer: on loopback networks, so that a single node can register. */
  readonly countedSelf: Holder | undefined
  /** This node's holder as one voter among those asked. */
  readonly self: Holder | undefined
}

export function isReachable(parts: ClientParts): boolean {
  try {
    reachable(parts)
    return true
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
