import type { OpenCommitment } from '../../../protocol/admission/open-commitments.ts'

/** Commitments by C in hex, and by address prefix: a full table need not be scanned for every new one. */
export class CommitmentTable {
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
