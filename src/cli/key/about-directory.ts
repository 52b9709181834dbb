import { readRunningRecord } from '../../data-directory/running-record.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { prefixes } from '../../store/keys.ts'
import { readSnapshot } from '../../store/inspect.ts'
import { StoreError } from '../../store/types.ts'
import { plural } from '../terminal/format.ts'

/** Says whose seed it is, for a person in the wrong directory: "the daemon of DIR, at http://..., with 2 names". */
export function aboutDirectory(paths: DataPaths, names = countNames(paths)): string {
  const held = names === undefined ? '' : `, with ${names === 0 ? 'no names' : plural(names, 'name')}`
  return `the daemon of ${paths.root}, ${whereItRuns(paths)}${held}`
}

/** The address is that of its last start; after a crash nothing answers there. */
function whereItRuns(paths: DataPaths): string {
  try {
    const record = readRunningRecord(paths)
    return typeof record === 'string' ? 'which does not run' : `at ${record.api_url}`
  } catch {
    return 'whose address is unknown'
  }
}

/** Undefined where the database cannot be read. */
function countNames(paths: DataPaths): number | undefined {
  try {
    return readSnapshot(paths.database, [prefixes.ownedNames]).size
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}
