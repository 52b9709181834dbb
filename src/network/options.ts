/** What a network is made of. */
import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import type { DocumentJudge, NativePool } from '../native/types.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Store } from '../store/types.ts'
import type { Clock } from '../time/clock.ts'
import type { RoundClock } from '../time/round-clock.ts'
import type { NetworkMode } from './types.ts'

export interface NetworkOptions {
  readonly profile: NetworkProfile
  readonly store: Store
  /** 32 bytes: the seed of the node's Ed25519 key; the peer id comes from it. */
  readonly nodeSeed: Uint8Array
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge
  /** Multiaddrs to listen on, such as /ip4/127.0.0.1/tcp/7469; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** The IP address that connections are made from, see NodeOptions. */
  readonly dialFrom?: string
  /** Multiaddrs with peer ids. */
  readonly bootstrap: readonly string[]
  readonly mode: NetworkMode
  readonly log: Logger
  /** The daemon's one: the registry judges by it too. */
  readonly clock: RoundClock
  /**
   * Bytes of the database from which on nothing new of others is taken, unless something less worthy gives way.
   * Default: 2 GiB.
   */
  readonly storageBytes?: number
  /** Monotonic, milliseconds: what peers may cost is counted by it. */
  readonly elapsed?: () => number
  readonly timers?: Pick<Clock, 'every'>
  /** 0 <= x < 1: spreads what neighbours would otherwise do at the same moment. */
  readonly random?: () => number
  /** Told to peers by identify. */
  readonly agent?: string
}
