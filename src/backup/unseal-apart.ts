import { randomFillSync } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import type { ErrorCode } from '../error-table.ts'
import { MASTER_SEED_BYTES } from '../protocol/crypto/keys.ts'
import { runApart } from '../util/run-apart.ts'
import { secretBuffer } from '../util/secret-buffer.ts'

export interface UnsealRequest {
  readonly text: string
  /** UTF-8; for the caller to overwrite. */
  readonly passphrase: Uint8Array
  readonly path: string
}

/** What the process sends back; errors lose their class on the way. */
export type UnsealAnswer =
  | { readonly ok: true; readonly masked: Uint8Array }
  | { readonly ok: false; readonly message: string; readonly code: ErrorCode | undefined }

/** Where the mask ends and the passphrase begins. */
export const MASK_BYTES = MASTER_SEED_BYTES

/**
 * As `unsealSeed`, in a process of its own. The seed comes back under a mask that is used once: what Node reads from a
 * pipe stays in buffers that nobody can overwrite.
 */
export async function unsealApart({ text, passphrase, path }: UnsealRequest): Promise<Uint8Array> {
  const secret = secretBuffer(MASK_BYTES + passphrase.length)
  try {
    const mask = randomFillSync(secret.subarray(0, MASK_BYTES))
    secret.set(passphrase, MASK_BYTES)
    const answer = await runApart<UnsealAnswer>('./unseal-process', import.meta.url, { text, path }, secret)
    if (!answer.ok)
      throw answer.code === undefined ? new Error(answer.message) : new ServiceError(answer.code, answer.message)
    return unmasked(answer.masked, mask)
  } finally {
    secret.fill(0)
  }
}

function unmasked(masked: Uint8Array, mask: Uint8Array): Uint8Array {
  const seed = new Uint8Array(new ArrayBuffer(MASTER_SEED_BYTES))
  masked.forEach((byte, index) => (seed[index] = byte ^ mask[index]!))
  return seed
}
