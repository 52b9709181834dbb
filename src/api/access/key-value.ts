/** As much of the daemon's store as tokens and idempotency keys need; a write is durable when the call returns. */
export interface KeyValue {
  get(key: string): Uint8Array | undefined
  list(prefix: string): Iterable<[key: string, value: Uint8Array]>
  put(key: string, value: Uint8Array): void
  delete(key: string): void
  /** Sets aside a record that cannot be read. */
  setAside(key: string, reason: string): void
}
