/** What round arithmetic needs of a beacon; the profile's `beacon` fits. */
export interface BeaconSchedule {
  /** Seconds between rounds. */
  readonly period: number
  /** Unix time of round 1, in seconds. */
  readonly genesis: number
}

/** The round due at a wall-clock time: floor((now - genesis) / period) + 1; 0 before the genesis. */
export function clockRound(nowMs: number, beacon: BeaconSchedule): number {
  return Math.max(0, Math.floor((nowMs - beacon.genesis * 1000) / (beacon.period * 1000)) + 1)
}

/** The wall-clock time at which a round is due, in milliseconds since the epoch. */
export function roundTimeMs(round: number, beacon: BeaconSchedule): number {
  return (beacon.genesis + (round - 1) * beacon.period) * 1000
}

export function roundsIn(seconds: number, beacon: BeaconSchedule): number {
  return Math.ceil(seconds / beacon.period)
}
