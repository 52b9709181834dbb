/** V8's compiled code, and sources without their types, kept between runs: a start compiles only what changed. */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { PathError, userDirectory } from './user-paths.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * In a checkout beside its packages; for an installed package in the user's cache directory (XDG_CACHE_HOME), of which
 * a user without a home has none.
 */
function directory(): string | undefined {
  if (existsSync(join(ROOT, 'src'))) return join(ROOT, 'node_modules', '.cache', 'chronym')
  try {
    return join(userDirectory('cache'), 'compiled')
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
}

/**
 * Call it before the imports that it is for. Does nothing where the directory cannot be written to: then a start takes
 * longer. NODE_COMPILE_CACHE names another directory, NODE_DISABLE_COMPILE_CACHE=1 turns it off. Under sudo there is
 * none: code that the caller may write must not run as root, and root's files would be in the caller's way.
 */
export function keepCompiledCode(): void {
  if (process.env['SUDO_UID'] !== undefined) return
  const place = directory()
  if (place !== undefined) enableCompileCache(place)
}
