import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import type { DocumentJudge, NativePool } from '../native/types.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Store } from '../store/types.ts'
import type { Clock, RoundClock } from '../time/clock.ts'
import type { NetworkMode } from './types.ts'

export interface NetworkOptions {
  readonly profile: NetworkProfile
  readonly store: Store
  /** 32 bytes: the seed of the node's Ed25519 key, which determines the peer id. */
  readonly nodeSeed: Uint8Array
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge
  /** Multiaddrs to listen on, such as /ip4/127.0.0.1/tcp/7469; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** Multiaddrs to announce once a peer has dialled them; empty: those of `listen`. */
  readonly announce?: readonly string[]
  readonly dialFrom?: string
  readonly bootstrap: readonly string[]
  readonly mode: NetworkMode
  readonly log: Logger
  /** The daemon's clock: the registry judges by it too. */
  readonly clock: RoundClock
  /** Database bytes from which new records of others need something less worthy to give way. Default: 2 GiB. */
  readonly storageBytes?: number
  /** Monotonic, milliseconds; budgets use it. */
  readonly elapsed?: () => number
  readonly timers?: Pick<Clock, 'every'>
  /** 0 <= x < 1: spreads work that neighbours would otherwise do simultaneously. */
  readonly random?: () => number
  readonly agent?: string
}
