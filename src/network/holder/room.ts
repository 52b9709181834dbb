/**
 * What gives way when a node is full: identities that only a stamp carries, those of the least work first, then
 * provisional entries, the latest first. Nothing else ever does.
 */
import type { EntryState } from '../../protocol/admission/entry.ts'
import type { Store } from '../../store/types.ts'
import type { Entries } from './names/entries.ts'
import type { HolderLimits } from './limits.ts'
import type { StampedIdentities, Stamped } from './identities/stamped.ts'

/** Things dropped for one that comes: each is a write to the disk. */
const MAX_DROPPED = 4

export class Room {
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

  /** Whether a new entry may be stored. A provisional one displaces nothing. */
  forEntry(state: EntryState): boolean {
    if (state === 'provisional') return !this.#isFull() && this.#entries.provisional() < this.#limits.provisional
    return this.#make()
  }

  /** Whether a new identity may be stored that a stamp carries: where there is no room, one of less work gives way. */
  forStamped(stamped: Stamped): boolean {
    return (!this.#isFull() && this.#stamped.size < this.#limits.stamped) || this.#stamped.dropOneBelow(stamped.work)
  }

  /**
   * Whether a manifest may be stored whose identity only a stamp carries, beside so many manifests. It displaces
   * nothing.
   */
  forStampedManifest(manifests: number): boolean {
    return !this.#isFull() && manifests < this.#limits.stamped
  }

  /** Whether an identity that a name carries, or its manifest, may be stored that was not here. */
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
