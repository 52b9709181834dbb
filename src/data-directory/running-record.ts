/** What a running daemon leaves in its data directory: the command line finds that daemon and no other. */
import { rmSync } from 'node:fs'
import * as v from 'valibot'
import type { DataPaths } from './paths.ts'
import { fileIdentity, AT_ONCE } from '../util/files.ts'
import { writePrivateFile } from './private-files.ts'
import { readTextFile } from '../util/utf8.ts'

const RunningRecordSchema = v.object({
  /** `http://host:port`, where the daemon answers. */
  api_url: v.pipe(v.string(), v.url()),
  /** Its UNIX socket, a path from the directory, where it has one. */
  api_socket: v.optional(v.string()),
  /** Random for each start; the daemon proves that it is this one. */
  instance: v.pipe(v.string(), v.uuid()),
  /** Device and inode of the directory. A copy of a live directory has others. */
  directory: v.string()
})
type RunningRecord = v.InferOutput<typeof RunningRecordSchema>

/** Durable when it returns. The record remains when the daemon is killed. */
export function writeRunningRecord(
  paths: DataPaths,
  { url, socket, instance }: { url: string; socket?: string | undefined; instance: string }
): void {
  const record: RunningRecord = {
    api_url: url,
    ...(socket === undefined ? {} : { api_socket: socket }),
    instance,
    directory: fileIdentity(paths.root)
  }
  writePrivateFile(paths.running, `${JSON.stringify(record)}\n`)
}

/** Removes the record of this daemon, and not that of another which has the place by now. Throws as the next. */
export function removeRunningRecord(paths: DataPaths, instance: string): void {
  const record = readRunningRecord(paths)
  if (typeof record === 'object' && record.instance === instance) rmSync(paths.running, { force: true })
}

/**
 * The record of the directory; `absent` when there is none, `copied` when it was made in another. Throws when it cannot
 * be read.
 */
export function readRunningRecord(paths: DataPaths): RunningRecord | 'absent' | 'copied' {
  let text: string
  try {
    text = readTextFile(paths.running, AT_ONCE)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'absent'
    throw error
  }
  const record = v.parse(RunningRecordSchema, JSON.parse(text))
  return record.directory === fileIdentity(paths.root) ? record : 'copied'
}
