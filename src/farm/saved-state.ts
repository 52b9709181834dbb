/**
 * What a job has reached, in the farm's bucket. Keys:
 * - `JOB.0`, `JOB.1`, ...: its intermediate records, {@link SEGMENT_RECORDS} each. They never change: whatever worker
 * computes them, they are the same bytes.
 * - `JOB.state`: the kernel's state, how many records it counts, and those after the last whole segment. The daemon makes
 * it with the job. Workers replace the one that they have read, or one that is behind theirs. So of two workers the
 * slower one notices, and nobody brings back a job that was taken back.
 * - `JOB.proof`.
 */
import { encode } from 'cborg'
import * as v from 'valibot'
import type { Checkpoint, Evaluation, EvaluationTerms } from '../native/types.ts'
import type { Link } from './link.ts'
import { bytes, checked, count, jobOf, type JobTerms, worker } from './messages.ts'

/** Bytes of a record (crates/vdf/src/evaluation/record.rs). */
export const RECORD_BYTES = 128
/** 256 KiB: a message takes at most 1 MiB. */
export const SEGMENT_RECORDS = 2048
const SEGMENT_BYTES = SEGMENT_RECORDS * RECORD_BYTES
/** 4 MiB a task, for a server that loses what no daemon has fetched: half a minute of a name of half an hour. */
const KEPT_SEGMENTS = 16
/** The kernel's state has about a kilobyte. */
const MAX_STATE_BYTES = 4096
/** With the names of its members. */
const MAX_SAVED_BYTES = SEGMENT_BYTES + MAX_STATE_BYTES + 500
/** Far above any proof of two segments. */
const MAX_PROOF_BYTES = 65_536

const StateSchema = v.object({
  squarings: count,
  records: count,
  state: v.pipe(bytes, v.maxLength(MAX_STATE_BYTES)),
  tail: bytes,
  /** Empty: the daemon. */
  worker: v.union([v.literal(''), worker])
})
const ProofSchema = v.object({ proof: bytes, worker })

/** Of the kernel. */
const DEFAULT_MEMORY_BYTES = 256 * 2 ** 20
/** The second of two segments has at most this part of the memory (crates/vdf/src/evaluation/segment.rs). */
const SECOND_SEGMENT_PART = 4

export interface SavedState extends v.InferOutput<typeof StateSchema> {
  readonly revision: number
}

type SavedProof = v.InferOutput<typeof ProofSchema>

/** What was saved cannot be used: a part is missing, or is none. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState'
}

/** Somebody else is further, or took the job back. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** Undefined where there is none. */
export async function readState({ kv }: Link, job: string): Promise<SavedState | undefined> {
  const entry = await kv.get(`${job}.state`)
  if (entry?.operation !== 'PUT') return undefined
  const state = checked(StateSchema, entry.value, MAX_SAVED_BYTES)
  if (state === undefined || state.tail.length !== tailBytes(state.records))
    throw new DamagedState(`the saved state of ${job} is none`)
  return { ...state, revision: entry.revision }
}

/**
 * The most records of an evaluation's squarings. It stores forms as far apart as each other, of which half of its memory
 * holds all (crates/vdf/src/wesolowski/plan.rs).
 */
export function mostRecords(
  { iterations, split }: Evaluation,
  { memoryBytes = DEFAULT_MEMORY_BYTES }: JobTerms,
  squarings: number
): number {
  const most = memoryBytes / (2 * RECORD_BYTES)
  const of = (done: number, length: number, forms: number): number =>
    Math.min(done, Math.ceil((forms * done) / length + 1))
  if (split === null) return of(squarings, iterations, most)
  const second = Math.max(0, squarings - split)
  return of(squarings - second, split, most) + of(second, iterations - split, most / SECOND_SEGMENT_PART)
}

/** With the memory that it began with, where `vdf.memory_mib` was lowered since. */
export function withMemoryFor(evaluation: Evaluation, terms: JobTerms, squarings: number, records: number): JobTerms {
  const most = mostRecords(evaluation, terms, squarings)
  if (records <= most) return terms
  const { memoryBytes = DEFAULT_MEMORY_BYTES } = terms
  // Each segment may have one record more than its part.
  return { ...terms, memoryBytes: Math.ceil((memoryBytes * records) / Math.max(1, most - 2)) }
}

/** Throws {@link DamagedState} where it cannot be of that evaluation: its records are not fetched then. */
export function requireFitting(saved: SavedState, evaluation: Evaluation, terms: JobTerms): void {
  const { squarings, records } = saved
  const job = jobOf(evaluation)
  if (squarings > evaluation.iterations || records > mostRecords(evaluation, terms, squarings))
    throw new DamagedState(`the saved state of ${job} has ${records} records of ${squarings} squarings`)
}

/** The records that a state counts, from the segment of record `from` on; `first` is the index of the first. */
export async function readRecords(
  { kv }: Link,
  job: string,
  { records, tail }: SavedState,
  from = 0
): Promise<{ readonly first: number; readonly records: Uint8Array }> {
  const begin = Math.min(Math.floor(from / SEGMENT_RECORDS), Math.floor(records / SEGMENT_RECORDS))
  const first = begin * SEGMENT_RECORDS
  // It takes memory where it is filled, once for all.
  const whole = new Uint8Array((records - first) * RECORD_BYTES)
  for (let segment = begin; segment < Math.floor(records / SEGMENT_RECORDS); segment++) {
    const part = await readSegment(kv, job, segment)
    if (part === undefined) throw new DamagedState(`segment ${segment} of ${job} is missing`)
    whole.set(part, (segment - begin) * SEGMENT_BYTES)
  }
  whole.set(tail, whole.length - tail.length)
  return { first, records: whole }
}

async function readSegment(kv: Link['kv'], job: string, segment: number): Promise<Uint8Array | undefined> {
  const value = (await kv.get(`${job}.${segment}`))?.value
  return value?.length === SEGMENT_BYTES ? value : undefined
}

export async function readProof({ kv }: Link, job: string): Promise<SavedProof | undefined> {
  const entry = await kv.get(`${job}.proof`)
  return entry?.operation === 'PUT' ? checked(ProofSchema, entry.value, MAX_PROOF_BYTES) : undefined
}

export async function saveProof(link: Link, job: string, proof: SavedProof): Promise<void> {
  await link.put(`${job}.proof`, encode({ ...proof }))
}

/** Bytes of the records after the last whole segment. */
function tailBytes(records: number): number {
  return (records % SEGMENT_RECORDS) * RECORD_BYTES
}

/** Removes what a worker has saved of a job that was taken back: it may not have heard of that in time. */
export async function sweep(link: Link, job: string): Promise<void> {
  if ((await readState(link, job)) === undefined) await link.discard(job)
}

/** Saves what an evaluation begins with. */
export async function saveStart(link: Link, job: string, resume: EvaluationTerms['resume']): Promise<void> {
  const writer = new StateWriter(link, job, '', undefined)
  const appended = resume?.intermediates ?? new Uint8Array(0)
  const { state = new Uint8Array(0), squarings = 0 } = resume ?? {}
  await writer.save([{ state, appended, appendedFrom: 0, squarings }])
}

/** Saves one checkpoint after the other. One call at a time; after a failed one the next continues where it failed. */
export class StateWriter {
  readonly #link: Link
  readonly #job: string
  readonly #worker: string
  #revision: number
  /** {@link Link.life} of that revision: another life may have given it to another state. */
  #life: string
  /** Records known: those in saved segments, and after them `#rest`. */
  #records: number
  #segments: number
  #rest: Uint8Array
  /** The last saved segments, by index; all that were saved since the last state. */
  readonly #kept = new Map<number, Uint8Array>()
  #missingSinceMs: number | undefined

  /** `base`: the state that it replaces; undefined where there must be none. */
  constructor(link: Link, job: string, worker: string, base: SavedState | undefined) {
    this.#link = link
    this.#job = job
    this.#worker = worker
    this.#revision = base?.revision ?? 0
    this.#life = link.life
    this.#records = base?.records ?? 0
    this.#segments = Math.floor(this.#records / SEGMENT_RECORDS)
    this.#rest = base?.tail ?? new Uint8Array(0)
  }

  /** Those known already are skipped. */
  #append({ appended, appendedFrom }: Pick<Checkpoint, 'appended' | 'appendedFrom'>): void {
    const known = (this.#records - appendedFrom) * RECORD_BYTES
    if (known < 0) throw new RangeError(`records from ${appendedFrom} on leave a gap after ${this.#records}`)
    const fresh = appended.subarray(known)
    this.#rest = Buffer.concat([this.#rest, fresh])
    this.#records += fresh.length / RECORD_BYTES
  }

  /** Saves the last of them. Rejects with {@link Overtaken} where the state is not the one that it knows. */
  async save(checkpoints: readonly Checkpoint[]): Promise<void> {
    for (const checkpoint of checkpoints) this.#append(checkpoint)
    const { state, squarings } = checkpoints.at(-1)!
    const link = this.#link
    while (this.#rest.length >= SEGMENT_BYTES) {
      const segment = this.#rest.subarray(0, SEGMENT_BYTES)
      await link.put(`${this.#job}.${this.#segments}`, segment)
      this.#kept.set(this.#segments, segment)
      this.#segments++
      this.#rest = this.#rest.subarray(SEGMENT_BYTES)
    }
    const value = encode({ squarings, records: this.#records, state, tail: this.#rest, worker: this.#worker })
    if (!(await this.#replaces(value))) {
      const found = await this.#stateBehind(squarings)
      this.#life = link.life
      this.#revision = await link.put(`${this.#job}.state`, value, found.revision)
      // Its message is another's. While this worker reports, the daemon sends none.
      if (found.worker !== this.#worker) await link.takeBack(this.#job)
    }
    for (const [index, segment] of this.#kept)
      if (index < this.#segments - KEPT_SEGMENTS) this.#kept.delete(index)
      // A view would hold all that was appended with it.
      else this.#kept.set(index, new Uint8Array(segment))
  }

  /** False where the state is not the one that it knows. */
  async #replaces(value: Uint8Array): Promise<boolean> {
    if (this.#link.life !== this.#life) return false
    try {
      this.#revision = await this.#link.put(`${this.#job}.state`, value, this.#revision)
      return true
    } catch (error) {
      if (isWrongRevision(error)) return false
      throw error
    }
  }

  /** What is there; rejects unless what this worker has is further, and whole at the server or made so. */
  async #stateBehind(squarings: number): Promise<SavedState> {
    const link = this.#link
    const found = await readState(link, this.#job)
    if (found === undefined) {
      this.#missingSinceMs ??= performance.now()
      if (performance.now() - this.#missingSinceMs < link.times.homeMs)
        throw new Error(`nothing of ${this.#job} is at the farm: the daemon may send it again`)
      throw new Overtaken(`nobody wants ${this.#job}`)
    }
    this.#missingSinceMs = undefined
    // The answer to the last save may have been lost.
    if (found.worker === this.#worker && found.squarings <= squarings) return found
    const isBehind = found.records < this.#records || (found.records === this.#records && found.squarings < squarings)
    if (!isBehind || !(await this.#mends(found.records))) throw new Overtaken(`another worker has ${this.#job}`)
    return found
  }

  /** Saves again what the server has lost of the segments from record `from` on. False where one is nowhere. */
  async #mends(from: number): Promise<boolean> {
    for (let segment = Math.floor(from / SEGMENT_RECORDS); segment < this.#segments; segment++) {
      if ((await readSegment(this.#link.kv, this.#job, segment)) !== undefined) continue
      const kept = this.#kept.get(segment)
      if (kept === undefined) return false
      await this.#link.put(`${this.#job}.${segment}`, kept)
    }
    return true
  }
}

const WRONG_LAST_SEQUENCE = 10_071

function isWrongRevision(error: unknown): boolean {
  return (error as { code?: unknown }).code === WRONG_LAST_SEQUENCE
}
