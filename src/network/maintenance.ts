/** What a node does by itself: time passes over its entries, doubtful ones are asked about, records move to where they belong. */
import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import { fromHex } from '../protocol/bytes.ts'
import { roundsIn } from '../protocol/beacon-time.ts'
import type { Entry } from '../protocol/entry.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import type { Store } from '../store/types.ts'
import { forgetOwnRecord, isStanding, ownRecords, type OwnRecord } from './client/own-records.ts'
import type { RoundClock } from './clock.ts'
import type { Holder } from './holder/holder.ts'
import type { Peers } from './peers.ts'
import { askForCommitments, dropDisplaced, handOver } from './replication.ts'
import type { Timers } from './timers.ts'
import { OfflineError, type PutOutcome } from './types.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The first round of replication comes within this time of the start, so that a restarted node is soon complete. */
const FIRST_REPLICATION_MS = 2 * MINUTE_MS

/** When peers are there again after there was none, records go to them this soon, and twice at least this far apart. */
const REJOINED_MS = 5_000
const LEAST_BETWEEN_MS = MINUTE_MS

/** Questions about an unsettled entry while it settles. */
const QUESTIONS_PER_SETTLING = 4

export interface MaintenanceParts {
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: RoundClock
  readonly beacon: Pick<BeaconClient, 'on'>
  readonly timers: Timers
  readonly random: () => number
  readonly log: Logger
  readonly peers: () => Peers | undefined
  /** Undefined in the modes light and offline. */
  readonly holder: () => Holder | undefined
  readonly republish: (record: OwnRecord) => Promise<void>
  /** Sends a record of anybody's to those who should hold it, and reads it back. */
  readonly send: (record: OwnRecord) => Promise<PutOutcome>
}

export interface Maintenance {
  /** Peers are there again after there was none: what was published meanwhile has reached nobody. */
  rejoined(): void
  /** Ends it; resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export function startMaintenance(parts: MaintenanceParts): Maintenance {
  const { timers, clock, random, log } = parts
  const questions = new Map<string, number>()
  let stopped = false
  let ticking: Promise<void> | undefined
  let replicating: Promise<void> | undefined
  let nextReplicationMs = clock.nowMs() + random() * FIRST_REPLICATION_MS
  let lastReplicationMs = -Infinity
  let rejoinedMs: number | undefined

  const isStopped = (): boolean => stopped
  const tick = async (): Promise<void> => {
    const holder = parts.holder()
    if (holder === undefined) return
    try {
      await passTime(holder, questions, parts, isStopped)
    } catch (error) {
      log.error({ err: error }, 'entries could not be brought up to date')
    }
  }
  const replicate = async (): Promise<void> => {
    try {
      await republishOwn(parts, isStopped)
      const [holder, peers] = [parts.holder(), parts.peers()]
      if (holder === undefined) return
      holder.commitments.forget()
      holder.reveals.forgetChanges()
      await holder.entries.dropDead()
      await holder.documents.dropUnkept()
      if (peers === undefined) return
      holder.commitments.takeOver(await askForCommitments(peers, isStopped))
      await handOver(holder, peers, parts.profile, isStopped)
      await dropDisplaced(holder, parts.send, isStopped)
    } catch (error) {
      log.error({ err: error }, 'records could not be replicated')
    }
  }
  const endPulses = parts.beacon.on('pulse', () => {
    ticking ??= tick().finally(() => (ticking = undefined))
  })
  const beginReplicating = (): void => {
    lastReplicationMs = clock.nowMs()
    rejoinedMs = undefined
    replicating ??= replicate().finally(() => (replicating = undefined))
  }
  /** What is farther off than it ever is was put off by a clock that was set back since. */
  const isDue = (dueMs: number, longestMs: number): boolean => {
    const leftMs = dueMs - clock.nowMs()
    return leftMs <= 0 || leftMs > longestMs
  }
  const endTimer = timers.every(MINUTE_MS, () => {
    if (!isDue(nextReplicationMs, 1.5 * HOUR_MS) || replicating !== undefined) return
    // Half an hour to an hour and a half: neighbours that started together do not stay in step.
    nextReplicationMs = clock.nowMs() + (0.5 + random()) * HOUR_MS
    beginReplicating()
  })
  const endLooking = timers.every(REJOINED_MS, () => {
    if (rejoinedMs !== undefined && replicating === undefined && isDue(Math.max(rejoinedMs, lastReplicationMs + LEAST_BETWEEN_MS), LEAST_BETWEEN_MS)) beginReplicating()
  })
  return {
    rejoined() {
      rejoinedMs ??= clock.nowMs() + REJOINED_MS
    },
    async stop() {
      stopped = true
      endPulses()
      endTimer()
      endLooking()
      await Promise.all([ticking, replicating])
    }
  }
}

/** Ticks the unsettled entries, asks about those whose turn has come, applies changes that waited. */
async function passTime(holder: Holder, questions: Map<string, number>, parts: MaintenanceParts, isStopped: () => boolean): Promise<void> {
  const unsettled = holder.entries.tickUnsettled()
  const { verified } = parts.clock.time()
  for (const id of questions.keys()) {
    if (!unsettled.has(id)) questions.delete(id)
  }
  for (const [id, entry] of [...unsettled]) {
    const interval = questionInterval(entry, parts.profile)
    if (interval === undefined || isStopped()) continue
    const due = questions.get(id)
    // The first question comes at a random point of the interval, so that neighbours do not ask each other at once.
    if (due === undefined) questions.set(id, verified + Math.ceil(parts.random() * interval))
    else if (verified >= due) {
      questions.set(id, verified + interval)
      await holder.reveals.revise(fromHex(id))
    }
  }
  await holder.reveals.applyWaiting()
}

/** Rounds between two questions about an entry; undefined where none are asked. */
function questionInterval({ state }: Entry, profile: NetworkProfile): number | undefined {
  if (state === 'settling') return Math.max(1, Math.ceil((profile.settle - profile.contest) / QUESTIONS_PER_SETTLING))
  if (state === 'provisional') return Math.max(1, Math.min(roundsIn(3600, profile.beacon), Math.ceil(profile.provisional_settle / QUESTIONS_PER_SETTLING)))
  return undefined
}

/** Sends every record of our own again, as long as its lease runs, or its validity. */
async function republishOwn({ store, clock, profile, log, republish }: MaintenanceParts, isStopped: () => boolean): Promise<void> {
  for (const record of ownRecords(store)) {
    if (isStopped()) return
    if (!isStanding(record, { store, clock, profile })) {
      forgetOwnRecord(store, record.kind, record.id)
      continue
    }
    try {
      await republish(record)
    } catch (error) {
      if (error instanceof OfflineError) return
      log.warn({ err: error, id: record.id }, 'an own record could not be published again')
    }
  }
}
