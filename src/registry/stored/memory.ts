import { encode } from 'cborg'
import * as v from 'valibot'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import type { Claim, RecordOrder } from '../../protocol/claim/claim.ts'
import { isRollback, remember } from '../../protocol/resolution/pin.ts'
import { keys, lastPart, nameOfSeen, prefixes } from '../../store/keys.ts'
import { Bytes32, Count, readCbor, readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

/** Some 50 MB of the database: twice as many as pins, so that names without a pin have room beside those with one. */
const MAX_SEEN = 200_000

/** Read at a time to make room; an eighth of those that nothing needs goes at least. */
const WEIGHED_AT_ONCE = 1_024
const FORGOTTEN_PART = 8

const Mark = v.strictObject({ hash: Bytes32, consented: v.boolean() })
const Seen = v.object({
  changes: v.optional(v.array(Mark), []),
  newestRound: Count,
  serial: Count,
  payloadHash: Bytes32,
  recordHash: Bytes32
})

interface MemoryOptions {
  /** Whether a lease with its grace is over: every older record of the claim is as dead, so nothing is lost with it. */
  readonly isDead: (newestRound: number) => boolean
  /** A name of ours, or one with a pinned owner: never forgotten. */
  readonly isNeeded: (name: string, claimId: Uint8Array) => boolean
  readonly most?: number
}

const KEEP_ALL: MemoryOptions = { isDead: () => false, isNeeded: () => true }

/**
 * The newest record of each (name, claim) that this daemon has seen, on disk a second later: nobody can take it back in
 * time (docs/protocol/rules.md, 11). Bounded: of a thousand at a time those of dead leases go first, then those
 * renewed longest ago. Values: CBOR.
 */
export class Memory {
  readonly #store: Store
  readonly #options: MemoryOptions
  readonly #most: number
  #count: number | undefined
  /** The last one weighed: the next look for room begins behind it. */
  #weighed: string | undefined

  constructor(store: Store, options: MemoryOptions = KEEP_ALL) {
    this.#store = store
    this.#options = options
    this.#most = options.most ?? MAX_SEEN
  }

  newest(name: string, claimId: Uint8Array): RecordOrder | undefined {
    const key = keys.seen(name, claimId)
    return this.#read(key, this.#store.get(key))
  }

  /**
   * Remembers a record, unless changes of its keys are not final. False, and nothing remembered, when a newer one of the
   * claim was seen before. Throws StoreError where the disk can't be read.
   */
  see(claim: Claim, isFinal = true): boolean {
    const known = this.newest(claim.name, claim.id)
    if (isRollback(known, claim)) return false
    if (!isFinal) return true
    const order = remember(known, claim)
    if (order === known) return true
    if (known === undefined) this.#makeRoom()
    this.#store.batchLater([{ put: keys.seen(claim.name, claim.id), value: encode(order) }])
    return true
  }

  #makeRoom(): void {
    this.#count ??= this.#store.count(prefixes.seenNames)
    this.#count++
    for (let passes = 0; this.#count > this.#most && passes < 2;) if (!this.#forgetSome()) passes++
  }

  /** False where it came to the end; then it begins again. */
  #forgetSome(): boolean {
    const unneeded: { readonly key: string; readonly round: number; readonly isDead: boolean }[] = []
    let weighed = 0
    let last: string | undefined
    for (const [key, value] of this.#store.list(prefixes.seenNames, this.#weighed)) {
      last = key
      const round = this.#read(key, value)?.newestRound
      if (round !== undefined && !this.#options.isNeeded(nameOfSeen(key), fromHex(lastPart(key))))
        unneeded.push({ key, round, isDead: this.#options.isDead(round) })
      if (++weighed === WEIGHED_AT_ONCE) break
    }
    const isEnd = weighed < WEIGHED_AT_ONCE
    this.#weighed = isEnd ? undefined : last
    const atLeast = Math.ceil(unneeded.length / FORGOTTEN_PART)
    const forgotten = unneeded
      .sort((left, right) => left.round - right.round)
      .filter(({ isDead }, index) => isDead || index < atLeast)
    this.#store.batchLater(forgotten.map(({ key }) => ({ delete: key })))
    this.#count! -= forgotten.length
    return !isEnd
  }

  #read(key: string, value: Uint8Array | undefined): RecordOrder | undefined {
    return readOrSetAside(this.#store, key, value, (bytes) => readCbor(Seen, bytes))
  }
}
