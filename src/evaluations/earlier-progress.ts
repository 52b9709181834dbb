/**
 * The progress that versions up to commit 88cfa41c had shown, in `progress.0` and `progress.1` of the data directory. It
 * is read once: the journal has it from then on, and the files go.
 * A file: magic `CHRPROG1`, sequence u64, length of the body u32 (big-endian), SHA-256 of all the rest, then the body.
 * The body is CBOR: an array of [task id, squarings, last event id]. The newest file that is whole counts.
 */
import { decode } from 'cborg'
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AT_ONCE } from '../util/files.ts'

interface Shown {
  readonly progress: number
  readonly lastEventId: number
}

const MAGIC = Buffer.from('CHRPROG1', 'latin1')
const FIELDS_BYTES = MAGIC.length + 8 + 4
const HEADER_BYTES = FIELDS_BYTES + 32

/** By task id; nothing when neither file can be trusted. */
export async function readEarlierProgress(dataDir: string): Promise<ReadonlyMap<string, Shown>> {
  const [first, second] = await Promise.all(pathsIn(dataDir).map(readSlot))
  const newest = first === undefined || (second !== undefined && second.sequence > first.sequence) ? second : first
  return newest?.shown ?? new Map()
}

export async function removeEarlierProgress(dataDir: string): Promise<void> {
  await Promise.all(pathsIn(dataDir).map((path) => rm(path, { force: true, recursive: true })))
}

function pathsIn(dataDir: string): string[] {
  return [0, 1].map((slot) => join(dataDir, `progress.${slot}`))
}

async function readSlot(path: string): Promise<{ sequence: bigint; shown: ReadonlyMap<string, Shown> } | undefined> {
  const bytes = await readIfPresent(path)
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const fields = bytes.subarray(0, FIELDS_BYTES)
  // A longer body before may have left bytes that do not count.
  const body = bytes.subarray(HEADER_BYTES, HEADER_BYTES + fields.readUInt32BE(MAGIC.length + 8))
  const digest = createHash('sha256').update(fields).update(body).digest()
  if (!digest.equals(bytes.subarray(FIELDS_BYTES, HEADER_BYTES))) return undefined
  const entries = decode(body) as [string, number, number][]
  return {
    sequence: fields.readBigUInt64BE(MAGIC.length),
    shown: new Map(entries.map(([taskId, progress, lastEventId]) => [taskId, { progress, lastEventId }]))
  }
}

async function readIfPresent(path: string): Promise<Buffer> {
  try {
    return await readFile(path, { flag: AT_ONCE })
  } catch (error) {
    // A file that the disk fails to return counts as torn; so does what is not a file.
    if (['ENOENT', 'EIO', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return Buffer.alloc(0)
    throw error
  }
}
