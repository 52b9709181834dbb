import { sealSeed } from '../../backup/sealed-seed.ts'
import { requireUnused, sealOwnerSeed, unsealOwnerSeed } from '../../data-directory/open.ts'
import { loadProfile } from '../../config/network-profile.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { usageFailure } from '../failures/failure.ts'
import { newPassphrase } from '../input/secret.ts'
import { localConfig, localPaths } from '../connection/location.ts'
import { requireOwnSeed } from './own-seed.ts'

export interface PassphraseOptions {
  remove?: boolean
  passphraseFile?: string
  seedPassphraseFile?: string
}

/**
 * `chronym key passphrase`: seals the seed, changes its passphrase, or takes it off. Only while no daemon uses the
 * directory.
 */
export async function setPassphrase(
  context: Context,
  { remove, passphraseFile, seedPassphraseFile }: PassphraseOptions
): Promise<ExitCode> {
  if (remove === true && passphraseFile !== undefined)
    throw usageFailure(
      '--remove takes no new passphrase',
      'The present one comes from --seed-passphrase-file, or is asked for.'
    )
  if (passphraseFile === '-' && seedPassphraseFile === '-')
    throw usageFailure('only one passphrase can come from standard input')
  const paths = localPaths(context)
  const profile = loadProfile(localConfig(context).network)
  // Before anybody is asked for anything; it is checked again with the change.
  requireUnused(paths)
  const { seed, sealed: before } = await requireOwnSeed(context, paths, seedPassphraseFile)
  if (remove === true) {
    unsealOwnerSeed(paths, profile, { seed, before })
    context.output.answer({ sealed: false, changed: before !== undefined, data_dir: paths.root }, () =>
      before === undefined
        ? `The seed of ${paths.root} has no passphrase.`
        : `The seed of ${paths.root} has no passphrase any more: ${paths.seed} holds its words in clear.`
    )
    return EXIT.ok
  }
  const passphrase = await newPassphrase(context, passphraseFile, {
    question: before === undefined ? 'Passphrase for the seed' : 'New passphrase for the seed',
    cure: 'Give --passphrase-file FILE.'
  })
  sealOwnerSeed(paths, profile, { seed, sealed: await sealSeed(seed, passphrase), before })
  context.output.answer({ sealed: true, changed: before !== undefined, data_dir: paths.root }, () =>
    before === undefined
      ? `This passphrase now protects the seed of ${paths.root}: ${paths.sealedSeed}`
      : `The passphrase is changed: ${paths.sealedSeed}`
  )
  context.output.note(
    'Nobody can recover the passphrase: keep it, and the 24 words on paper. Earlier copies of the ' +
      'directory still hold the words as they were.'
  )
  return EXIT.ok
}
