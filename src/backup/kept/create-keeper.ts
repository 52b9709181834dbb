import { existsSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Logger } from '../../log.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Clock } from '../../time/clock.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { readBackupState } from '../../data-directory/seed-safety.ts'
import { keepApart } from './keep-apart.ts'
import { BackupKeeper } from './keeper.ts'

export interface CreateKeeperOptions {
  readonly file: string
  readonly recipients: readonly string[]
  readonly paths: DataPaths
  readonly profile: NetworkProfile
  /** Of a sealed directory; left out where the words are in clear. */
  readonly seed?: () => Uint8Array | undefined
  /** Whether the directory has its words in clear, or the seed is unlocked. */
  readonly isReady?: () => boolean
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly clock: Clock
}

/** The keeper of a daemon: each file is written in a process of its own. */
export function createKeeper({
  file: named,
  recipients,
  paths,
  profile,
  seed,
  isReady,
  log,
  clock
}: CreateKeeperOptions): BackupKeeper {
  const file = resolve(named)
  if (isInside(file, paths.root))
    log.warn({ file }, 'the backup is inside the data directory: it is lost with it; name another place in backup.file')
  const kept = readBackupState(paths).kept_backup
  const writtenMs = kept?.file === file ? Date.parse(kept.written_at ?? '') : NaN
  return new BackupKeeper({
    write: (isForced) => keepApart({ paths, profile, seed: seed?.(), file, recipients, nowMs: clock.now(), isForced }),
    ...(isReady !== undefined && { isReady }),
    isThere: () => existsSync(file),
    clock,
    writtenMs: Number.isNaN(writtenMs) ? undefined : writtenMs,
    onFailure: (error) =>
      log.error(
        {
          file,
          reason: messageOf(error),
          cure: (error as { cure?: string }).cure ?? `Check ${dirname(file)} and the space on its disk.`
        },
        'the backup cannot be written; it is tried again, and nothing else is affected'
      ),
    onRecovery: () => log.info({ file }, 'the backup is written again'),
    onLeftOut: (keys) => log.warn({ keys }, 'these records cannot be read, and are not in the backup')
  })
}

function isInside(file: string, directory: string): boolean {
  const way = relative(resolve(directory), file)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
