/** Commitments seen. The round of first sight decides priority, so it never changes. */
import { fromHex, toHex } from '../../protocol/encoding/bytes.ts'
import { decodeCanonical, encodeCbor, fieldsOf, integerField, textField } from '../../protocol/encoding/cbor.ts'
import {
  type OpenCommitment,
  isForgotten,
  leastWorthy,
  sentAgain,
  vouchedFor
} from '../../protocol/admission/holder.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { stampHolds, stampWork } from '../../protocol/crypto/domain.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { type CommitmentFacts, type HandedOver, medianSeen } from '../../protocol/admission/witness.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../store/types.ts'
import type { RoundClock } from '../../time/clock.ts'
import { COMMITMENTS_PAGE, type HeldCommitments, type SeenCommitment } from '../wire/commitments.ts'

export interface CommitmentLimits {
  /** Commitments in all: about 200 bytes each on disk and 400 in memory. */
  readonly total: number
  /** Most for one address prefix; only in networks that limit prefixes. */
  readonly perPrefix: number
}

export const DEFAULT_COMMITMENT_LIMITS: CommitmentLimits = { total: 16_384, perPrefix: 1_024 }

/**
 * Rewrites the last sight only when it is older than this part of `commit_keep`: C is resent hourly, and each write
 * waits for the disk.
 */
const REWRITE_PART = 8

const BOUNDS = { maxBytes: 512, maxDepth: 1 }

type Received = { readonly seen: number } | { readonly refused: 'stamp' | 'full' }

export type Commitments = ReturnType<typeof createCommitments>

export function createCommitments(
  store: Store,
  profile: NetworkProfile,
  clock: RoundClock,
  limits: CommitmentLimits = DEFAULT_COMMITMENT_LIMITS,
  lastArrival = 0
) {
  const hash = profileHash(profile)
  const table = new CommitmentTable()
  /** The stored state of changed commitments, by C in hex. */
  const unwritten = new Map<string, OpenCommitment | undefined>()
  let handedOver = new Map<string, readonly HandedOver[]>()

  let arrivals = lastArrival

  const keep = (open: OpenCommitment): void => {
    const id = toHex(open.commitment)
    if (!unwritten.has(id)) unwritten.set(id, table.get(id))
    table.set(id, open)
  }
  const drop = ({ commitment }: OpenCommitment): void => {
    const id = toHex(commitment)
    if (!unwritten.has(id)) unwritten.set(id, table.get(id))
    table.delete(id)
  }

  /**
   * Competitors of a new commitment: those of its own prefix when that is full, else of the fullest prefixes. Undefined
   * while there is room.
   */
  const rivals = (prefix: string): OpenCommitment[] | undefined => {
    if (profile.answers_per_prefix > 0 && table.sizeOf(prefix) >= limits.perPrefix) return table.ofPrefix(prefix)
    return table.size >= limits.total ? table.ofFullest(prefix) : undefined
  }

  for (const [storeKey, bytes] of store.list(prefixes.commitments)) {
    const id = lastPart(storeKey)
    const open = readOrSetAside(store, storeKey, bytes, (value) => decodeOpen(id, value))
    if (open === undefined) continue
    table.set(id, open)
    arrivals = Math.max(arrivals, open.arrival ?? 0)
  }

  return {
    /** The next place in the order in which commitments and claims come to this node. */
    arrive: () => ++arrivals,
    /** Adds C in memory; `flush` writes it. A repeated C only extends its keeping time [resetting the stamp]. */
    receive(commitment: Uint8Array, nonce: Uint8Array, prefix: string): Received {
      if (!stampHolds(commitment, nonce, profile.stamp_bits, hash)) return { refused: 'stamp' }
      const time = clock.time()
      const known = table.get(toHex(commitment))
      if (known !== undefined) {
        const again = sentAgain(known, time)
        if (again.lastSent - known.lastSent > profile.commit_keep / REWRITE_PART) keep(again)
        return { seen: known.seen }
      }
      const [seen, arrival] = [time.now, this.arrive()]
      const open = vouchedFor(
        { commitment, seen, arrival, lastSent: time.now, prefix, work: stampWork(commitment, nonce, hash) },
        medianSeen(handedOver.get(toHex(commitment)) ?? [], profile)
      )
      const competing = rivals(prefix)
      const least = competing === undefined ? undefined : leastWorthy([...competing, open])
      if (least === open) return { refused: 'full' }
      if (least !== undefined) drop(least)
      keep(open)
      return { seen: open.seen }
    },
    /** Writes everything received. Throws StoreError, and then forgets what was received since the last flush. */
    flush(): void {
      if (unwritten.size === 0) return
      const before = [...unwritten]
      unwritten.clear()
      try {
        store.batch(before.map(([id]) => operationOf(id, table.get(id))))
      } catch (error) {
        for (const [id, former] of before) {
          if (former === undefined) table.delete(id)
          else table.set(id, former)
        }
        throw error
      }
    },
    isKnown: (commitment: Uint8Array) =>
      table.get(toHex(commitment)) !== undefined || handedOver.has(toHex(commitment)),
    facts(commitment: Uint8Array): CommitmentFacts {
      const id = toHex(commitment)
      const { seen, arrival, vouched } = table.get(id) ?? {}
      const words = handedOver.get(id)
      return {
        ...(seen !== undefined && { seen }),
        ...(arrival !== undefined && { arrival }),
        ...(vouched !== undefined && { vouched }),
        ...(words !== undefined && { handedOver: words })
      }
    },
    /**
     * Replaces what neighbours handed over: by C in hex, closest neighbour first. Drops what too few report. What they
     * agree on of a C kept here stays with it, and is named to others: it outlives its witnesses.
     */
    takeOver(words: ReadonlyMap<string, readonly HandedOver[]>): void {
      handedOver = new Map()
      for (const [id, said] of words) {
        const agreed = medianSeen(said, profile)
        if (agreed === undefined) continue
        handedOver.set(id, said)
        const known = table.get(id)
        const vouched = known && vouchedFor(known, agreed)
        if (vouched !== known) keep(vouched!)
      }
      this.flush()
    },
    page(after?: Uint8Array): HeldCommitments {
      this.flush()
      const commitments: SeenCommitment[] = []
      for (const [storeKey] of store.list(
        prefixes.commitments,
        after === undefined ? undefined : keys.commitment(after)
      )) {
        if (commitments.length === COMMITMENTS_PAGE) return { type: 'commitments', commitments, more: true }
        const { commitment, seen, vouched = seen } = table.get(lastPart(storeKey))!
        commitments.push({ commitment, seen: vouched })
      }
      return { type: 'commitments', commitments, more: false }
    },
    /** Drops those that were not resent in time. */
    forget(): void {
      const time = clock.time()
      for (const open of table.all()) {
        if (isForgotten(open, time, profile)) drop(open)
      }
      this.flush()
    },
    get size() {
      return table.size
    }
  }
}

function operationOf(id: string, open: OpenCommitment | undefined): StoreOperation {
  const key = keys.commitment(fromHex(id))
  if (open === undefined) return { delete: key }
  const { seen, arrival, vouched, lastSent, prefix, work } = open
  const known = { ...(arrival !== undefined && { arrival }), ...(vouched !== undefined && { vouched }) }
  return { put: key, value: encodeCbor({ seen, ...known, lastSent, prefix, work }) }
}

function decodeOpen(id: string, bytes: Uint8Array): OpenCommitment {
  const fields = fieldsOf(
    decodeCanonical(bytes, BOUNDS),
    ['seen', 'lastSent', 'prefix', 'work'],
    ['arrival', 'vouched']
  )
  return {
    commitment: fromHex(id),
    seen: integerField(fields, 'seen'),
    ...(fields['arrival'] !== undefined && { arrival: integerField(fields, 'arrival') }),
    ...(fields['vouched'] !== undefined && { vouched: integerField(fields, 'vouched') }),
    lastSent: integerField(fields, 'lastSent'),
    prefix: textField(fields, 'prefix'),
    work: integerField(fields, 'work')
  }
}

/** Commitments by C in hex, and by address prefix: a full table need not be scanned for every new one. */
class CommitmentTable {
  readonly #byId = new Map<string, OpenCommitment>()
  readonly #byPrefix = new Map<string, Map<string, OpenCommitment>>()

  get size(): number {
    return this.#byId.size
  }

  get(id: string): OpenCommitment | undefined {
    return this.#byId.get(id)
  }

  /** The prefix of a commitment never changes. */
  set(id: string, open: OpenCommitment): void {
    this.#byId.set(id, open)
    const ofPrefix = this.#byPrefix.get(open.prefix) ?? new Map<string, OpenCommitment>()
    this.#byPrefix.set(open.prefix, ofPrefix.set(id, open))
  }

  delete(id: string): void {
    const open = this.#byId.get(id)
    if (open === undefined) return
    this.#byId.delete(id)
    const ofPrefix = this.#byPrefix.get(open.prefix)!
    ofPrefix.delete(id)
    if (ofPrefix.size === 0) this.#byPrefix.delete(open.prefix)
  }

  all(): OpenCommitment[] {
    return [...this.#byId.values()]
  }

  sizeOf(prefix: string): number {
    return this.#byPrefix.get(prefix)?.size ?? 0
  }

  ofPrefix(prefix: string): OpenCommitment[] {
    return [...(this.#byPrefix.get(prefix)?.values() ?? [])]
  }

  /** Commitments of the fullest prefixes, counting one more of `newcomer`. */
  ofFullest(newcomer: string): OpenCommitment[] {
    const sizes = [...this.#byPrefix].map(
      ([prefix, { size }]) => [prefix, prefix === newcomer ? size + 1 : size] as const
    )
    const most = sizes.reduce((largest, [, size]) => Math.max(largest, size), 1)
    return sizes.flatMap(([prefix, size]) => (size === most ? this.ofPrefix(prefix) : []))
  }
}
