/** Whether this version can use the data directory, without changing it. */
import { existsSync } from 'node:fs'
import { localFields, localPaths } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { failed, type Finding } from '../findings.ts'

/** Of file and environment: what a daemon started here would read. */
export function checkConfig(context: Context): Finding {
  try {
    const set = localFields(context).filter(({ source }) => source !== 'default')
    const detail = set.length === 0 ? 'all defaults' : set.map(({ field, source }) => `${field} (${source})`).join(', ')
    return { name: 'config', state: 'ok', detail: `valid: ${detail}` }
  } catch (error) {
    return failed('config', error)
  }
}

export async function checkDirectory(context: Context): Promise<Finding> {
  const name = 'data'
  try {
    const { root, database } = localPaths(context)
    if (!existsSync(database)) return { name, state: 'ok', detail: `${root} is not used yet` }
    const { readSchemaVersion } = await import('../../store/inspect.ts')
    const { SCHEMA_VERSION } = await import('../../store/migrate.ts')
    const version = readSchemaVersion(database)
    if (version === SCHEMA_VERSION)
      return { name, state: 'ok', detail: `${root} can be read; schema ${version}, as of this version` }
    return {
      name,
      state: 'warning',
      detail: `${root} has schema ${version}, and this version writes ${SCHEMA_VERSION}`,
      cure: 'The next start of the daemon moves it forward, after a copy beside it. Make a backup first: chronym backup.'
    }
  } catch (error) {
    return failed(name, error)
  }
}
