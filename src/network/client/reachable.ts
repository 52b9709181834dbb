import type { DocumentJudge } from '../../native/types.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Holder } from '../holder/holder.ts'
import type { Peers } from '../peers.ts'
import { OfflineError } from '../types.ts'
import type { Verifier } from '../holder/verifier.ts'

/** What every request to the network is made with. */
export interface ClientParts {
  readonly profile: NetworkProfile
  readonly verifier: Verifier
  readonly judge: DocumentJudge
  /** Undefined while offline. */
  readonly peers: () => Peers | undefined
  /** Our own holder while it stores for the network; undefined in the modes light and offline. */
  readonly holder: () => Holder | undefined
  readonly ownPeerId: string
}

/** Who can be asked now. */
export interface Reachable {
  readonly peers: Peers
  /**
   * Our own holder where its word counts as a peer's: on a network of this machine, so that one node alone can
   * register.
   */
  readonly countedSelf: Holder | undefined
  /** Our own holder as one voter among those asked. */
  readonly self: Holder | undefined
}

/** Whether anybody can be asked: without, requests throw OfflineError. */
export function isReachable(parts: ClientParts): boolean {
  try {
    reachable(parts)
    return true
  } catch (error) {
    if (error instanceof OfflineError) return false
    throw error
  }
}

/** Throws OfflineError when nobody can be asked. */
export function reachable(parts: ClientParts): Reachable {
  const peers = parts.peers()
  if (peers === undefined) throw new OfflineError('the daemon is in mode offline')
  const self = parts.holder()
  const countedSelf = parts.profile.scope === 'loopback' ? self : undefined
  if (!peers.knowsAny() && countedSelf === undefined) throw new OfflineError('no peer of this network is connected')
  return { peers, countedSelf, self }
}
