import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Logger } from '../../log.ts'
import { writePrivateFile } from '../../data-directory/private-files.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Clock } from '../../time/clock.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { readBackupState } from '../../data-directory/seed-safety.ts'
import type { MissingView } from '../../views/backup.ts'
import { keepApart, KeepError } from './keep-apart.ts'
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
  /** What the database lost. Default: nothing. */
  readonly missing?: () => readonly MissingView[]
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
  missing = () => [],
  log,
  clock
}: CreateKeeperOptions): BackupKeeper {
  const file = resolve(named)
  if (isInside(file, paths.root))
    log.warn({ file }, 'the backup is inside the data directory: it is lost with it; name another place in backup.file')
  const kept = readBackupState(paths).kept_backup
  const writtenMs = kept?.file === file ? Date.parse(kept.written_at ?? '') : NaN
  if (missing().length > 0 && existsSync(file)) keepCopy(file, log)
  return new BackupKeeper({
    async write(isForced) {
      if (existsSync(file)) refuseLess(missing())
      return keepApart({ paths, profile, seed: seed?.(), file, recipients, nowMs: clock.now(), isForced })
    },
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

/** The file of before may be all that is left of them. Throws KeepError. */
function refuseLess(missing: readonly MissingView[]): void {
  // Tasks are no part of the file.
  const ids = missing.flatMap(({ what, id }) => (what === 'task' ? [] : id))
  if (ids.length === 0) return
  throw new KeepError(`the database lost ${ids.join(', ')}, and the file of before may have them`, {
    cure: 'Restore it into a new directory (docs/backup.md), or give up what is lost: `chronym adopt --forget NAME`.',
    code: 'names are missing'
  })
}

/** For later: once the names are back from the network, the file is replaced, and drafts come from nowhere else. */
function keepCopy(file: string, log: Pick<Logger, 'info' | 'warn'>): void {
  try {
    const bytes = readFileSync(file)
    // By its content, so that each start makes one copy alone.
    const copy = `${file}.before-loss-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`
    if (existsSync(copy)) return
    writePrivateFile(copy, bytes)
    log.info({ copy }, 'a copy of the backup from before the loss is kept; nothing deletes it')
  } catch (err) {
    log.warn({ err, file }, 'the backup from before the loss cannot be copied: copy it now')
  }
}

function isInside(file: string, directory: string): boolean {
  const way = relative(resolve(directory), file)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
