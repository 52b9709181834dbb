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
import { askForCommitments, dropDisplaced, handOver } from './replication.ts'
import { OfflineError, type PutOutcome } from '../types.ts'
import { roundsIn } from '../../protocol/time.ts'
import type { Entry } from '../../protocol/admission/entry.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The first replication comes this soon after the start, so that a restarted node is soon complete. */
const FIRST_REPLICATION_MS = 2 * MINUTE_MS

/** Delay of a round that is called for: so that peers are known by then. */
const SOON_MS = 5_000
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
  /** A round in seconds: peers have returned, which earlier publications missed, or this node is full from now on. */
  soon(): void
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
  let calledMs: number | undefined
  let knownBefore = 0

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
  const known = (): number => parts.peers()?.known() ?? 0
  const beginReplicating = (): void => {
    lastReplicationMs = clock.nowMs()
    knownBefore = known()
    calledMs = undefined
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
  const soon = (): void => {
    calledMs ??= clock.nowMs() + SOON_MS
  }
  const endLooking = timers.every(SOON_MS, () => {
    // A young network: most of those that should hold a name have come since, and too few list it for them to adopt it.
    if (knownBefore < parts.profile.k && known() >= 2 * Math.max(1, knownBefore)) soon()
    if (
      calledMs !== undefined &&
      replicating === undefined &&
      isDue(Math.max(calledMs, lastReplicationMs + LEAST_BETWEEN_MS), LEAST_BETWEEN_MS)
    )
      beginReplicating()
  })
  return {
    soon,
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

const QUESTIONS_PER_SETTLING = 4

/**
 * Parallel questions, each to k peers. 4,096 provisional entries with a majority silent for ten seconds take an hour
 * and a half.
 */
const MAX_UNDER_WAY = 8

interface EntryQuestionsParts {
  readonly profile: NetworkProfile
  /** 0 <= x < 1. */
  readonly random: () => number
  /** Asks about an entry, by K in hex. Does not reject. */
  readonly ask: (id: string) => Promise<void>
}

/**
 * When unsettled entries are asked about, and how many in parallel: a silent peer must delay neither other questions
 * nor the entries' time.
 */
export class EntryQuestions {
  readonly #parts: EntryQuestionsParts
  readonly #due = new Map<string, number>()
  readonly #ready = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(parts: EntryQuestionsParts) {
    this.#parts = parts
  }

  /** Starts the questions due by round `verified`, as places allow; the others follow. */
  begin(unsettled: ReadonlyMap<string, Entry>, verified: number): void {
    for (const id of this.#due.keys()) {
      if (unsettled.has(id)) continue
      this.#due.delete(id)
      this.#ready.delete(id)
    }
    for (const [id, entry] of unsettled) {
      const interval = questionInterval(entry, this.#parts.profile)
      if (interval === undefined) continue
      const due = this.#due.get(id)
      // The first question comes at a random point of the interval, so that neighbours do not ask simultaneously.
      if (due === undefined) this.#due.set(id, verified + Math.ceil(this.#parts.random() * interval))
      else if (verified >= due) {
        this.#due.set(id, verified + interval)
        this.#ready.add(id)
      }
    }
    this.#fillPlaces()
  }

  /** Starts no more; resolves when none is running. */
  async stop(): Promise<void> {
    this.#ready.clear()
    await Promise.all(this.#underWay)
  }

  #fillPlaces(): void {
    for (const id of this.#ready) {
      if (this.#underWay.size === MAX_UNDER_WAY) return
      this.#ready.delete(id)
      const question = this.#parts.ask(id).finally(() => {
        this.#underWay.delete(question)
        this.#fillPlaces()
      })
      this.#underWay.add(question)
    }
  }
}

/** Rounds between two questions about an entry; undefined for none. */
function questionInterval({ state }: Entry, profile: NetworkProfile): number | undefined {
  if (state === 'settling') return Math.max(1, Math.ceil((profile.settle - profile.contest) / QUESTIONS_PER_SETTLING))
  if (state === 'provisional')
    return Math.max(
      1,
      Math.min(roundsIn(3600, profile.beacon), Math.ceil(profile.provisional_settle / QUESTIONS_PER_SETTLING))
    )
  return undefined
}
