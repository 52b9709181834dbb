import { encode } from 'cborg'
import * as v from 'valibot'
import type { Claim } from '../../protocol/claim/claim.ts'
import type { RecordOrder } from '../../protocol/claim/order.ts'
import { isRollback, remember } from '../../protocol/resolution/rollback.ts'
import { keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/read-or-set-aside.ts'
import { Bytes32, Count, readCbor } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

const Seen = v.object({ newestRound: Count, serial: Count, payloadHash: Bytes32, recordHash: Bytes32 })

/**
 * The newest record of each (name, key) that this daemon has seen, on disk: nobody can take it back in time
 * (docs/protocol/rules.md, 11). Values: CBOR.
 */
export class Memory {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  newest(name: string, pubkey: Uint8Array): RecordOrder | undefined {
    const key = keys.seen(name, pubkey)
    return readOrSetAside(this.#store, key, this.#store.get(key), (value) => readCbor(Seen, value))
  }

  /**
   * Remembers a record. False, and nothing remembered, when a newer one of that key was seen before. Throws StoreError.
   */
  see(claim: Claim): boolean {
    const known = this.newest(claim.name, claim.pubkey)
    if (isRollback(known, claim)) return false
    const order = remember(known, claim)
    if (order !== known) this.#store.put(keys.seen(claim.name, claim.pubkey), encode(order))
    return true
  }
}
