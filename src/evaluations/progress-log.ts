/**
 * The progress shown of each evaluation, on disk before it is shown: no restart shows less, even after kill -9 or a
 * power failure.
 * Two files `progress.0` and `progress.1` in the data directory are overwritten in turn, so a write that was cut leaves
 * the other. Each takes one write and one fdatasync off the event loop. Neither grows with time.
 * A file: magic `CHRPROG1`, sequence u64, length of the body u32 (big-endian), SHA-256 of all the rest, then the body.
 * The body is CBOR: an array of [task id, squarings, last event id].
 */
import { decode, encode } from 'cborg'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { AT_ONCE } from '../util/files.ts'

export interface Shown {
  readonly progress: number
  readonly lastEventId: number
}

export type ShownTasks = ReadonlyMap<string, Shown>

export interface ProgressLog {
  /** What was shown last; nothing when neither file can be trusted. */
  load(): Promise<ShownTasks>
  /** Resolves when it is on disk and replaces all that was saved before. One call at a time. */
  save(shown: ShownTasks): Promise<void>
  close(): Promise<void>
}

const MAGIC = Buffer.from('CHRPROG1', 'latin1')
const FIELDS_BYTES = MAGIC.length + 8 + 4
const HEADER_BYTES = FIELDS_BYTES + 32

/** Without O_TRUNC and O_APPEND: it is overwritten in place. */
const FLAGS = constants.O_RDWR | constants.O_CREAT

export function openProgressLog(dataDir: string): ProgressLog {
  const paths = [0, 1].map((slot) => join(dataDir, `progress.${slot}`))
  const files: (FileHandle | undefined)[] = [undefined, undefined]
  let sequence = 0n

  return {
    async load() {
      const [first, second] = await Promise.all(paths.map(readSlot))
      const newest = first === undefined || (second !== undefined && second.sequence > first.sequence) ? second : first
      sequence = newest?.sequence ?? 0n
      return newest?.shown ?? new Map()
    },
    async save(shown) {
      const next = sequence + 1n
      const slot = Number(next % 2n)
      const file = (files[slot] ??= await open(paths[slot]!, FLAGS, 0o600))
      const bytes = encodeSlot(next, shown)
      const { bytesWritten } = await file.write(bytes, 0, bytes.length, 0)
      if (bytesWritten < bytes.length)
        throw new Error(`only ${bytesWritten} of ${bytes.length} bytes of ${paths[slot]!} were written`)
      await file.datasync()
      sequence = next
    },
    async close() {
      for (const file of files) await file?.close()
    }
  }
}

function encodeSlot(sequence: bigint, shown: ShownTasks): Buffer {
  const body = encode(Array.from(shown, ([taskId, { progress, lastEventId }]) => [taskId, progress, lastEventId]))
  const fields = Buffer.alloc(FIELDS_BYTES)
  MAGIC.copy(fields)
  fields.writeBigUInt64BE(sequence, MAGIC.length)
  fields.writeUInt32BE(body.length, MAGIC.length + 8)
  return Buffer.concat([fields, digestOf(fields, body), body])
}

async function readSlot(path: string): Promise<{ sequence: bigint; shown: ShownTasks } | undefined> {
  const bytes = await readIfPresent(path)
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const fields = bytes.subarray(0, FIELDS_BYTES)
  // A longer body before may have left bytes that do not count.
  const body = bytes.subarray(HEADER_BYTES, HEADER_BYTES + fields.readUInt32BE(MAGIC.length + 8))
  if (!digestOf(fields, body).equals(bytes.subarray(FIELDS_BYTES, HEADER_BYTES))) return undefined
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

function digestOf(fields: Uint8Array, body: Uint8Array): Buffer {
  return createHash('sha256').update(fields).update(body).digest()
}
