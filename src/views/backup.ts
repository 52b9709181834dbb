import * as v from 'valibot'
import { component, CountSchema, TimeSchema } from './common.ts'

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

const MissingSchema = v.object({
  what: v.picklist(['name', 'identity', 'task']),
  id: v.pipe(v.string(), v.description('A name or a DID; of a task: its name')),
  detail: v.pipe(v.string(), v.description('In plain words'))
})
/** Something that the database had once, and lacks since. */
export type MissingView = v.InferOutput<typeof MissingSchema>

export const BackupSchema = component('Backup', {
  kept: v.pipe(v.nullable(KeptSchema), v.description('Null where the configuration names no `backup.file`')),
  missing: v.pipe(
    v.array(MissingSchema),
    v.description(
      'What the database lost: it was deleted, replaced or damaged. Each is gone from here once it is back, or ' +
        'after `DELETE /api/wanted/{id}`'
    )
  )
})
/** The backups that the daemon keeps up to date (docs/backup.md). */
export type BackupView = v.InferOutput<typeof BackupSchema>
