/**
 * What `kid recover` prepares for the machine with the recovery key: everything that signing must look at, and nothing
 * secret.
 */
import * as v from 'valibot'
import { toHex } from '../../protocol/encoding/bytes.ts'
import {
  parseIdentityDocument,
  parseUnsignedIdentityDocument,
  type UnsignedIdentityDocument
} from '../../protocol/identity/document.ts'
import { verifyIdentityLog, type IdentityLog } from '../../protocol/identity/log.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { nameOfInput, readJson } from '../input/files.ts'
import { loadProfile } from '../profile.ts'

const FileSchema = v.object({
  chronym_recovery: v.object({
    version: v.literal(1),
    /** A built-in one, or the path of a profile file where the file was prepared. */
    network: v.string(),
    profile_hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/u)),
    /** The versions that the new one follows, version 1 first. */
    log: v.pipe(v.array(v.unknown()), v.minLength(1)),
    unsigned: v.unknown()
  })
})

export interface Recovery {
  readonly profile: NetworkProfile
  /** Verified. */
  readonly log: IdentityLog
  readonly unsigned: UnsignedIdentityDocument
}

export function recoveryFile(network: string, { profile, log, unsigned }: Recovery): object {
  return {
    chronym_recovery: {
      version: 1,
      network,
      profile_hash: toHex(profileHash(profile)),
      log: log.versions.map(({ document }) => document),
      unsigned
    }
  }
}

/**
 * Reads and verifies such a file: the log by its own signatures, the new version by its shape. CLI-INP-001 for anything
 * else.
 */
export async function readRecoveryFile(context: Context, file: string, network: string | undefined): Promise<Recovery> {
  const json = await readJson(file, context.stdin)
  const where = nameOfInput(file)
  const result = v.safeParse(FileSchema, json)
  if (!result.success) throw fault(`${where} is no recovery that \`chronym kid recover\` prepared`)
  const { chronym_recovery: output } = result.output
  const profile = loadProfile(context, network ?? output.network)
  if (toHex(profileHash(profile)) !== output.profile_hash)
    throw fault(
      `${where} was prepared for another network than ${profile.id}`,
      'Name the profile file of that network with --network.'
    )
  try {
    const log = verifyIdentityLog(
      output.log.map((document) => parseIdentityDocument(document, profile)),
      profile
    )
    return { profile, log, unsigned: parseUnsignedIdentityDocument(output.unsigned, profile) }
  } catch (error) {
    if (error instanceof ProtocolError) throw fault(`${where} does not verify: ${error.detail}`, undefined, error)
    throw error
  }
}

function fault(
  detail: string,
  cure = 'Prepare it again with `chronym kid recover DID`, and copy the whole file.',
  cause?: unknown
): Failure {
  return new Failure('CLI-INP-001', detail, { exitCode: EXIT.usage, cure, cause })
}
