/** Stores known peers, their addresses and first rounds for the next start. */
import type { Logger } from 'pino'
import type { Store } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'
import type { DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import { Acquaintances } from './acquaintances.ts'
import { Contacts } from './contacts.ts'

/** Delay that groups new peers into one write; a crash forgets those met since. */
const NEW_CONTACTS_MS = 2_000

/** Addresses change too, so all contacts are written this often. */
const CONTACTS_INTERVAL_MS = 60_000

interface ContactSource {
  contacts(): Promise<string[]>
}

/** Logs failures to write, never throws. */
export class KnownPeers {
  readonly acquaintances: Acquaintances
  readonly #contacts: Contacts
  readonly #log: Pick<Logger, 'warn'>
  #ends: (() => void)[] = []
  #hasMet = false

  /** `now`: `ProtocolTime.now`. */
  constructor(store: Store, now: () => number, limits: DiversityLimits, log: Pick<Logger, 'warn'>) {
    this.#contacts = new Contacts(store)
    this.acquaintances = new Acquaintances(store, now, limits)
    this.#log = log
  }

  addresses(): readonly string[] {
    return this.#contacts.addresses()
  }

  /** `source`: undefined while offline. */
  start(timers: Pick<Clock, 'every'>, source: () => ContactSource | undefined): void {
    this.#ends = [
      timers.every(NEW_CONTACTS_MS, () => {
        if (this.#hasMet) void this.#keepContacts(source())
      }),
      timers.every(CONTACTS_INTERVAL_MS, () => void this.keep(source()))
    ]
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  noteNew(): void {
    this.#hasMet = true
  }

  /** Writes everything now; contacts only with a `source`. */
  async keep(source: ContactSource | undefined): Promise<void> {
    try {
      this.acquaintances.keep()
    } catch (error) {
      this.#log.warn({ err: error }, 'since when peers are known could not be written down')
    }
    await this.#keepContacts(source)
  }

  async #keepContacts(source: ContactSource | undefined): Promise<void> {
    this.#hasMet = false
    try {
      if (source !== undefined) this.#contacts.keep(await source.contacts())
    } catch (error) {
      this.#log.warn({ err: error }, 'the peers known now could not be written down for the next start')
    }
  }
}
