import type { BackupKeeper } from '../backup/kept/keeper.ts'
import type { BackupView } from '../views/backup.ts'

/** `file`: of `backup.file`. Without a keeper the configuration names none. */
export function backupView(keeper: Pick<BackupKeeper, 'status'> | undefined, file: string): Pick<BackupView, 'kept'> {
  if (keeper === undefined) return { kept: null }
  const { state, writtenMs, isPending, failures, reason } = keeper.status()
  return {
    kept: {
      file,
      state,
      written_at: writtenMs === undefined ? null : new Date(writtenMs).toISOString(),
      pending: isPending,
      failures,
      reason: reason ?? null
    }
  }
}
