/**
 * The newest log of each identity that this daemon has seen, on disk a second later: nobody can take it back to keys
 * rotated out since.
 */
import { encode } from 'cborg'
import * as v from 'valibot'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Did } from '../../protocol/identity/did.ts'
import { mergeIdentityLogs, type IdentityLogOutline } from '../../protocol/identity/log.ts'
import { keys, prefixes } from '../../store/keys.ts'
import { Bytes32, Count, readCbor, readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

/**
 * Identities remembered, of up to 64 versions and 3 KiB. Beyond that the eighth with the oldest sightings is forgotten
 * at once: finding them means reading all.
 */
const MAX_SEEN = 4096
const FORGOTTEN_AT_ONCE = MAX_SEEN / 8

const Seen = v.object({
  round: Count,
  versions: v.pipe(v.array(v.object({ hash: Bytes32, signer: v.picklist(['update', 'recovery']) })), v.minLength(1))
})

/** Values: CBOR {round, versions: [{hash, signer}]}. */
export class SeenIdentities {
  readonly #store: Store
  readonly #most: number

  constructor(store: Store, most = MAX_SEEN) {
    this.#store = store
    this.#most = most
  }

  get(did: Did): IdentityLogOutline | undefined {
    const seen = this.#read(keys.seenIdentity(did), this.#store.get(keys.seenIdentity(did)))
    return seen === undefined ? undefined : { did, versions: seen.versions }
  }

  /** A log of version 1 alone is not remembered: the DID is its hash. Throws StoreError where the disk can't be read. */
  see({ did, versions }: IdentityLogOutline, round: number): void {
    const known = this.get(did)
    if (versions.length < 2 || (known !== undefined && isSameLog(known, { did, versions }))) return
    if (known === undefined && this.#store.count(prefixes.seenIdentities) >= this.#most) this.#forget()
    const value = encode({ round, versions: versions.map(({ hash, signer }) => ({ hash, signer })) })
    this.#store.batchLater([{ put: keys.seenIdentity(did), value }])
  }

  #forget(): void {
    const all = [...this.#store.list(prefixes.seenIdentities)].map(([key, value]) => ({
      key,
      round: this.#read(key, value)?.round ?? 0
    }))
    const oldest = all
      .sort((left, right) => left.round - right.round)
      .slice(0, Math.min(FORGOTTEN_AT_ONCE, Math.ceil(this.#most / 8)))
    this.#store.batchLater(oldest.map(({ key }) => ({ delete: key })))
  }

  #read(key: string, value: Uint8Array | undefined): v.InferOutput<typeof Seen> | undefined {
    return readOrSetAside(this.#store, key, value, (bytes) => readCbor(Seen, bytes))
  }
}

/**
 * Whether a log is the one that was seen, continues it, or replaces a branch of it by a recovery key. Of equal rank,
 * the one seen first wins.
 */
export function isAsNewAs(log: IdentityLogOutline, seen: IdentityLogOutline | undefined): boolean {
  return seen === undefined || isSameLog(seen, log) || mergeIdentityLogs(seen, log).kind !== 'stale'
}

export interface ShownLog {
  readonly log: IdentityLogOutline
  /** Diverse peers that show it. */
  readonly shownBy: number
}

/**
 * The current one of several valid logs of one DID, in any order. A branch with a version signed by a recovery key
 * wins; else the branch that most peers show; else that of the lower hash. Of a branch the longest log wins.
 * `first`, if any, was known before them all and wins against another of equal rank.
 */
export function foldShown<T extends ShownLog>(shown: readonly T[], first?: T): T | undefined {
  const voices = new Map(
    shown.map((one) => [
      one,
      shown.reduce((sum, other) => (isOneBranch(one.log, other.log) ? sum + other.shownBy : sum), 0)
    ])
  )
  const ordered = shown.toSorted(
    (left, right) => voices.get(right)! - voices.get(left)! || compareHeads(left.log, right.log)
  )
  const [current, ...others] = first === undefined ? ordered : [first, ...ordered]
  return (
    current &&
    others.reduce((best, other) => (mergeIdentityLogs(best.log, other.log).kind === 'stale' ? best : other), current)
  )
}

function isOneBranch(one: IdentityLogOutline, other: IdentityLogOutline): boolean {
  const common = Math.min(one.versions.length, other.versions.length)
  return one.versions.slice(0, common).every(({ hash }, index) => equalBytes(hash, other.versions[index]!.hash))
}

function isSameLog(one: IdentityLogOutline, other: IdentityLogOutline): boolean {
  return one.versions.length === other.versions.length && isOneBranch(one, other)
}

function compareHeads(left: IdentityLogOutline, right: IdentityLogOutline): number {
  const fork = left.versions.findIndex(
    ({ hash }, index) => right.versions[index] !== undefined && !equalBytes(hash, right.versions[index].hash)
  )
  return fork === -1
    ? right.versions.length - left.versions.length
    : Buffer.compare(left.versions[fork]!.hash, right.versions[fork]!.hash)
}
