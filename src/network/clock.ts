/** Time as this node knows it: from the beacon's verified pulses and the clock, never from peers. */
import type { BeaconClient } from '../beacon/types.ts'
import { clockRound } from '../protocol/beacon-time.ts'
import { decodeCanonical, encodeCbor } from '../protocol/cbor.ts'
import { EncodingError } from '../protocol/errors.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import { advanceTime, TIME_ZERO, type ProtocolTime } from '../protocol/time.ts'
import { keys } from '../store/keys.ts'
import { readOrSetAside } from '../store/read-or-set-aside.ts'
import type { Store } from '../store/types.ts'

/** Rounds that the saved lapse round may be behind, as a part of the lease: a restart while the beacon is down then judges leases by that much less. */
const SAVE_EVERY_PART_OF_LEASE = 1000

export interface RoundClock {
  time(): ProtocolTime
  nowMs(): number
}

function decodeRound(bytes: Uint8Array): number {
  const round = decodeCanonical(bytes, { maxBytes: 16, maxDepth: 1 })
  if (typeof round !== 'number') throw new EncodingError('a round is expected')
  return round
}

/** `lapse` outlives restarts in the store. */
export function createRoundClock(beacon: Pick<BeaconClient, 'latest'>, profile: NetworkProfile, store: Store, nowMs: () => number): RoundClock {
  let savedLapse = readOrSetAside(store, keys.lapseRound(), store.get(keys.lapseRound()), decodeRound) ?? 0
  let time: ProtocolTime = { ...TIME_ZERO, lapse: savedLapse }
  return {
    nowMs,
    time() {
      const verified = beacon.latest()?.round
      time = advanceTime(time, { clock: clockRound(nowMs(), profile.beacon), ...(verified !== undefined && { verified }) }, profile)
      if (time.lapse > savedLapse + profile.lease / SAVE_EVERY_PART_OF_LEASE) {
        store.put(keys.lapseRound(), encodeCbor(time.lapse))
        savedLapse = time.lapse
      }
      return time
    }
  }
}
