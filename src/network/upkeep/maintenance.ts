/**
 * A node's own work: it updates entries over time, asks about unsettled ones, and moves records to where they belong.
 */
import type { Logger } from 'pino'
import type { BeaconClient } from '../../beacon/types.ts'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Store } from '../../store/types.ts'
import { codedRecord, forgetOwnRecord, isStillAccepted, ownRecords, type OwnRecord } from '../client/own-records.ts'
import type { RoundClock, Clock } from '../../time/clock.ts'
import type { Holder } from '../holder/holder.ts'
import type { Peers } from '../peers.ts'
import { EntryQuestions } from './entry-questions.ts'
import { askForCommitments, dropDisplaced, handOver } from './replication.ts'
import { OfflineError, type PutOutcome } from '../types.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The first replication comes this soon after the start, so that a restarted node is soon complete. */
const FIRST_REPLICATION_MS = 2 * MINUTE_MS

/** Delay of republication after peers return, and half the least time between two. */
const REJOINED_MS = 5_000
const LEAST_BETWEEN_MS = MINUTE_MS

interface MaintenanceParts {
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: RoundClock
  readonly beacon: Pick<BeaconClient, 'on'>
  readonly timers: Pick<Clock, 'every'>
  readonly random: () => number
  readonly log: Logger
  readonly peers: () => Peers | undefined
  readonly holder: () => Holder | undefined
  readonly republish: (record: OwnRecord) => Promise<void>
  /** Sends any owner's record to its holders, and reads it back. */
  readonly send: (record: OwnRecord) => Promise<PutOutcome>
}

export interface Maintenance {
  /** Peers have returned: earlier publications may have reached no peer. */
  rejoined(): void
  /** Resolves when all its work has ended. */
  stop(): Promise<void>
}

export function startMaintenance(parts: MaintenanceParts): Maintenance {
  const { timers, clock, random, log } = parts
  const questions = new EntryQuestions({
    profile: parts.profile,
    random,
    async ask(id) {
      try {
        await parts.holder()?.reveals.revise(fromHex(id))
      } catch (error) {
        log.error({ err: error }, 'neighbours could not be asked about an entry')
      }
    }
  })
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
      questions.begin(holder.entries.tickUnsettled(), clock.time().verified)
      await holder.reveals.applyWaiting()
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
      await holder.coded.entries.dropDead()
      await holder.documents.dropUnkept()
      if (peers === undefined) return
      holder.commitments.takeOver(await askForCommitments(peers, isStopped))
      await handOver(holder, peers, parts.profile, isStopped)
      await dropDisplaced(holder, parts.profile, parts.send, isStopped)
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
  /** A due time beyond the longest interval dates from before the clock was set back. */
  const isDue = (dueMs: number, longestMs: number): boolean => {
    const leftMs = dueMs - clock.nowMs()
    return leftMs <= 0 || leftMs > longestMs
  }
  const endTimer = timers.every(MINUTE_MS, () => {
    if (!isDue(nextReplicationMs, 1.5 * HOUR_MS) || replicating !== undefined) return
    // Half an hour to an hour and a half, so that neighbours that start together diverge.
    nextReplicationMs = clock.nowMs() + (0.5 + random()) * HOUR_MS
    beginReplicating()
  })
  const endLooking = timers.every(REJOINED_MS, () => {
    if (
      rejoinedMs !== undefined &&
      replicating === undefined &&
      isDue(Math.max(rejoinedMs, lastReplicationMs + LEAST_BETWEEN_MS), LEAST_BETWEEN_MS)
    )
      beginReplicating()
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
      await Promise.all([ticking, replicating, questions.stop()])
    }
  }
}

async function republishOwn(
  { store, clock, profile, log, republish }: MaintenanceParts,
  isStopped: () => boolean
): Promise<void> {
  for (const record of ownRecords(store)) {
    if (isStopped()) return
    if (!isStillAccepted(record, { store, clock, profile })) {
      forgetOwnRecord(store, record.kind, record.id)
      continue
    }
    try {
      await republish(record)
      if (record.kind === 'reveal') await republish(codedRecord(record, profile))
    } catch (error) {
      if (error instanceof OfflineError) return
      log.warn({ err: error, id: record.id }, 'an own record could not be published again')
    }
  }
}
