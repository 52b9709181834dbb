/** Writing what an evaluation has reached; what stands where: checkpoints.ts. */
import { createHash, type Hash } from 'node:crypto'
import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Checkpoint } from '../../native/types.ts'
import {
  CHUNK_BYTES,
  GENERATIONS,
  INTERMEDIATES,
  markOf,
  REPAIRS,
  removeCheckpoints,
  removeRepairs,
  type StoredCheckpoint
} from './checkpoints.ts'
import type { Repair } from './repair.ts'
import { replaceFile } from '../../util/replace-file.ts'
import { encodeStateFile, planDigest } from './state-file.ts'
import type { EvaluationPlan } from '../types.ts'

/** Bytes of a stored form (crates/vdf/src/evaluation/record.rs). */
const RECORD_BYTES = 128

/**
 * Writes checkpoints in the order in which they come, off the event loop. `accept` returns at once; a checkpoint that
 * comes while another is being written waits, and a newer one takes its place. A failed write loses nothing: what was
 * to be written is kept, and written by `flush` or with the next one (its whole amount is bounded by the evaluation's
 * memory).
 */
export class CheckpointWriter {
  readonly #directory: string
  readonly #plan: EvaluationPlan
  readonly #onError: (error: unknown) => void
  readonly #repair: Repair | undefined
  #generation: bigint
  /** The newest mark there is. */
  #mark: number
  #file: FileHandle | undefined
  #digest: Hash
  #length: number
  #pending: Checkpoint[] = []
  #waiting: Checkpoint | undefined
  #writing: Promise<void> | undefined
  #discarded = false

  private constructor(
    directory: string,
    plan: EvaluationPlan,
    base: StoredCheckpoint | undefined,
    digest: Hash,
    onError: (error: unknown) => void,
    repair: Repair | undefined
  ) {
    this.#directory = directory
    this.#plan = plan
    this.#mark = base === undefined ? 0 : markOf(base.squarings, plan)
    this.#generation = base?.generation ?? 0n
    this.#length = base?.resume.intermediates.length ?? 0
    this.#digest = digest
    this.#onError = onError
    this.#repair = repair
  }

  /**
   * `base`: the checkpoint from which the evaluation goes on, or undefined when it begins anew. `repair`: where that is
   * because of a damage.
   */
  static async open(
    directory: string,
    plan: EvaluationPlan,
    base: StoredCheckpoint | undefined,
    onError: (error: unknown) => void,
    repair?: Repair
  ): Promise<CheckpointWriter> {
    if (repair === undefined) await (base === undefined ? removeCheckpoints(directory) : removeRepairs(directory, base))
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return new CheckpointWriter(
      directory,
      plan,
      base,
      await hashOf(base?.resume.intermediates ?? new Uint8Array(0)),
      onError,
      repair
    )
  }

  accept(checkpoint: Checkpoint): void {
    if (this.#discarded) return
    this.#pending.push(checkpoint)
    this.#waiting = checkpoint
    this.#writing ??= this.#drain()
  }

  /**
   * Resolves when the newest checkpoint accepted is on disk; rejects when it could not be written, and may be called
   * again.
   */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    const kept = this.#waiting
    if (kept === undefined) return
    this.#waiting = undefined
    await this.#writeOrKeep(kept)
  }

  /** Nothing more is written: the evaluation was given up. */
  discard(): void {
    this.#discarded = true
    this.#waiting = undefined
  }

  /** Resolves when nothing is being written any more. What could not be written by then is lost. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    await this.#file?.close()
    this.#file = undefined
  }

  async #drain(): Promise<void> {
    try {
      for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
        this.#waiting = undefined
        await this.#writeOrKeep(next)
      }
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#writing = undefined
    }
  }

  async #writeOrKeep(checkpoint: Checkpoint): Promise<void> {
    try {
      await this.#write(checkpoint)
    } catch (error) {
      if (!this.#discarded) this.#waiting ??= checkpoint
      throw error
    }
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      await this.#append(next)
      this.#pending.shift()
      if (next === checkpoint) break
    }
    const generation = this.#generation + 1n
    const { squarings, state } = checkpoint
    const bytes = encodeStateFile(
      { generation, squarings, length: this.#length, intermediatesDigest: this.#digest.copy().digest(), state },
      planDigest(this.#plan)
    )
    const names = this.#repair === undefined ? GENERATIONS : REPAIRS
    await replaceFile(this.#directory, names[Number(generation % 2n)]!, bytes)
    this.#generation = generation
    const mark = markOf(squarings, this.#plan)
    if (mark > this.#mark) {
      await replaceFile(this.#directory, `mark.${mark}`, bytes)
      this.#mark = mark
    }
    await this.#seeToRepair(squarings)
  }

  async #seeToRepair(squarings: number): Promise<void> {
    if (this.#repair === undefined || this.#discarded) return
    if (!(await this.#repair.isOver({ squarings, length: this.#length, digest: this.#digest }))) return
    // What the evaluation reaches from here on is there already.
    this.discard()
    this.#repair.onOver(squarings)
  }

  /** Records that are there already are passed over: they never change. */
  async #append({ appended, appendedFrom }: Checkpoint): Promise<void> {
    const known = this.#length - appendedFrom * RECORD_BYTES
    if (known < 0) throw new RangeError(`intermediates from ${appendedFrom} on leave a gap after byte ${this.#length}`)
    const fresh = appended.subarray(known)
    if (fresh.length === 0) return
    this.#file ??= await openForWriting(join(this.#directory, INTERMEDIATES))
    // A failed write leaves digest and length as they were.
    const digest = this.#digest.copy()
    for (let offset = 0; offset < fresh.length;) {
      const chunk = fresh.subarray(offset, offset + CHUNK_BYTES)
      const { bytesWritten } = await this.#file.write(chunk, 0, chunk.length, this.#length + offset)
      digest.update(chunk.subarray(0, bytesWritten))
      offset += bytesWritten
    }
    await this.#file.datasync()
    this.#digest = digest
    this.#length += fresh.length
  }
}

async function openForWriting(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return await open(path, 'w+', 0o600)
  }
}

/** SHA-256 so far, in parts between which the event loop turns. */
async function hashOf(bytes: Uint8Array): Promise<Hash> {
  const hash = createHash('sha256')
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
    hash.update(bytes.subarray(offset, offset + CHUNK_BYTES))
    await setImmediate()
  }
  return hash
}
