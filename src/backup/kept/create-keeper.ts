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
import { BackupKeeper } from './keeper.ts'
import type { Config } from '../../config/config.ts'
import { ServiceError } from '../../errors.ts'
import { checkRecipient } from '../encryption.ts'
import { runApart } from '../../util/run-apart.ts'
import type { KeepRequest, KeepResult } from './kept-file.ts'

interface CreateKeeperOptions {
  readonly file: string
  readonly recipients: readonly string[]
  readonly paths: DataPaths
  readonly profile: NetworkProfile
  /** Only in a sealed directory; left out where the words are in clear. */
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
  // The file leaves tasks out.
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

export interface KeptBackup {
  readonly file: string
  readonly recipients: readonly string[]
}

/**
 * The kept backup of a whole configuration; undefined where it asks for none. Rejects with SVC-CFG-001 where one field is
 * missing or a recipient has a wrong checksum.
 */
export async function configuredBackup({
  backup: { file, recipient: recipients }
}: Pick<Config, 'backup'>): Promise<KeptBackup | undefined> {
  if (file === '' && recipients.length === 0) return undefined
  if (recipients.length === 0)
    throw invalid(
      'backup.recipient',
      'is missing, and backup.file is set: name a public key that opens the backup, as age-keygen prints it'
    )
  if (file === '')
    throw invalid('backup.file', 'is missing, and backup.recipient is set: name the file to keep up to date')
  try {
    for (const recipient of recipients) await checkRecipient(recipient)
  } catch (error) {
    throw invalid('backup.recipient', messageOf(error))
  }
  return { file, recipients }
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('SVC-CFG-001', `configuration: ${path}: ${message}`, { errors: [{ path, message }] })
}

/** What the process sends back; errors lose their class on the way. */
export type KeepAnswer =
  | { readonly ok: true; readonly value: KeepResult }
  | {
      readonly ok: false
      readonly message: string
      readonly cure: string | undefined
      readonly code: string | undefined
    }

class KeepError extends Error {
  override readonly name = 'KeepError'
  readonly cure: string | undefined
  /** The system's (`ENOSPC`), the store's (`full`) or the backup's (`occupied`), if any. */
  readonly code: string | undefined

  constructor(
    message: string,
    {
      cure,
      code,
      cause
    }: { readonly cure?: string | undefined; readonly code?: string | undefined; readonly cause?: unknown } = {}
  ) {
    super(message, { cause })
    this.cure = cure
    this.code = code
  }
}

/** {@link keepBackup} in a process of its own, off the event loop. Rejects with KeepError. */
async function keepApart({ seed = new Uint8Array(0), ...request }: KeepRequest): Promise<KeepResult> {
  const answer = await runApart<KeepAnswer>('./keep-process', import.meta.url, request, seed).catch(
    (cause: unknown) => {
      throw new KeepError(messageOf(cause), { cause })
    }
  )
  if (answer.ok) return answer.value
  throw new KeepError(answer.message, answer)
}
