import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import { sealedPart, serializeZone } from '../../protocol/zone/zone.ts'
import type { TaskManager } from '../tasks.ts'
import type { RegistryContext } from '../context.ts'
import { nextSerial, revealWithPayload } from '../publication/assemble.ts'
import type { PublishBudgets } from '../publication/publish-budget.ts'
import { draftOf, publishRecord } from '../zones/zones.ts'
import { listStanding, type ListStanding } from './list-standing.ts'

const HOUR_MS = 3600 * 1000
/** What a change waits on average. */
const MEAN_WAIT_MS = 6 * HOUR_MS
/** Where leases are short, this part of one. */
const WAITS_IN_LEASE = 28
/** Draws in that time. */
const DRAWS = 24

/**
 * Publishes the list of names some hours after it changed, so that the time does not tell which new name has the same
 * owner. Each draw ends the wait with the same probability: so a daemon that runs an hour a day waits no longer than
 * another, and nothing needs to be remembered.
 */
export class ListUpkeep {
  readonly #context: RegistryContext
  readonly #publish: (name: Name, signal: AbortSignal) => Promise<unknown>
  readonly #ended = new AbortController()
  #stop: (() => void) | undefined
  #looking: Promise<void> | undefined
  /** Its wait is over; publishing may have failed. */
  #isDue = false
  #told: string | undefined

  constructor(context: RegistryContext, publish: (name: Name, signal: AbortSignal) => Promise<unknown>) {
    this.#context = context
    this.#publish = publish
  }

  start(): void {
    const { clock, profile } = this.#context
    const meanMs = Math.min(MEAN_WAIT_MS, (profile.lease * profile.beacon.period * 1000) / WAITS_IN_LEASE)
    this.#stop = clock.every(Math.ceil(meanMs / DRAWS), () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    })
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    this.#stop?.()
    await this.#looking
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { random, network, log } = this.#context
    try {
      const standing = listStanding(this.#context)
      this.#tell(standing)
      this.#isDue = standing?.due !== undefined && (this.#isDue || random() < 1 / DRAWS)
      if (!this.#isDue || network.status().status === 'offline') return
      await this.#publish(standing!.name as Name, this.#ended.signal)
      this.#isDue = false
    } catch (error) {
      if (!this.#ended.signal.aborted)
        log.info({ reason: (error as Error).message }, 'the list of names could not be published; it is tried again')
    }
  }

  /** Once each time that it becomes so. */
  #tell(standing: ListStanding | undefined): void {
    const problem = standing?.state === 'kept' || standing?.state === 'waiting' ? undefined : standing?.detail
    if (problem !== undefined && problem !== this.#told) this.#context.log.warn({ name: standing!.name }, problem)
    this.#told = problem
  }
}

/**
 * Publishes the list of now over the zone that is published; a draft stays one. Resolves at once where nothing is due.
 * SVC-KEY-006, SVC-PUB-001, SVC-PUB-002, SVC-REQ-005, SVC-STO-001.
 */
export async function publishList(
  context: RegistryContext,
  tasks: TaskManager,
  budgets: PublishBudgets,
  signal?: AbortSignal
): Promise<void> {
  const due = listStanding(context)?.due
  if (due === undefined) return
  const { record, zone, sealed } = due
  const { name } = record
  const { profile, zones } = context
  const draft = draftOf(context, name)
  const there = sealedPart(record.reveal.payload, profile)
  // Signed before, and not held by enough peers: the same record again.
  const isSigned = there !== undefined && equalBytes(there, sealed)
  const serial = isSigned ? record.serial : nextSerial(context, name)
  const reveal = isSigned
    ? record.reveal
    : revealWithPayload(context, record.reveal, serializeZone(zone, serial, profile, sealed))
  // The serial of a draft is above that of every record: otherwise it would count as an older zone.
  if (draft !== undefined && !isSigned) zones.save(name, { serial: serial + 1, records: draft.records })
  await publishRecord(context, tasks, budgets, record, reveal, signal)
  if (draft === undefined && zones.get(name) !== undefined) zones.save(name, { serial, records: zone.records })
}
