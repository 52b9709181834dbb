/** Whether the sealed list is where the configuration wants it, and publishing it some hours after it changed. */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import { sealedPart, serializeZone, fitsPayload, type PublishedZone } from '../../protocol/zone/zone.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { RegistryContext } from '../context.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'
import { nextSerial, revealWithPayload, type PublishBudgets } from '../publication/publishing.ts'
import { draftOf, ownZone } from '../zones/zones.ts'
import { publishRecord } from '../zones/publish.ts'
import { keys } from '../../store/keys.ts'
import type { NameListView } from '../../views/backup.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import { isKept, listedIds, sealedList } from '../publication/name-list.ts'

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
  readonly #looks = new RepeatedLook((signal) => this.#look(signal))
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
    this.#looks.start(clock, Math.ceil(meanMs / DRAWS))
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  /** Never rejects. */
  async #look(signal: AbortSignal): Promise<void> {
    const { random, network, log } = this.#context
    try {
      const list = listState(this.#context)
      this.#tell(list)
      this.#isDue = list?.due !== undefined && (this.#isDue || random() < 1 / DRAWS)
      if (!this.#isDue || network.status().status === 'offline') return
      await this.#publish(list!.name as Name, signal)
      this.#isDue = false
    } catch (error) {
      if (!signal.aborted)
        log.info({ reason: (error as Error).message }, 'the list of names could not be published; it is tried again')
    }
  }

  /** Once each time that it becomes so. */
  #tell(list: ListState | undefined): void {
    const problem = list?.state === 'kept' || list?.state === 'waiting' ? undefined : list?.detail
    if (problem !== undefined && problem !== this.#told) this.#context.log.warn({ name: list!.name }, problem)
    this.#told = problem
  }
}

/**
 * Publishes the list of now over the zone that is published; a draft stays one. Resolves at once where nothing is due.
 * SVC-KEY-006, SVC-PUB-001, SVC-PUB-002, SVC-REQ-005, SVC-STO-001.
 */
export async function publishList(
  context: RegistryContext,
  tasks: ClaimTasks,
  budgets: PublishBudgets,
  signal?: AbortSignal
): Promise<void> {
  const due = listState(context)?.due
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

type ListState = NameListView & {
  /** What to publish, where that can be done now. */
  readonly due?: { readonly record: OwnedName; readonly zone: PublishedZone; readonly sealed: Uint8Array }
}

/** Undefined where no list is asked for, and none is there. Throws StoreError. */
export function listState(context: RegistryContext): ListState | undefined {
  const { seed, store, profile, owned } = context
  const name = context.listIn() as Name
  if (name === '' || name === 'none') return name === '' ? leftAlone(context) : undefined

  const record = owned.get(name)
  if (!isKept(context, record)) {
    const detail = `This daemon does not own ${name}, or lets it lapse: no list is kept. Register it, or take it back,`
    return { name, state: 'not-owned', detail: `${detail} or set backup.list_in to another name of yours.` }
  }
  if (seed.isLocked) return { name, state: 'waiting', detail: 'Changes of the list wait until the seed is unlocked.' }
  if (store.get(keys.wanted(name)) !== undefined)
    return { name, state: 'waiting', detail: 'Another daemon with this seed has listed names: they are read first.' }

  const zone = ownZone(context, record)
  const sealed = sealedList(context, name, record.reveal.payload)
  if (sealed === undefined) {
    const detail = 'There are more names than the longest list holds, so it does not change any more.'
    return { name, state: 'no-room', detail: `${detail} Keep a backup file: docs/backup.md.` }
  }
  if (zone === undefined || !fitsPayload(zone, profile, sealed)) {
    const detail = `The zone of ${name} has no room for the list, which takes ${sealed.length} bytes and a third more.`
    return {
      name,
      state: 'no-room',
      detail: `${detail} Publish a smaller zone, or set backup.list_in to another name.`
    }
  }
  const there = sealedPart(record.reveal.payload, profile)
  if (there !== undefined && equalBytes(there, sealed) && record.serial <= record.publishedSerial) {
    const count = listedIds(context, name).length
    return {
      name,
      state: 'kept',
      detail: `${name} carries the sealed list of your other names and identities: ${count}.`
    }
  }
  const detail = `Changes of the list go out with the next zone of ${name}, or by themselves within some hours.`
  return {
    name,
    state: 'waiting',
    detail: `${detail} At once: chronym zone publish ${name}`,
    due: { record, zone, sealed }
  }
}

/** As after a restore from the words: a list is there, and nothing keeps it up to date. */
function leftAlone(context: RegistryContext): ListState | undefined {
  const { owned, profile } = context
  const carrier = owned
    .list()
    .find((record) => isKept(context, record) && sealedPart(record.reveal.payload, profile) !== undefined)
  if (carrier === undefined) return undefined
  const { name } = carrier
  const detail = `${name} carries a list of your names, and nothing keeps it up to date.`
  return { name, state: 'not-updated', detail: `${detail} Let the daemon: chronym config set backup.list_in=${name}` }
}
