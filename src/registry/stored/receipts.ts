import { encode } from 'cborg'
import * as v from 'valibot'
import type { VerifiedReceipt } from '../../network/types.ts'
import { keys } from '../../store/keys.ts'
import { Bytes, Bytes32, Count, readCbor, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

const Stored = v.object({
  commitment: Bytes32,
  pulseRound: Count,
  receipts: v.array(v.object({ peer: Text, seenRound: Count, signature: Bytes }))
})

interface KeptReceipts {
  readonly commitment: Uint8Array
  /** p, chosen on the strength of these. */
  readonly pulseRound: number
  readonly receipts: readonly VerifiedReceipt[]
}

/**
 * The receipts of our newest commitment to each name: the owner's evidence, which no rule reads
 * (docs/protocol/rules.md, 5). Values: CBOR.
 */
export class Receipts {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get(name: string): KeptReceipts | undefined {
    return readOrSetAside(this.#store, keys.receipts(name), this.#store.get(keys.receipts(name)), (value) =>
      readCbor(Stored, value)
    )
  }

  /** Throws StoreError. */
  save(name: string, { commitment, pulseRound, receipts }: KeptReceipts): void {
    const kept = receipts.map(({ peer, seenRound, signature }) => ({ peer, seenRound, signature }))
    this.#store.put(keys.receipts(name), encode({ commitment, pulseRound, receipts: kept }))
  }
}
