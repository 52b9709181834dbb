/**
 * What an evaluation has reached, on disk under `<data_dir>/tasks/<task id>/`:
 *
 * - `intermediates`: records of 128 bytes, which never change, one after the other. Only as many bytes count as a
 *   state file says; what a crash left behind them is overwritten.
 * - `state.0`, `state.1`: two generations, written in turn by temporary file, fsync and rename. A torn or altered one is not
 *   believed, and the other serves.
 * - `mark.1` to `mark.64`: states of before, one for each 64th of the squarings. Where the disk has lost intermediates that both generations count,
 *   the newest mark that counts only what is still whole serves.
 */
import { createHash } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { EvaluationRequest } from '../native/types.ts'
import { planDigest, readStateFile, type StateFile } from './state-file.ts'
import type { EvaluationPlan } from './types.ts'

/** Read, written and hashed at once: bounds what holds up the disk, and the event loop (about 2 ms; up to a hundred megabytes are hashed). */
export const CHUNK_BYTES = 1 << 20
export const INTERMEDIATES = 'intermediates'
export const GENERATIONS = ['state.0', 'state.1'] as const
/** A damage costs at most this share of the squarings before it. Each mark is a file of about a kilobyte. */
export const MARKS = 64
const MARK = /^mark\.\d+$/

export interface StoredCheckpoint {
  readonly generation: bigint
  readonly squarings: number
  /** From before the two generations, neither of which can be believed. */
  readonly isMark: boolean
  readonly resume: NonNullable<EvaluationRequest['resume']>
}

/** What is found on disk of an evaluation. */
export interface FoundCheckpoints {
  /** Those that can be believed, newest first: of the two generations, else the newest mark. */
  readonly believed: readonly StoredCheckpoint[]
  /** What was passed over, and why: a sentence each. */
  readonly passedOver: readonly string[]
}

export function taskDirectory(dataDir: string, taskId: string): string {
  return join(dataDir, 'tasks', taskId)
}

/** Removes what a task has on disk. */
export async function removeCheckpoints(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
}

/** Reads both generations, and where neither can be believed the marks. What is torn, altered or of another evaluation is passed over and told. Rejects when a file that is there cannot be read. */
export async function loadCheckpoints(directory: string, plan: EvaluationPlan): Promise<FoundCheckpoints> {
  const expected = planDigest(plan)
  const generations = await readStates(directory, GENERATIONS, expected)
  const marks = await readStates(directory, (await namesIn(directory)).filter((name) => MARK.test(name)), expected)
  const passedOver = [...generations.passedOver]
  const files = [...generations.files, ...marks.files]
  if (files.length === 0) return { believed: [], passedOver }
  const intermediates = await readIntermediates(join(directory, INTERMEDIATES), Math.max(...files.map(({ length }) => length)))
  if (intermediates.trouble !== undefined) passedOver.push(`${INTERMEDIATES}: ${intermediates.trouble}`)
  const whole = await thoseWhole(files, intermediates.bytes)
  const checkpoint = ({ generation, squarings, state, length }: StateFile, isMark: boolean): StoredCheckpoint => ({
    generation,
    squarings,
    isMark,
    resume: { state, intermediates: intermediates.bytes.subarray(0, length) }
  })
  const believed = newestFirst(generations.files.filter((file) => whole.has(file))).map((file) => checkpoint(file, false))
  for (const { generation, length } of newestFirst(generations.files.filter((file) => !whole.has(file)))) {
    passedOver.push(`generation ${generation}: the intermediates that it counts are ${intermediates.bytes.length < length ? 'cut off' : 'altered'}`)
  }
  if (believed.length > 0) return { believed, passedOver }
  passedOver.push(...marks.passedOver)
  const [mark] = newestFirst(marks.files.filter((file) => whole.has(file)))
  return { believed: mark === undefined ? [] : [checkpoint(mark, true)], passedOver }
}

/** Takes away what lies beyond a mark that is gone on from: it would be believed again once the same intermediates stand there. */
export async function removeBeyond(directory: string, { squarings }: StoredCheckpoint, plan: EvaluationPlan): Promise<void> {
  const kept = markOf(squarings, plan)
  const stale = (await namesIn(directory)).filter((name) => MARK.test(name) && Number(name.slice('mark.'.length)) > kept)
  await Promise.all([...GENERATIONS, ...stale].map((name) => rm(join(directory, name), { force: true })))
}

/** The mark that so many squarings have reached; 0 before the first. */
export function markOf(squarings: number, { iterations }: EvaluationPlan): number {
  return Math.floor((squarings / iterations) * MARKS)
}

function newestFirst(files: readonly StateFile[]): StateFile[] {
  return [...files].sort((left, right) => (left.generation < right.generation ? 1 : -1))
}

async function readStates(directory: string, names: readonly string[], expected: Buffer): Promise<{ files: StateFile[]; passedOver: string[] }> {
  const files: StateFile[] = []
  const passedOver: string[] = []
  for (const name of names) {
    const file = await readStateFile(join(directory, name), expected)
    if (typeof file === 'string') passedOver.push(`${name}: ${file}`)
    else if (file !== undefined) files.push(file)
  }
  return { files, passedOver }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** At most so many bytes, and only up to where the disk gives them back. */
async function readIntermediates(path: string, limit: number): Promise<{ bytes: Buffer; trouble?: string }> {
  let read = 0
  let bytes = Buffer.alloc(0)
  try {
    const file = await open(path, 'r')
    try {
      bytes = Buffer.allocUnsafe(Math.min((await file.stat()).size, limit))
      while (read < bytes.length) {
        const { bytesRead } = await file.read(bytes, read, Math.min(CHUNK_BYTES, bytes.length - read), read)
        if (bytesRead === 0) break
        read += bytesRead
      }
    } finally {
      await file.close()
    }
    return { bytes: bytes.subarray(0, read) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { bytes }
    if (code === 'EIO') return { bytes: bytes.subarray(0, read), trouble: message }
    throw error
  }
}

/** Those whose intermediates are the ones they were written with; all of them in one pass over the bytes. */
async function thoseWhole(files: readonly StateFile[], bytes: Uint8Array): Promise<Set<StateFile>> {
  const whole = new Set<StateFile>()
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
