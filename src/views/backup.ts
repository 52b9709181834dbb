import * as v from 'valibot'
import { CountSchema, TimeSchema } from './common.ts'

const KeptSchema = v.object({
  file: v.pipe(v.string(), v.description('`backup.file`')),
  state: v.pipe(
    v.picklist(['kept', 'failing', 'missing', 'waiting']),
    v.description(
      '`failing`: the last attempt failed. `missing`: nothing is at its place. `waiting`: for the seed to be unlocked'
    )
  ),
  written_at: v.pipe(v.nullable(TimeSchema), v.description('Null before the first time')),
  pending: v.pipe(v.boolean(), v.description('Changes are not in the file yet')),
  failures: v.pipe(CountSchema, v.description('Since the start')),
  reason: v.pipe(v.nullable(v.string()), v.description('Short cause of the last failure, such as ENOSPC'))
})

export const BackupSchema = v.pipe(
  v.object({
    kept: v.pipe(v.nullable(KeptSchema), v.description('Null where the configuration names no `backup.file`'))
  }),
  v.metadata({ ref: 'Backup' })
)
/** The backup that the daemon keeps up to date (docs/backup.md). */
export type BackupView = v.InferOutput<typeof BackupSchema>
