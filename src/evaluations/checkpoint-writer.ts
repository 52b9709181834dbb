/** Writes what an evaluation has reached; checkpoints.ts describes the files. */
import { createHash, type Hash } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Checkpoint, Evaluation } from '../native/types.ts'
import {
  CHUNK_BYTES,
  GENERATIONS,
  INTERMEDIATES,
  markOf,
  REPAIRS,
  removeRepairs,
  type StoredCheckpoint
} from './checkpoints.ts'
import type { Repair } from './repair.ts'
import { replaceFile } from '../util/replace-file.ts'
import { encodeStateFile, digestOf } from './state-file.ts'

/** Bytes of a stored form (crates/vdf/src/evaluation/record.rs). */
const RECORD_BYTES = 128

/**
 * Writes checkpoints in order, off the event loop. `accept` returns at once; while one is being written, the newest
 * replaces any other that waits.
 * A failed write loses nothing: its data is kept, and written by `flush` or with the next one. The evaluation's memory
 * bounds its whole amount.
 */
export class CheckpointWriter {
  readonly #directory: string
  readonly #evaluation: Evaluation
  readonly #onError: (error: unknown) => void
  readonly #repair: Repair | undefined
  #generation: bigint
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
    evaluation: Evaluation,
    base: StoredCheckpoint | undefined,
    digest: Hash,
    onError: (error: unknown) => void,
    repair: Repair | undefined
  ) {
    this.#directory = directory
    this.#evaluation = evaluation
    this.#mark = base === undefined ? 0 : markOf(base.squarings, evaluation)
    this.#generation = base?.generation ?? 0n
    this.#length = base?.resume.intermediates.length ?? 0
    this.#digest = digest
    this.#onError = onError
    this.#repair = repair
  }

  /**
   * `base`: the checkpoint from which the evaluation resumes, or undefined when it starts over. `repair`: where a
   * damage is the reason.
   */
  static async open(
    directory: string,
    evaluation: Evaluation,
    base: StoredCheckpoint | undefined,
    onError: (error: unknown) => void,
    repair?: Repair
  ): Promise<CheckpointWriter> {
    if (repair === undefined)
      await (base === undefined ? rm(directory, { recursive: true, force: true }) : removeRepairs(directory, base))
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return new CheckpointWriter(
      directory,
      evaluation,
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

  discard(): void {
    this.#discarded = true
    this.#waiting = undefined
  }

  /** Resolves when no write is running. What could not be written by then is lost. */
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
      digestOf(this.#evaluation)
    )
    const names = this.#repair === undefined ? GENERATIONS : REPAIRS
    await replaceFile(this.#directory, names[Number(generation % 2n)]!, bytes)
    this.#generation = generation
    const mark = markOf(squarings, this.#evaluation)
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

  /** Skips records that are there already: they never change. */
  async #append({ appended, appendedFrom }: Checkpoint): Promise<void> {
    const known = this.#length - appendedFrom * RECORD_BYTES
    if (known < 0) throw new RangeError(`intermediates from ${appendedFrom} on leave a gap after byte ${this.#length}`)
    const fresh = appended.subarray(known)
    if (fresh.length === 0) return
    this.#file ??= await openForWriting(join(this.#directory, INTERMEDIATES))
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
