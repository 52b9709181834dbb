/**
 * What gives way on a full node: stamped identities of least work first, then the latest provisional entries. Nothing
 * else ever does.
 */
import type { EntryState } from '../../protocol/admission/entry.ts'
import type { Store } from '../../store/types.ts'
import type { Entries } from './names/entries.ts'
import type { Stamped, StampedIdentities } from './identities/held-documents.ts'

/** Deletions for one new item: each is a disk write. */
const MAX_DROPPED = 4

export class Capacity {
  readonly #store: Store
  readonly #entries: Entries
  readonly #stamped: StampedIdentities
  readonly #limits: HolderLimits

  constructor(store: Store, entries: Entries, stamped: StampedIdentities, limits: HolderLimits) {
    this.#store = store
    this.#entries = entries
    this.#stamped = stamped
    this.#limits = limits
  }

  /** A provisional entry displaces nothing. */
  forEntry(state: EntryState): boolean {
    if (state === 'provisional') return !this.#isFull() && this.#entries.provisional() < this.#limits.provisional
    return this.#make()
  }

  /** Whether a new stamped identity may be stored; without room, one of less work gives way. */
  forStamped(stamped: Stamped): boolean {
    return (!this.#isFull() && this.#stamped.size < this.#limits.stamped) || this.#stamped.dropOneBelow(stamped.work)
  }

  /** Whether one more manifest of a stamped identity may be stored. It displaces nothing. */
  forStampedManifest(manifests: number): boolean {
    return !this.#isFull() && manifests < this.#limits.stamped
  }

  forDocument(): boolean {
    return this.#make()
  }

  #isFull(): boolean {
    return this.#store.bytes() >= this.#limits.bytes
  }

  #make(): boolean {
    for (let dropped = 0; dropped < MAX_DROPPED && this.#isFull(); dropped++) {
      if (!this.#stamped.dropOneBelow(Infinity) && !this.#entries.dropLatestProvisional()) return false
    }
    return !this.#isFull()
  }
}

export interface HolderLimits {
  /** Database bytes from which new records of others need something less worthy to give way. */
  readonly bytes: number
  /**
   * Entries without a witness here: each costs its owner a VDF, and this node an hourly question to its neighbourhood.
   */
  readonly provisional: number
  /**
   * Identities that only a stamp carries, up to 102 KiB each; the same number of their manifests, up to 64 KiB each.
   */
  readonly stamped: number
}

export const DEFAULT_HOLDER_LIMITS: HolderLimits = { bytes: 2 * 2 ** 30, provisional: 4_096, stamped: 4_096 }
