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
import { setImmediate } from 'node:timers/promises'
import type { Checkpoint, EvaluationRequest } from '../native/types.ts'
import type { EvaluationPlan } from './types.ts'

/** Bytes of a stored form (crates/vdf/src/evaluation/record.rs). */
const RECORD_BYTES = 128

const MAGIC = Buffer.from('CHRCKPT1', 'latin1')
const DIGEST_BYTES = 32
const FIELDS_BYTES = MAGIC.length + 3 * 8
const HEADER_BYTES = FIELDS_BYTES + 3 * DIGEST_BYTES
const GENERATIONS = [0, 1]

/** Written and hashed at once: bounds what holds up the disk, and the event loop. */
const CHUNK_BYTES = 1 << 20

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

/** What is found on disk of an evaluation. */
export interface FoundCheckpoints {
  /** Those that can be believed, newest first. */
  readonly believed: readonly StoredCheckpoint[]
  /** What was passed over, and why: a sentence each. */
  readonly passedOver: readonly string[]
}

/** Reads both generations. What is torn, altered or of another evaluation is passed over and told. Rejects when a file that is there cannot be read. */
export async function loadCheckpoints(directory: string, plan: EvaluationPlan): Promise<FoundCheckpoints> {
  const expected = planDigest(plan)
  const passedOver: string[] = []
  const files: StateFile[] = []
  for (const slot of GENERATIONS) {
    const file = await readStateFile(directory, slot, expected)
    if (typeof file === 'string') passedOver.push(`state.${slot}: ${file}`)
    else if (file !== undefined) files.push(file)
  }
  files.sort((left, right) => (left.generation < right.generation ? 1 : -1))
  const read = files.length === 0 ? undefined : await readIfPresent(join(directory, 'intermediates'))
  if (typeof read === 'string') passedOver.push(`intermediates: ${read}`)
  const intermediates = read instanceof Buffer ? read : Buffer.alloc(0)
  const believed: StoredCheckpoint[] = []
  for (const { generation, squarings, state, length, intermediatesDigest } of files) {
    const counted = intermediates.subarray(0, length)
    if (counted.length === length && (await hashOf(counted)).digest().equals(intermediatesDigest)) {
      believed.push({ generation, squarings, resume: { state, intermediates: counted } })
    } else {
      passedOver.push(`generation ${generation}: the intermediates that it counts are ${counted.length < length ? 'cut off' : 'altered'}`)
    }
  }
  return { believed, passedOver }
}

/** SHA-256 so far, in parts of about 2 ms, between which the event loop turns: up to a hundred megabytes are hashed here. */
async function hashOf(bytes: Uint8Array): Promise<Hash> {
  const hash = createHash('sha256')
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
    hash.update(bytes.subarray(offset, offset + CHUNK_BYTES))
    await setImmediate()
  }
  return hash
}

/** SHA-256 over what a checkpoint must agree with: seed, size, squarings and split of the evaluation. */
function planDigest(plan: EvaluationPlan): Buffer {
  const numbers = Buffer.alloc(24)
  numbers.writeBigUInt64BE(BigInt(plan.discriminantBits), 0)
  numbers.writeBigUInt64BE(BigInt(plan.iterations), 8)
  numbers.writeBigUInt64BE(BigInt(plan.split ?? 0), 16)
  return createHash('sha256').update(plan.seed).update(numbers).digest()
}

/** Undefined where there is none; a string says why what is there cannot be believed. */
async function readStateFile(directory: string, slot: number, expectedPlan: Buffer): Promise<StateFile | string | undefined> {
  const bytes = await readIfPresent(join(directory, `state.${slot}`))
  if (bytes === undefined || typeof bytes === 'string') return bytes
  if (bytes.length < HEADER_BYTES) return `it is cut off after ${bytes.length} bytes`
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'it is no checkpoint of this version'
  const field = (index: number): bigint => bytes.readBigUInt64BE(MAGIC.length + 8 * index)
  const digest = (index: number): Buffer => bytes.subarray(FIELDS_BYTES + index * DIGEST_BYTES, FIELDS_BYTES + (index + 1) * DIGEST_BYTES)
  const state = bytes.subarray(HEADER_BYTES)
  const sealed = createHash('sha256').update(bytes.subarray(0, HEADER_BYTES - DIGEST_BYTES)).update(state).digest()
  if (!sealed.equals(digest(2))) return 'its hash is not that of its bytes'
  if (!digest(0).equals(expectedPlan)) return 'it is of another evaluation'
  return { generation: field(0), squarings: Number(field(1)), length: Number(field(2)), intermediatesDigest: digest(1), state }
}

/** Undefined where there is no such file; a string says that the disk does not give it back. */
async function readIfPresent(path: string): Promise<Buffer | string | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'EIO') return message
    throw error
  }
}

/**
 * Writes checkpoints in the order in which they come, off the event loop. `accept` returns at once; a checkpoint that
 * comes while another is being written waits, and a newer one takes its place. A failed write loses nothing: what was
 * to be written is kept, and written by `flush` or with the next one (its whole amount is bounded by the evaluation's memory).
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
  #discarded = false

  private constructor(directory: string, plan: EvaluationPlan, base: StoredCheckpoint | undefined, digest: Hash, onError: (error: unknown) => void) {
    this.#directory = directory
    this.#plan = planDigest(plan)
    this.#generation = base?.generation ?? 0n
    this.#length = base?.resume.intermediates.length ?? 0
    this.#digest = digest
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
    return new CheckpointWriter(directory, plan, base, await hashOf(base?.resume.intermediates ?? new Uint8Array(0)), onError)
  }

  accept(checkpoint: Checkpoint): void {
    if (this.#discarded) return
    this.#pending.push(checkpoint)
    this.#waiting = checkpoint
    this.#writing ??= this.#drain()
  }

  /** Resolves when the newest checkpoint accepted is on disk; rejects when it could not be written, and may be called again. */
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
    // A failed write leaves digest and length as they were.
    const digest = this.#digest.copy()
    for (let offset = 0; offset < fresh.length; ) {
      const chunk = fresh.subarray(offset, offset + CHUNK_BYTES)
      const { bytesWritten } = await this.#file.write(chunk, 0, chunk.length, this.#length + offset)
      digest.update(chunk.subarray(0, bytesWritten))
      offset += bytesWritten
    }
    await this.#file.datasync()
    this.#digest = digest
    this.#length += fresh.length
  }

  async #replaceState(generation: bigint, parts: Uint8Array[]): Promise<void> {
    const target = join(this.#directory, `state.${generation % BigInt(GENERATIONS.length)}`)
    const temporary = join(this.#directory, 'state.tmp')
    try {
      const file = await open(temporary, 'w', 0o600)
      try {
        // Unlike `writev`, it goes on after a short write: on a disk that is nearly full half a state must not take the place of a whole one.
        await file.writeFile(Buffer.concat(parts))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, target)
      await syncDirectory(this.#directory)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
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
