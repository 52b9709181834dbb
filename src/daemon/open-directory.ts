/** Opens the data directory, with the keeper of its backup, and logs what its owner should know of its keys. */
import { Holdings } from '../backup/holdings.ts'
import type { BackupKeeper } from '../backup/kept/keeper.ts'
import { createKeeper, type KeptBackup } from '../backup/kept/create-keeper.ts'
import { openDataDirectory, requireUnused, type DataDirectory } from '../data-directory/open.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { isHalfSealed, replaceSealedSeed, seedForm } from '../data-directory/seed-files.ts'
import { isSeedSafe } from '../data-directory/seed-safety.ts'
import type { Logger } from '../log.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { SeedHolder } from '../registry/seed-holder.ts'
import { withDaemon } from '../util/shell-commands.ts'
import { systemClock as clock } from '../time/clock.ts'
import type { Lifecycle } from './lifecycle.ts'
import { type PassphraseSources, seedAtStart } from './seed-service.ts'

/** The words themselves are never logged. */
const NEW_SEED =
  'this directory has a new seed, to which all its names will belong: write its 24 words down, then check them'
const UNCHECKED_SEED =
  'only this directory is known to have the seed of its names: write the 24 words down, then check them'
const LOCKED_SEED = 'the seed is locked: look-ups and squaring continue, and signatures wait until it is unlocked'
const RESEALED_SEED =
  'the passphrase file is not UTF-8: the seed is sealed again by its octets, so that no other passphrase opens it'
const HALF_SEALED =
  'the words of the seed are in clear beside the sealed ones: a passphrase change ' +
  'was cut off. Stop the daemon and run `chronym key passphrase` again'

interface OpenDirectoryParts {
  readonly paths: DataPaths
  readonly profile: NetworkProfile
  /** Undefined where the configuration asks for no backup. */
  readonly keptBackup: KeptBackup | undefined
  readonly passphrase: { readonly file: string; readonly sources: PassphraseSources }
  readonly log: Logger
  readonly life: Lifecycle
}

export interface OpenedDirectory extends DataDirectory {
  readonly seed: SeedHolder
  /** Not started yet; undefined where the configuration asks for no backup. */
  readonly keeper: BackupKeeper | undefined
  readonly holdings: Holdings
}

/** Rejects as `seedAtStart`, `requireUnused` and `openDataDirectory`. `life` closes what was opened. */
export async function openDirectory({
  paths,
  profile,
  keptBackup,
  passphrase,
  log,
  life
}: OpenDirectoryParts): Promise<OpenedDirectory> {
  let keeper: BackupKeeper | undefined
  const following: { holdings?: Holdings } = {}
  // Before anybody is asked for a passphrase in vain.
  if (seedForm(paths) === 'sealed') requireUnused(paths)
  const atStart = await seedAtStart(paths, { ...passphrase, warn: (message) => log.warn(message) })
  const directory = openDataDirectory(paths, profile, {
    unsealed: atStart?.seed,
    onSetAside: (key, reason) =>
      log.error(
        { key, reason },
        'a record of the database cannot be read; it is set aside unchanged, and nothing else is affected'
      ),
    onMigrated: (migrated) => log.info(migrated, 'the database was moved to the layout of this version, after a copy'),
    onLateFailure: (err) =>
      log.warn(
        { err },
        'what look-ups taught (owners and records seen) cannot be saved. Answers go on, and it is tried again by ' +
          'itself: free some space'
      ),
    onBefore: (operations) => following.holdings?.before(operations),
    onChange(changed) {
      following.holdings?.changed(changed)
      keeper?.changed(changed)
    }
  })
  life.onStop('store', () => directory.store.close())
  if (atStart?.resealed !== undefined) {
    replaceSealedSeed(paths, atStart.text, atStart.resealed)
    log.info(RESEALED_SEED)
  }
  const holdings = new Holdings({ paths, store: directory.store, profile, log, now: () => clock.now() })
  following.holdings = holdings
  const seed = new SeedHolder(directory.masterSeed)
  life.onStop('seed', () => seed.lock())
  if (keptBackup !== undefined)
    keeper = createKeeper({
      ...keptBackup,
      paths,
      profile,
      seed: () => (seedForm(paths) === 'sealed' ? seed.require() : undefined),
      isReady: () => !seed.isLocked,
      missing: () => holdings.missing(),
      log,
      clock
    })
  // After everything that writes has stopped.
  life.onStop('backup', () => keeper?.stop())
  life.onStop(
    'unlocking',
    seed.onUnlock(() => keeper?.resume())
  )
  if (isHalfSealed(paths)) log.warn({ clear: paths.seed, sealed: paths.sealedSeed }, HALF_SEALED)
  if (seed.isLocked) log.warn({ unlock: withDaemon('chronym unlock', { dataDir: paths.root }) }, LOCKED_SEED)
  warnOfKeys(directory, paths, log)
  return { ...directory, seed, keeper, holdings }
}

function warnOfKeys({ isSeedNew, isNodeKeyReplaced }: DataDirectory, paths: DataPaths, log: Logger): void {
  if (isNodeKeyReplaced)
    log.warn(
      { file: paths.nodeKey },
      'there was no node key: a new one is made, and peers see a new node; no name depends on it'
    )
  if (!isSeedSafe(paths))
    log.warn(
      {
        show: withDaemon('chronym key show', { dataDir: paths.root }),
        check: withDaemon('chronym key check', { dataDir: paths.root })
      },
      isSeedNew ? NEW_SEED : UNCHECKED_SEED
    )
}
