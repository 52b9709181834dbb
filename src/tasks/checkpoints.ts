/**
 * What an evaluation has reached, on disk under `<data_dir>/tasks/<task id>/`:
 *
 * - `intermediates`: records of {@link RECORD_BYTES} bytes, which never change, one after the other. Only as many bytes count as a
 *   state file says; what a crash left behind them is overwritten.
 * - `state.0`, `state.1`: two generations, written in turn by temporary file, fsync and rename. A torn or altered one is not
 *   believed, and the other serves.
 *
 * A state file is a header, then the kernel's state. Header: magic `CHRCKPT1`, generation u64, squarings u64, length of the counted
 * intermediates u64 (all big-endian), SHA-256 of the evaluation's parameters, SHA-256 of the counted intermediates, SHA-256 of
 * header so far and state.
 */
import { createHash, type Hash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Checkpoint, EvaluationRequest } from '../native/types.ts'
import type { EvaluationPlan } from './types.ts'

/** Bytes of a stored form (crates/vdf/src/evaluation/record.rs). */
const RECORD_BYTES = 128

const MAGIC = Buffer.from('CHRCKPT1', 'latin1')
const DIGEST_BYTES = 32
const FIELDS_BYTES = MAGIC.length + 3 * 8
const HEADER_BYTES = FIELDS_BYTES + 3 * DIGEST_BYTES
const GENERATIONS = [0, 1] as const

/** Written at once: bounds what one write holds up the disk. */
const WRITE_CHUNK_BYTES = 1 << 20

export interface StoredCheckpoint {
  readonly generation: bigint
  readonly squarings: number
  readonly resume: NonNullable<EvaluationRequest['resume']>
}

interface StateFile {
  readonly generation: bigint
  readonly squarings: number
  /** Bytes of intermediates that count. */
  readonly length: number
  readonly intermediatesDigest: Buffer
  readonly state: Uint8Array
}

export function taskDirectory(dataDir: string, taskId: string): string {
  return join(dataDir, 'tasks', taskId)
}

/** Removes what a task has on disk. */
export async function removeCheckpoints(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
}

/**
 * The newest checkpoint of this evaluation that can be believed, or with `skip` the one before it; undefined where there is none.
 * What is missing, torn, altered or of another evaluation is passed over.
 */
export async function loadCheckpoint(directory: string, plan: EvaluationPlan, skip = 0): Promise<StoredCheckpoint | undefined> {
  const expected = planDigest(plan)
  const files = await Promise.all(GENERATIONS.map((slot) => readStateFile(directory, slot, expected)))
  const found = files.filter((file) => file !== undefined).sort((left, right) => (left.generation < right.generation ? 1 : -1))
  if (found.length <= skip) return undefined
  const intermediates = await readIfPresent(join(directory, 'intermediates'))
  const believed = found.filter(({ length, intermediatesDigest }) => {
    return intermediates.length >= length && createHash('sha256').update(intermediates.subarray(0, length)).digest().equals(intermediatesDigest)
  })
  const file = believed[skip]
  if (file === undefined) return undefined
  const { generation, squarings, state, length } = file
  return { generation, squarings, resume: { state, intermediates: intermediates.subarray(0, length) } }
}

/** SHA-256 over what a checkpoint must agree with: seed, size, squarings and split of the evaluation. */
function planDigest(plan: EvaluationPlan): Buffer {
  const numbers = Buffer.alloc(24)
  numbers.writeBigUInt64BE(BigInt(plan.discriminantBits), 0)
  numbers.writeBigUInt64BE(BigInt(plan.iterations), 8)
  numbers.writeBigUInt64BE(BigInt(plan.split ?? 0), 16)
  return createHash('sha256').update(plan.seed).update(numbers).digest()
}

async function readStateFile(directory: string, slot: number, expectedPlan: Buffer): Promise<StateFile | undefined> {
  const bytes = await readIfPresent(join(directory, `state.${slot}`))
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const field = (index: number): bigint => bytes.readBigUInt64BE(MAGIC.length + 8 * index)
  const digest = (index: number): Buffer => bytes.subarray(FIELDS_BYTES + index * DIGEST_BYTES, FIELDS_BYTES + (index + 1) * DIGEST_BYTES)
  const state = bytes.subarray(HEADER_BYTES)
  const sealed = createHash('sha256').update(bytes.subarray(0, HEADER_BYTES - DIGEST_BYTES)).update(state).digest()
  if (!sealed.equals(digest(2)) || !digest(0).equals(expectedPlan)) return undefined
  return { generation: field(0), squarings: Number(field(1)), length: Number(field(2)), intermediatesDigest: digest(1), state }
}

async function readIfPresent(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/**
 * Writes checkpoints in the order in which they come, off the event loop. `accept` returns at once; a checkpoint that
 * comes while another is being written waits, and a newer one takes its place. A failed write loses nothing: its
 * intermediates are kept and written with the next one (their whole amount is bounded by the evaluation's memory).
 */
export class CheckpointWriter {
  readonly #directory: string
  readonly #plan: Buffer
  readonly #onError: (error: unknown) => void
  #generation: bigint
  #file: FileHandle | undefined
  #digest: Hash
  #length: number
  #pending: Checkpoint[] = []
  #waiting: Checkpoint | undefined
  #writing: Promise<void> | undefined

  private constructor(directory: string, plan: EvaluationPlan, base: StoredCheckpoint | undefined, onError: (error: unknown) => void) {
    this.#directory = directory
    this.#plan = planDigest(plan)
    this.#generation = base?.generation ?? 0n
    this.#length = base?.resume.intermediates.length ?? 0
    this.#digest = createHash('sha256')
    if (base !== undefined) this.#digest.update(base.resume.intermediates)
    this.#onError = onError
  }

  /** `base`: the checkpoint from which the evaluation goes on, or undefined when it begins anew. */
  static async open(
    directory: string,
    plan: EvaluationPlan,
    base: StoredCheckpoint | undefined,
    onError: (error: unknown) => void
  ): Promise<CheckpointWriter> {
    if (base === undefined) await removeCheckpoints(directory)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return new CheckpointWriter(directory, plan, base, onError)
  }

  accept(checkpoint: Checkpoint): void {
    this.#pending.push(checkpoint)
    this.#waiting = checkpoint
    this.#writing ??= this.#drain()
  }

  /** Resolves when everything accepted was written, or its write failed. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    await this.#file?.close()
    this.#file = undefined
  }

  async #drain(): Promise<void> {
    try {
      for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
        this.#waiting = undefined
        await this.#write(next)
      }
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#writing = undefined
    }
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      await this.#append(next)
      this.#pending.shift()
      if (next === checkpoint) break
    }
    const generation = this.#generation + 1n
    const fields = Buffer.alloc(FIELDS_BYTES)
    MAGIC.copy(fields)
    fields.writeBigUInt64BE(generation, 8)
    fields.writeBigUInt64BE(BigInt(checkpoint.squarings), 16)
    fields.writeBigUInt64BE(BigInt(this.#length), 24)
    const header = Buffer.concat([fields, this.#plan, this.#digest.copy().digest()])
    const seal = createHash('sha256').update(header).update(checkpoint.state).digest()
    await this.#replaceState(generation, [header, seal, checkpoint.state])
    this.#generation = generation
  }

  /** Records that are there already are passed over: they never change. */
  async #append({ appended, appendedFrom }: Checkpoint): Promise<void> {
    const known = this.#length - appendedFrom * RECORD_BYTES
    if (known < 0) throw new RangeError(`intermediates from ${appendedFrom} on leave a gap after byte ${this.#length}`)
    const fresh = appended.subarray(known)
    if (fresh.length === 0) return
    this.#file ??= await openForWriting(join(this.#directory, 'intermediates'))
    for (let offset = 0; offset < fresh.length; ) {
      const chunk = fresh.subarray(offset, offset + WRITE_CHUNK_BYTES)
      offset += (await this.#file.write(chunk, 0, chunk.length, this.#length + offset)).bytesWritten
    }
    await this.#file.datasync()
    this.#digest.update(fresh)
    this.#length += fresh.length
  }

  async #replaceState(generation: bigint, parts: Uint8Array[]): Promise<void> {
    const target = join(this.#directory, `state.${generation % BigInt(GENERATIONS.length)}`)
    const temporary = join(this.#directory, 'state.tmp')
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writev(parts)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
    await syncDirectory(this.#directory)
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

/** A rename is durable once its directory is; Windows can't open directories and needs none of it. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
