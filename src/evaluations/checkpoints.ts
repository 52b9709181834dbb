/**
 * What an evaluation has reached, on disk under `<data_dir>/tasks/<task id>/`.
 * - `intermediates`: records of 128 bytes, which never change, one after the other. A state file says how many bytes
 * count; what a crash left behind them is overwritten.
 * - `state.0`, `state.1`: two generations, written in turn by temporary file, fsync and rename. If one is torn or
 * altered, the other serves.
 * - `mark.1` to `mark.64`: earlier states, one for each 64th of the squarings. They serve when the disk has lost
 * intermediates that both generations count. The evaluation resumes from the newest mark that counts only whole ones,
 * until the damaged part is squared again (repair.ts).
 * - `repair.0`, `repair.1`: the generations during a repair. All other files stay as they are, since they count again
 * afterwards.
 */
import { createHash } from 'node:crypto'
import { open, readdir, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Evaluation, EvaluationTerms } from '../native/types.ts'
import { digestOf, readStateFile, type StateFile } from './state-file.ts'

/**
 * Read, written and hashed at once. It bounds the time that blocks the disk, and the event loop (about 2 ms; up to a
 * hundred megabytes are hashed).
 */
export const CHUNK_BYTES = 1 << 20
export const INTERMEDIATES = 'intermediates'
export const GENERATIONS = ['state.0', 'state.1'] as const
export const REPAIRS = ['repair.0', 'repair.1'] as const
/** A damage costs at most the stretch between two marks. Each mark is a file of about a kilobyte. */
export const MARKS = 64
/** What a disk loses at once. */
const BLOCK_BYTES = 4096
const MARK = /^mark\.\d+$/

export interface StoredState extends StateFile {
  readonly name: string
}

export interface StoredCheckpoint {
  readonly name: string
  readonly generation: bigint
  readonly squarings: number
  readonly resume: NonNullable<EvaluationTerms['resume']>
}

export interface FoundCheckpoints {
  /** The newest trusted one, then the one before. */
  readonly believed: readonly StoredCheckpoint[]
  /** States beyond those, the nearest first: whole themselves, but they count damaged intermediates. */
  readonly beyond: readonly StoredState[]
  readonly passedOver: readonly string[]
  readonly length: number
  /** Those bytes, with zeros where the disk failed to return them; undefined where it returned all. */
  readonly readable: Uint8Array | undefined
}

/** Removes what a finished repair has left, unless the evaluation resumes from it. */
export async function removeRepairs(directory: string, base: StoredCheckpoint): Promise<void> {
  if ((REPAIRS as readonly string[]).includes(base.name)) return
  await Promise.all(REPAIRS.map((name) => rm(join(directory, name), { force: true })))
}

/**
 * Which checkpoints are trusted, and which would be but for damaged intermediates. Skips and reports what is torn,
 * altered or of another evaluation. Rejects when an existing file cannot be read.
 * @param upTo squarings beyond which none counts
 */
export async function loadCheckpoints(
  directory: string,
  evaluation: Evaluation,
  upTo = Infinity
): Promise<FoundCheckpoints> {
  const expected = digestOf(evaluation)
  const generations = await readStates(directory, [...GENERATIONS, ...REPAIRS], expected)
  const marks = await readStates(
    directory,
    (await namesIn(directory)).filter((name) => MARK.test(name)),
    expected
  )
  const passedOver = [...generations.passedOver]
  const states = newestFirst([...generations.states, ...marks.states].filter(({ squarings }) => squarings <= upTo))
  const { bytes, trouble } = await readIntermediates(
    join(directory, INTERMEDIATES),
    Math.max(0, ...states.map(({ length }) => length))
  )
  if (trouble !== undefined) passedOver.push(`${INTERMEDIATES}: ${trouble}`)
  const whole = await thoseWhole(states, bytes)
  for (const { generation, length } of states.filter(
    (state) => generations.states.includes(state) && !whole.has(state)
  )) {
    passedOver.push(
      `generation ${generation}: the intermediates that it counts are ${bytes.length < length ? 'cut off' : 'altered'}`
    )
  }
  const believed = states.filter((state) => whole.has(state))
  const [newest] = believed
  if (states.length > 0 && (newest === undefined || MARK.test(newest.name))) passedOver.push(...marks.passedOver)
  const checkpoint = ({ name, generation, squarings, state, length }: StoredState): StoredCheckpoint => ({
    name,
    generation,
    squarings,
    resume: { state, intermediates: bytes.subarray(0, length), squarings }
  })
  const distinct = believed.filter((state, index) => !isSame(state, believed[index - 1]))
  return {
    believed: distinct.slice(0, 2).map(checkpoint),
    beyond: states.slice(0, newest === undefined ? states.length : states.indexOf(newest)).reverse(),
    passedOver,
    length: bytes.length,
    readable: trouble === undefined ? undefined : bytes
  }
}

/** Squarings of the newest state on disk, for what is shown: whether it is trusted shows when the evaluation resumes. */
export async function savedSquarings(directory: string, evaluation: Evaluation): Promise<number> {
  const { states } = await readStates(directory, GENERATIONS, digestOf(evaluation))
  return Math.max(0, ...states.map(({ squarings }) => squarings))
}

/** Removes what is newer than the checkpoint to resume from, because it is not trusted. */
export async function removeBeyond(
  directory: string,
  { name, squarings }: StoredCheckpoint,
  evaluation: Evaluation
): Promise<void> {
  const kept = markOf(squarings, evaluation)
  const marks = (await namesIn(directory)).filter(
    (each) => MARK.test(each) && Number(each.slice('mark.'.length)) > kept
  )
  await Promise.all(
    [...GENERATIONS, ...REPAIRS, ...marks]
      .filter((each) => each !== name)
      .map((each) => rm(join(directory, each), { force: true }))
  )
}

/** The last mark at or before this many squarings; 0 before the first. */
export function markOf(squarings: number, { iterations }: Evaluation): number {
  return Math.floor((squarings / iterations) * MARKS)
}

/**
 * At equal squarings generations come first: after the last squaring they had proved something when a repair has just
 * reached it.
 */
function newestFirst(states: readonly StoredState[]): StoredState[] {
  const isGeneration = ({ name }: StoredState): number => Number((GENERATIONS as readonly string[]).includes(name))
  return [...states].sort(
    (left, right) =>
      right.squarings - left.squarings ||
      isGeneration(right) - isGeneration(left) ||
      Number(right.generation - left.generation)
  )
}

/** A mark is a copy of a generation. */
function isSame(state: StoredState, other: StoredState | undefined): boolean {
  return state.squarings === other?.squarings && state.generation === other.generation
}

async function readStates(
  directory: string,
  names: readonly string[],
  expected: Buffer
): Promise<{ states: StoredState[]; passedOver: string[] }> {
  const states: StoredState[] = []
  const passedOver: string[] = []
  for (const name of names) {
    const state = await readStateFile(join(directory, name), expected)
    if (typeof state === 'string') passedOver.push(`${name}: ${state}`)
    else if (state !== undefined) states.push({ name, ...state })
  }
  return { states, passedOver }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** At most this many bytes; zeros where the disk does not return them, which `trouble` tells. */
async function readIntermediates(path: string, limit: number): Promise<{ bytes: Buffer; trouble?: string }> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const bytes = Buffer.allocUnsafe(Math.min((await file.stat()).size, limit))
    const trouble = await fill(bytes, file)
    return { bytes, ...(trouble === undefined ? {} : { trouble }) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { bytes: Buffer.alloc(0) }
    return { bytes: Buffer.alloc(0), trouble: failureOfDisk(error) }
  } finally {
    await file?.close()
  }
}

/** Block by block from where the disk fails, so that no more is missing than it has lost. */
async function fill(bytes: Buffer, file: FileHandle): Promise<string | undefined> {
  let trouble: string | undefined
  for (let offset = 0; offset < bytes.length;) {
    const size = Math.min(trouble === undefined ? CHUNK_BYTES : BLOCK_BYTES, bytes.length - offset)
    try {
      const { bytesRead } = await file.read(bytes, offset, size, offset)
      // Cut off while it was read: the hashes show what is missing.
      if (bytesRead === 0) bytes.fill(0, offset)
      offset = bytesRead === 0 ? bytes.length : offset + bytesRead
    } catch (error) {
      if (trouble !== undefined) {
        bytes.fill(0, offset, offset + size)
        offset += size
      }
      trouble = failureOfDisk(error)
    }
  }
  return trouble
}

/** The disk's word for failing to return what it took. Throws any other error. */
export function failureOfDisk(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'EIO') throw error
  return message
}

/** Those whose intermediates have the hash they were written with; one pass over the bytes for all. */
async function thoseWhole(files: readonly StoredState[], bytes: Uint8Array): Promise<Set<StoredState>> {
  const whole = new Set<StoredState>()
  const hash = createHash('sha256')
  let hashed = 0
  for (const file of [...files].sort((left, right) => left.length - right.length)) {
    if (file.length > bytes.length) break
    for (; hashed < file.length; hashed = Math.min(hashed + CHUNK_BYTES, file.length)) {
      hash.update(bytes.subarray(hashed, Math.min(hashed + CHUNK_BYTES, file.length)))
      await setImmediate()
    }
    if (hash.copy().digest().equals(file.intermediatesDigest)) whole.add(file)
  }
  return whole
}
