/**
 * The plaintext of a backup, version 1. One line of JSON comes first, then the manifest, then the bytes of the files
 * that it lists.
 * So the first line of `age -d FILE` shows the 24 words without this program. Readers accept only what a writer makes.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { fromBase64, fromHex, toBase64, toHex } from '../protocol/encoding/bytes.ts'
import { messageOf, PartError } from '../protocol/errors.ts'
import { wordsToSeed } from '../protocol/crypto/keys.ts'
import { type NetworkProfile, parseProfile, profileHash } from '../protocol/profile/profile.ts'
import type { StoredRecords } from '../store/inspect.ts'
import { textOfUtf8 } from '../util/utf8.ts'

const FORMAT = 'chronym-backup'
const VERSION = 1
const NEWLINE = 0x0a

/** A node remembers 100,000 pins at most, some 20 MB of JSON; each name or identity adds a few hundred KiB at most. */
const MAX_MANIFEST_BYTES = 256 * 2 ** 20
/** Manifest and checkpoints: each running task keeps up to `vdf.memory_mib`, by default 256 MiB. */
export const MAX_PLAINTEXT_BYTES = 1024 * 2 ** 20

/** A file of a task, by its path below the data directory. */
export interface BackedUpFile {
  /** `tasks/<task id>/<file>` */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface BackupContents {
  /** Milliseconds since the epoch. */
  readonly createdMs: number
  readonly program: string
  readonly profile: NetworkProfile
  readonly words: string
  /** Values of the store by key, in byte order. */
  readonly records: StoredRecords
  readonly files: readonly BackedUpFile[]
}

const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/u, '32 bytes in hex are expected'))
/** No part may leave the directory of its task. */
const FILE_PATH = /^tasks\/[A-Za-z0-9_-]{1,64}\/(?:intermediates|state\.[01]|repair\.[01]|mark\.\d{1,2})$/u

const Manifest = v.strictObject({
  format: v.literal(FORMAT),
  version: v.literal(VERSION, `version ${VERSION} is expected: a newer program made it`),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  program: v.pipe(v.string(), v.maxLength(64)),
  network: v.strictObject({ id: v.string(), profile_hash: Hash, profile: v.unknown() }),
  seed_words: v.pipe(v.string(), v.maxLength(512)),
  records: v.array(v.strictTuple([v.pipe(v.string(), v.nonEmpty(), v.maxLength(512)), v.string()])),
  files: v.array(
    v.strictObject({
      path: v.pipe(v.string(), v.regex(FILE_PATH, 'no file of a task')),
      bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      sha256: Hash
    })
  )
})

/** Throws BackupError `source` where it is too large. */
export function encodeContents({ createdMs, program, profile, words, records, files }: BackupContents): Uint8Array {
  const manifest: v.InferInput<typeof Manifest> = {
    format: FORMAT,
    version: VERSION,
    created_at: new Date(createdMs).toISOString(),
    program,
    network: { id: profile.id, profile_hash: toHex(profileHash(profile)), profile },
    seed_words: words,
    records: [...records].map(([key, value]) => [key, toBase64(value)]),
    files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) }))
  }
  const line = Buffer.from(`${JSON.stringify(manifest)}\n`)
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, line.length)
  if (line.length > MAX_MANIFEST_BYTES || size > MAX_PLAINTEXT_BYTES) {
    throw new BackupError(
      'source',
      `the backup would have ${size} bytes; at most ${MAX_PLAINTEXT_BYTES} are possible`,
      'Make it without --tasks.'
    )
  }
  return Buffer.concat([line, ...files.map(({ bytes }) => bytes)])
}

/**
 * Throws BackupError `damaged` for anything that {@link encodeContents} does not make. verify.ts judges the records.
 */
export function decodeContents(plaintext: Uint8Array): BackupContents {
  const bytes = Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.length)
  const end = bytes.subarray(0, MAX_MANIFEST_BYTES).indexOf(NEWLINE)
  if (end < 0) throw damaged('it has no manifest')
  const manifest = readManifest(bytes.subarray(0, end))
  const { network, seed_words: words } = manifest
  const profile = attempt('network', () => parseProfile(network.profile))
  if (toHex(profileHash(profile)) !== network.profile_hash || profile.id !== network.id)
    throw damaged('network: the profile is not the one that its hash names')
  attempt('seed_words', () => wordsToSeed(words))
  return {
    createdMs: Date.parse(manifest.created_at),
    program: manifest.program,
    profile,
    words,
    records: readRecords(manifest.records),
    files: readFiles(manifest.files, bytes.subarray(end + 1))
  }
}

function readManifest(line: Buffer): v.InferOutput<typeof Manifest> {
  const json = attempt('its manifest', () => JSON.parse(textOfUtf8(line)) as unknown)
  const result = v.safeParse(Manifest, json)
  if (result.success) return result.output
  const [issue] = result.issues
  // The schema's message may quote its input; the words are secret.
  const path = v.getDotPath(issue) ?? 'its manifest'
  throw damaged(path === 'seed_words' ? `${path}: not 24 words` : `${path}: ${issue.message}`)
}

function readRecords(listed: readonly (readonly [string, string])[]): StoredRecords {
  const records = new Map<string, Uint8Array>()
  for (const [key, value] of listed) {
    if (records.has(key)) throw damaged(`record ${key} is there twice`)
    records.set(
      key,
      attempt(`record ${key}`, () => fromBase64(value))
    )
  }
  return records
}

function readFiles(listed: v.InferOutput<typeof Manifest>['files'], rest: Buffer): BackedUpFile[] {
  let offset = 0
  const files = listed.map(({ path, bytes: length, sha256: hash }) => {
    const bytes = rest.subarray(offset, offset + length)
    offset += length
    if (bytes.length !== length || !sha256Bytes(bytes).equals(fromHex(hash)))
      throw damaged(`file ${path} is not what the manifest says`)
    return { path, bytes }
  })
  if (offset !== rest.length) throw damaged('it has data after its end')
  if (new Set(listed.map(({ path }) => path)).size !== listed.length) throw damaged('a file is there twice')
  return files
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw damaged(`${what}: ${messageOf(error)}`, error)
  }
}

function damaged(reason: string, cause?: unknown): BackupError {
  return new BackupError(
    'damaged',
    `this is not a readable backup of chronym: ${reason}`,
    'Take another copy of the backup. Nothing was written.',
    { cause }
  )
}

function sha256(bytes: Uint8Array): string {
  return sha256Bytes(bytes).toString('hex')
}

function sha256Bytes(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/**
 * `damaged`: the file is not a whole backup, or the key does not open it. `network`: it is of another network than the one
 * asked for. `occupied`: the file to write exists already. `source`: the data directory has nothing to back up, or its
 * names belong to another seed. `recipient`: not a public key.
 */
export type BackupErrorCode = 'damaged' | 'network' | 'occupied' | 'source' | 'recipient'

export class BackupError extends PartError<'backup', BackupErrorCode> {
  override readonly name = 'BackupError'
  override readonly part = 'backup'
  readonly cure: string

  constructor(code: BackupErrorCode, message: string, cure: string, options?: ErrorOptions) {
    super(code, message, options)
    this.cure = cure
  }
}
