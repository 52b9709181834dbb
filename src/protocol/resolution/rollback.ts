/** Anti-rollback memory: the newest record seen of each (name, pubkey), on disk. */
import type { RecordOrder } from '../claim/order.ts'
import { compareRecords } from '../claim/order.ts'

export function isRollback(memory: RecordOrder | undefined, record: RecordOrder): boolean {
  return memory !== undefined && compareRecords(record, memory) < 0
}

export function remember(
  memory: RecordOrder | undefined,
  { newestRound, serial, payloadHash, recordHash }: RecordOrder
): RecordOrder {
  const seen = { newestRound, serial, payloadHash, recordHash }
  return memory === undefined || compareRecords(seen, memory) > 0 ? seen : memory
}
