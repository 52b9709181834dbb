/**
 * What the database of a directory must have, in a file beside it: names, identities and unfinished tasks. A database
 * that was deleted or cut back looks whole; this file names what it lacks. It gains after the database and loses before
 * it, so a crash between the two is never taken for a loss.
 */
import * as v from 'valibot'
import type { DataPaths } from '../data-directory/paths.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'
import { readIfThere } from '../data-directory/seed-files.ts'
import type { Logger } from '../log.ts'
import { decodeIdentityEnvelope } from '../protocol/identity/record.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { OwnedNames, decodeAdoption, encodeAdoption } from '../registry/stored/owned-names.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { Count, Text } from '../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../store/types.ts'
import { decodeEntry } from '../registry/claims/journal.ts'
import { hasEnded } from '../registry/claims/task.ts'
import type { MissingView } from '../views/backup.ts'
import { RecordStore } from './records.ts'

const HeldSchema = v.object({
  /** A name or a DID; of a task: its name. */
  id: Text,
  /** For a name the round of its claim, otherwise 0. */
  claim: Count,
  /** For a name the highest serial signed here, for an identity its version, otherwise 0. */
  serial: Count
})
type Held = v.InferOutput<typeof HeldSchema>
/** By their keys in the store. */
const FileSchema = v.record(v.string(), HeldSchema)

const WHAT = new Map<string, MissingView['what']>([
  [prefixes.ownedNames, 'name'],
  [prefixes.ownIdentities, 'identity'],
  [prefixes.tasks, 'task']
])

interface HoldingsOptions {
  readonly paths: Pick<DataPaths, 'holdings'>
  readonly store: Store
  readonly profile: NetworkProfile
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export class Holdings {
  readonly #options: HoldingsOptions
  /** What the database has. A task that ended has the value `over`. */
  readonly #present = new Map<string, Held | 'over'>()
  /** What it must have. */
  readonly #known: Map<string, Held>
  #written: string | undefined

  /**
   * Compares the file with the database, says in the log what is missing, and has the daemon look for it in the
   * network. Throws StoreError.
   */
  constructor(options: HoldingsOptions) {
    this.#options = options
    const { store, log, paths } = options
    this.#known = this.#read()
    for (const prefix of WHAT.keys()) for (const [key, value] of [...store.list(prefix)]) this.#take(key, value)
    const missing = this.missing()
    if (missing.length > 0)
      log.error(
        { missing: missing.map(({ what, id, detail }) => `${what} ${id}: ${detail}`) },
        'the database has less than this directory had: it was deleted, replaced or damaged. Restore a backup into ' +
          'a new directory (docs/backup.md), or wait for what the network holds (`chronym adopt`)'
      )
    else if (this.#written === undefined && this.#known.size > 0)
      log.info({ file: paths.holdings }, 'there was no list of what the database must have: it is written again')
    this.#want()
    this.#write()
  }

  /** Names first, then identities and tasks, each in order. */
  missing(): MissingView[] {
    return [...this.#known]
      .filter(([key, held]) => !this.#isThere(key, held))
      .map(([key, { id, serial }]) => {
        const what = whatOf(key)!
        const present = this.#present.get(key)
        if (present === undefined || present === 'over')
          return { what, id, detail: what === 'task' ? 'the task is gone: start it again' : 'not in the database' }
        const number = what === 'name' ? 'serial' : 'version'
        return { what, id, detail: `the database has an older state than ${number} ${serial}, which was saved here` }
      })
      .sort((left, right) => rank(left) - rank(right) || (left.id < right.id ? -1 : 1))
  }

  /** The owner says that it is gone. False where it is not missing. */
  forget(id: string): boolean {
    let isForgotten = false
    for (const [key, held] of [...this.#known]) {
      if (held.id !== id || this.#isThere(key, held)) continue
      isForgotten = true
      this.#known.delete(key)
      const present = this.#present.get(key)
      if (present !== undefined && present !== 'over') this.#known.set(key, present)
    }
    if (isForgotten) this.#write()
    return isForgotten
  }

  /** The daemon is about to write this. What it gives up is not a loss. Never throws. */
  before(operations: readonly StoreOperation[]): void {
    let isLess = false
    for (const operation of operations) {
      const key = 'put' in operation ? operation.put : operation.delete
      const known = this.#known.get(key)
      if (known === undefined || !this.#isThere(key, known)) continue
      const held = 'put' in operation ? heldIn(key, operation.value, this.#options.profile) : undefined
      if (held !== undefined && held !== 'over' && isAtLeast(held, known)) continue
      isLess = true
      if (held === undefined || held === 'over') this.#known.delete(key)
      else this.#known.set(key, held)
    }
    if (isLess) this.#write()
  }

  /** These keys were written or deleted. Never throws. */
  changed(changed: readonly string[]): void {
    const watched = changed.filter((key) => whatOf(key) !== undefined)
    for (const key of watched) {
      const value = this.#options.store.get(key)
      if (value === undefined) this.#present.delete(key)
      else this.#take(key, value)
    }
    if (watched.length > 0) this.#write()
  }

  #take(key: string, value: Uint8Array): void {
    const held = heldIn(key, value, this.#options.profile)
    if (held === undefined) return
    this.#present.set(key, held)
    const known = this.#known.get(key)
    if (held === 'over') this.#known.delete(key)
    else if (known === undefined || isAtLeast(held, known)) this.#known.set(key, held)
  }

  #isThere(key: string, known: Held): boolean {
    const present = this.#present.get(key)
    if (present !== undefined) return present === 'over' || isAtLeast(present, known)
    // A task is over with its name, and a newer one of the same name takes its place.
    return whatOf(key) === 'task' && [...this.#present].some(([, held]) => held !== 'over' && held.id === known.id)
  }

  /** Has the network asked for what is not there at all. */
  #want(): void {
    const { store, now } = this.#options
    for (const [key, held] of this.#known) {
      if (this.#isThere(key, held) || this.#present.has(key)) continue
      const wanted = keys.wanted(held.id)
      const known = store.get(wanted)
      if (known === undefined || isGuess(known)) store.put(wanted, encodeAdoption({ sinceMs: now(), isGuess: false }))
    }
  }

  #read(): Map<string, Held> {
    const { paths, log } = this.#options
    try {
      const text = readIfThere(paths.holdings)
      if (text === undefined) return new Map()
      const read = Object.entries(v.parse(FileSchema, JSON.parse(text)))
      this.#written = text
      return new Map(read.filter(([key]) => whatOf(key) !== undefined))
    } catch (err) {
      log.warn({ err, file: paths.holdings }, 'the list of what the database must have cannot be read')
      return new Map()
    }
  }

  #write(): void {
    const { paths, log } = this.#options
    for (const [key, held] of this.#known)
      if (!this.#present.has(key) && this.#isThere(key, held)) this.#known.delete(key)
    const text = `${JSON.stringify(Object.fromEntries([...this.#known].sort()), undefined, 1)}\n`
    if (text === this.#written) return
    try {
      writePrivateFile(paths.holdings, text)
      this.#written = text
    } catch (err) {
      log.warn({ err, file: paths.holdings }, 'the list of what the database must have cannot be written now')
    }
  }
}

/** Claims of one name follow each other. */
function isAtLeast(held: Held, known: Held): boolean {
  return held.claim > known.claim || (held.claim === known.claim && held.serial >= known.serial)
}

function whatOf(key: string): MissingView['what'] | undefined {
  for (const [prefix, what] of WHAT) if (key.startsWith(prefix)) return what
  return undefined
}

function rank({ what }: MissingView): number {
  return [...WHAT.values()].indexOf(what)
}

/** Undefined where the record cannot be read: its reader sets it aside and says so. */
function heldIn(key: string, value: Uint8Array, profile: NetworkProfile): Held | 'over' | undefined {
  const id = lastPart(key)
  try {
    if (key.startsWith(prefixes.ownedNames)) {
      const { firstRound, serial } = new OwnedNames(new RecordStore(new Map([[key, value]])), profile).get(id)!
      return { id, claim: firstRound, serial }
    }
    if (key.startsWith(prefixes.ownIdentities))
      return { id, claim: 0, serial: decodeIdentityEnvelope(value, profile).versions.length }
    const { state } = decodeEntry(value, id)
    return hasEnded(state) ? 'over' : { id: state.name, claim: 0, serial: 0 }
  } catch {
    return undefined
  }
}

function isGuess(wanted: Uint8Array): boolean {
  try {
    return decodeAdoption(wanted).isGuess
  } catch {
    return true
  }
}
