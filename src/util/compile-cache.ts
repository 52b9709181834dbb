/** V8's compiled code, and sources without their types, kept between runs: a start compiles only what changed. */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

const ROOT = resolve(import.meta.dirname, '../..')

/** In a checkout beside its packages; for an installed package in the user's cache directory (XDG_CACHE_HOME). */
function directory(): string {
  return existsSync(join(ROOT, 'src'))
    ? join(ROOT, 'node_modules', '.cache', 'chronym')
    : join(envPaths('chronym', { suffix: '' }).cache, 'compiled')
}

/**
 * Call it before the imports that it is for. Does nothing where the directory cannot be written to: then a start takes
 * longer. NODE_COMPILE_CACHE names another directory, NODE_DISABLE_COMPILE_CACHE=1 turns it off. Under sudo there is
 * none: code that the caller may write must not run as root, and root's files would be in the caller's way.
 */
export function keepCompiledCode(): void {
  if (process.env['SUDO_UID'] === undefined) enableCompileCache(directory())
}
