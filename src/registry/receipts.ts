import { decode, encode } from 'cborg'
import type { Receipt } from '../network/types.ts'
import { keys } from '../store/keys.ts'
import { readOrSetAside } from '../store/read-or-set-aside.ts'
import type { Store } from '../store/types.ts'

/** What peers have signed about the commitment of a claim of ours. */
export interface KeptReceipts {
  readonly commitment: Uint8Array
  /** p, chosen on the strength of these. */
  readonly pulseRound: number
  readonly receipts: readonly Receipt[]
}

/** The receipts of our newest commitment to each name: the owner's evidence, which no rule reads (docs/protocol.md, 5). Values: CBOR. */
export class Receipts {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get(name: string): KeptReceipts | undefined {
    return readOrSetAside(this.#store, keys.receipts(name), this.#store.get(keys.receipts(name)), (value) => decode(value) as KeptReceipts)
  }

  /** Throws StoreError. */
  save(name: string, { commitment, pulseRound, receipts }: KeptReceipts): void {
    const kept = receipts.map(({ peer, seenRound, signature }) => ({ peer, seenRound, signature }))
    this.#store.put(keys.receipts(name), encode({ commitment, pulseRound, receipts: kept }))
  }
}
