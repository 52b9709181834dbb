import { randomBytes } from 'node:crypto'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { commitmentHash, SALT_BYTES } from '../../protocol/claim/commitment.ts'
import { nameKey } from '../../protocol/crypto/keys.ts'
import { canonicalName, parseName } from '../../protocol/name/names.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { loadProfile, networkReference } from '../profile.ts'
import { readSeed } from '../seed.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { plural, printable } from '../terminal/format.ts'
import { makeSecretDirectory, refuseExisting, secretFileOf, writeSecret, type Secret } from './secret-file.ts'

export interface CommitOptions {
  seedFile?: string
  network?: string
  file?: string
  offline?: boolean
  force?: boolean
}

/** `chronym commit NAME`: key, salt and commitment; saved before anything is sent. */
export async function runCommit(context: Context, text: string, options: CommitOptions): Promise<ExitCode> {
  const { output } = context
  const name = canonicalName(text)
  const profile = loadProfile(context, options.network)
  const hash = profileHash(profile)
  const parsed = parseName(name, profile)
  const key = nameKey(await readSeed(context, options.seedFile), hash, parsed)
  const file = options.file ?? secretFileOf(context, name)
  if (options.force !== true) refuseExisting(file)

  if (options.file === undefined) makeSecretDirectory(context)
  const salt = new Uint8Array(randomBytes(SALT_BYTES))
  const commitment = commitmentHash(name, key.publicKey, salt, hash)
  const secret: Secret = {
    version: 1,
    network: networkReference(context, options.network),
    profile_hash: toHex(hash),
    name,
    public_key: toHex(key.publicKey),
    salt: toHex(salt),
    commitment: toHex(commitment),
    pulse_round: null
  }
  writeSecret(file, secret)

  const request = { name, commitment: { hash: [...commitment] } }
  if (options.offline === true) {
    output.text(JSON.stringify(request))
    output.note(
      `secret kept in ${file}; send the body above to POST /api/commit, ` +
        `then: chronym reveal ${name} --file ${shellWord(file)}`
    )
    return EXIT.ok
  }

  // p comes `min_commit` rounds after the peers saw C, and is fixed from here on.
  const { stored_by, of, pulse_round: pulseRound } = await connect(context).commit(request)
  writeSecret(file, { ...secret, pulse_round: pulseRound })
  output.answer(
    { name, commitment: secret.commitment, secret_file: file, pulse_round: pulseRound, stored_by, of },
    () =>
      output.commands(
        [
          `commitment ${secret.commitment} held by ${stored_by} of ${plural(of, 'peer')} asked`,
          `secret kept in ${printable(file)}: without it the name can't be revealed`,
          `next: chronym reveal ${printable(name)} --file ` +
            `${shellWord(printable(file))}${pulseRound === null ? '' : ` (it waits for pulse ${pulseRound})`}`
        ].join('\n')
      )
  )
  return EXIT.ok
}
