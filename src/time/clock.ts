import { setTimeout } from 'node:timers/promises'
import type { BeaconClient } from '../beacon/types.ts'
import { clockRound, advanceTime, TIME_ZERO, type ProtocolTime } from '../protocol/time.ts'
import { decodeCanonical, encodeCbor } from '../protocol/encoding/cbor.ts'
import { EncodingError } from '../protocol/errors.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { keys } from '../store/keys.ts'
import { readOrSetAside } from '../store/stored-shapes.ts'
import { StoreError, type Store } from '../store/types.ts'

/** The machine's time, injected, so that tests need no real time. Protocol time is `RoundClock`'s. */
export interface Clock {
  /** Milliseconds since the epoch; may jump either way. */
  now(): number
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `listener` every `milliseconds`, the first time after that long, until the returned function is called. */
  every(milliseconds: number, listener: () => void): () => void
}

/** Its timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    try {
      await setTimeout(milliseconds, undefined, { ref: false, ...(signal !== undefined && { signal }) })
    } catch (error) {
      // Node wraps the reason in an error of its own.
      signal?.throwIfAborted()
      throw error
    }
  },
  every(milliseconds, listener) {
    const timer = setInterval(listener, milliseconds)
    timer.unref()
    return () => clearInterval(timer)
  }
}

/**
 * How far the saved lapse round may lag, as a part of the lease. A restart while the beacon is down judges leases by
 * that much less.
 */
const SAVE_EVERY_PART_OF_LEASE = 1000

export interface RoundClock {
  time(): ProtocolTime
  /** Milliseconds since the epoch. */
  nowMs(): number
}

function decodeRound(bytes: Uint8Array): number {
  const round = decodeCanonical(bytes, { maxBytes: 16, maxDepth: 1 })
  if (typeof round !== 'number') throw new EncodingError('a round is expected')
  return round
}

/** `lapse` of the last run, 0 before the first. Throws StoreError where the store cannot be read. */
export function savedLapseRound(store: Store): number {
  return readOrSetAside(store, keys.lapseRound(), store.get(keys.lapseRound()), decodeRound) ?? 0
}

/**
 * The protocol time of a daemon. There is one, made in daemon.ts: network and registry judge leases by the same rounds.
 * `lapse` outlives restarts in the store. Throws StoreError where the store cannot be read.
 */
export function createRoundClock(
  beacon: Pick<BeaconClient, 'latest'>,
  profile: NetworkProfile,
  store: Store,
  nowMs: () => number
): RoundClock {
  let savedLapse = savedLapseRound(store)
  let time: ProtocolTime = { ...TIME_ZERO, lapse: savedLapse }
  return {
    nowMs,
    time() {
      const verified = beacon.latest()?.round
      time = advanceTime(
        time,
        { clock: clockRound(nowMs(), profile.beacon), ...(verified !== undefined && { verified }) },
        profile
      )
      if (time.lapse > savedLapse + profile.lease / SAVE_EVERY_PART_OF_LEASE) {
        savedLapse = time.lapse
        save(store, time.lapse)
      }
      return time
    }
  }
}

/** A full disk does not stop the clock: the next save makes up for this one. */
function save(store: Store, lapse: number): void {
  try {
    store.put(keys.lapseRound(), encodeCbor(lapse))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}
