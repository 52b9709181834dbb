/**
 * Settings that earlier releases had. A file, a variable, a flag or a change at run time may still have one: it is left
 * out with a warning, so that the daemon starts after an upgrade.
 */
import { type PartialConfig, readPath, removePath, spellings } from './dotted-path.ts'

interface RemovedSetting {
  readonly path: string
  readonly flag: string
  readonly env: string
  /** The value that holds now, and what to do instead: after "the setting was removed: ". */
  readonly now: string
}

/** `short` as the setting had it in CONFIG_FIELDS. */
const removed = (path: string, now: string, short?: string): RemovedSetting => ({
  path,
  now,
  ...spellings(path, short)
})

export const REMOVED_SETTINGS: readonly RemovedSetting[] = [
  removed(
    'vdf.farm_verify_minutes',
    'it is 0 now, so checkpoints of workers are trusted until the proof; let only your own machines work'
  ),
  removed(
    'backup.list_in',
    'it is "none" now, so no zone gets a list of your names any longer; keep a backup file (backup.file)'
  ),
  removed('dns.answer_thin', 'it is true now, so what fewer peers than a quorum say is answered without a signature'),
  removed(
    'dns.ad_needs_pin',
    'it is true now, so AD needs a firm pin on the owner; pin an owner at once by the check code: ' +
      'chronym pins add NAME CODE'
  ),
  removed(
    'vdf.proving_threads',
    'it is one more than vdf.threads now, and at most the number of processors; lower vdf.threads for fewer'
  ),
  removed(
    'api.socket',
    'it is "api.sock" in the data directory now, for its owner alone; let programs that used another path ask there'
  )
]

export type Warn = (warning: string) => unknown

/** The setting at a path, or the first of a section. */
export function removedSetting(path: string): RemovedSetting | undefined {
  return REMOVED_SETTINGS.find((setting) => `${setting.path}.`.startsWith(`${path}.`))
}

/** `where` names the source. */
export function removedWarning({ path, now }: RemovedSetting, where: string): string {
  return `${where}: ${path} has no effect, the setting was removed: ${now}. Take it out there`
}

/** Leaves them out of a configuration that was just read. */
export function leaveOutRemoved(config: PartialConfig, where: string, warn: Warn): void {
  for (const setting of REMOVED_SETTINGS) {
    if (readPath(config, setting.path) === undefined) continue
    warn(removedWarning(setting, where))
    removePath(config, setting.path)
  }
}
