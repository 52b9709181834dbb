/** What a daemon has accepted of an evaluation whose workers are of others: all that a follower goes on from. */
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { EvaluationRequest, NativePool } from '../native/types.ts'
import type { Link } from './link.ts'
import { RECORD_BYTES, saveAccepted, type SavedState, tailBytes } from './saved-state.ts'

/** Some milliseconds of hashing. */
const PIECE_BYTES = 2 ** 23

export class Accepted {
  /** Undefined at the start. */
  #state: Uint8Array | undefined
  #squarings: number
  /** Records after the last whole segment at the farm. */
  #tail: Uint8Array
  #records: number
  readonly #hash = createHash('sha256')
  /** Squarings of the one that the farm has. */
  #marked = -1

  private constructor(resume: EvaluationRequest['resume']) {
    const records = resume?.intermediates ?? new Uint8Array(0)
    this.#state = resume?.state
    this.#squarings = resume?.squarings ?? 0
    this.#records = records.length / RECORD_BYTES
    this.#tail = Uint8Array.from(records.subarray(records.length - tailBytes(this.#records)))
  }

  /** What is on the daemon's disk was accepted before, or computed here. */
  static async of(resume: EvaluationRequest['resume']): Promise<Accepted> {
    const accepted = new Accepted(resume)
    const records = resume?.intermediates ?? new Uint8Array(0)
    for (let from = 0; from < records.length; from += PIECE_BYTES) {
      accepted.#hash.update(records.subarray(from, from + PIECE_BYTES))
      await turn()
    }
    return accepted
  }

  /**
   * The state to go on from in the place of what a worker saved, whose records are `added` after those accepted.
   * Undefined where it was not squared.
   */
  async accept(
    pool: Pick<NativePool, 'auditCheckpoint'>,
    request: Omit<EvaluationRequest, 'resume'>,
    saved: SavedState,
    added: Uint8Array
  ): Promise<Uint8Array | undefined> {
    const { seed, bits, iterations, split, memoryBytes } = request
    const state = await pool.auditCheckpoint({
      ...{ seed, bits, iterations, split, ...(memoryBytes !== undefined && { memoryBytes }) },
      accepted: this.#state,
      state: saved.state,
      squarings: saved.squarings,
      added,
      recordsDigest: this.#hash.copy().update(added).digest()
    })
    if (state === undefined) return undefined
    this.#state = state
    this.#squarings = saved.squarings
    this.#records = saved.records
    this.#hash.update(added)
    const joined = Buffer.concat([this.#tail, added])
    this.#tail = Uint8Array.from(joined.subarray(joined.length - tailBytes(saved.records)))
    return state
  }

  /** Tells followers, where they don't know. */
  async mark(link: Link, job: string): Promise<void> {
    if (this.#marked === this.#squarings) return
    const squarings = this.#squarings
    const state = this.#state ?? new Uint8Array(0)
    await saveAccepted(link, job, { squarings, records: this.#records, state, tail: this.#tail, worker: '' })
    this.#marked = squarings
  }
}
