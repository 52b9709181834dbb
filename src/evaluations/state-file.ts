/**
 * A state on disk: a header, then the kernel's state.
 * Header: magic `CHRCKPT1`, generation u64, squarings u64, length of the counted intermediates u64 (all big-endian).
 * Then three SHA-256: of the evaluation's parameters, of the counted intermediates, of header so far and state.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Evaluation } from '../native/types.ts'
import { AT_ONCE } from '../util/files.ts'

const MAGIC = Buffer.from('CHRCKPT1', 'latin1')
const DIGEST_BYTES = 32
const FIELDS_BYTES = MAGIC.length + 3 * 8
const HEADER_BYTES = FIELDS_BYTES + 3 * DIGEST_BYTES

export interface StateFile {
  readonly generation: bigint
  readonly squarings: number
  readonly length: number
  readonly intermediatesDigest: Buffer
  readonly state: Uint8Array
}

/** SHA-256 over what a checkpoint must agree with. */
export function digestOf({ seed, discriminantBits, iterations, split }: Evaluation): Buffer {
  const numbers = Buffer.alloc(24)
  numbers.writeBigUInt64BE(BigInt(discriminantBits), 0)
  numbers.writeBigUInt64BE(BigInt(iterations), 8)
  numbers.writeBigUInt64BE(BigInt(split ?? 0), 16)
  return createHash('sha256').update(seed).update(numbers).digest()
}

export function encodeStateFile(
  { generation, squarings, length, intermediatesDigest, state }: StateFile,
  evaluation: Buffer
): Buffer {
  const fields = Buffer.alloc(FIELDS_BYTES)
  MAGIC.copy(fields)
  fields.writeBigUInt64BE(generation, 8)
  fields.writeBigUInt64BE(BigInt(squarings), 16)
  fields.writeBigUInt64BE(BigInt(length), 24)
  const header = Buffer.concat([fields, evaluation, intermediatesDigest])
  const seal = createHash('sha256').update(header).update(state).digest()
  return Buffer.concat([header, seal, state])
}

/** Undefined where there is none; a string says why the file is not trusted. Rejects when it cannot be read. */
export async function readStateFile(path: string, expected: Buffer): Promise<StateFile | string | undefined> {
  const bytes = await readIfPresent(path)
  if (bytes === undefined || typeof bytes === 'string') return bytes
  if (bytes.length < HEADER_BYTES) return `it is cut off after ${bytes.length} bytes`
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'it is not a checkpoint of this version'
  const field = (index: number): bigint => bytes.readBigUInt64BE(MAGIC.length + 8 * index)
  const digest = (index: number): Buffer =>
    bytes.subarray(FIELDS_BYTES + index * DIGEST_BYTES, FIELDS_BYTES + (index + 1) * DIGEST_BYTES)
  const state = bytes.subarray(HEADER_BYTES)
  const sealed = createHash('sha256')
    .update(bytes.subarray(0, HEADER_BYTES - DIGEST_BYTES))
    .update(state)
    .digest()
  if (!sealed.equals(digest(2))) return 'its hash is not that of its bytes'
  if (!digest(0).equals(expected)) return 'it belongs to another evaluation'
  return {
    generation: field(0),
    squarings: Number(field(1)),
    length: Number(field(2)),
    intermediatesDigest: digest(1),
    state
  }
}

/** Undefined where there is no such file; a string says that the disk fails to return it. */
async function readIfPresent(path: string): Promise<Buffer | string | undefined> {
  try {
    return await readFile(path, { flag: AT_ONCE })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'EIO') return message
    throw error
  }
}
