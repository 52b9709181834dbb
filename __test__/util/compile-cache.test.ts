import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporary } from '../temporary.ts'

const ROOT = resolve(import.meta.dirname, '../..')

describe('what Node compiles', () => {
  let directory: string
  beforeEach(() => {
    directory = temporary()
  })

  /** The cache's folder, as a package in `directory` uses it, or a checkout there; empty for none. */
  function folderOf(sources: 'src' | 'dist', env: Record<string, string>): string {
    const folder = join(directory, 'package', sources, 'util')
    for (const file of ['compile-cache.ts', 'user-paths.ts']) cpSync(join(ROOT, 'src/util', file), join(folder, file))
    const path = join(folder, 'compile-cache.ts')
    const script =
      `(await import(${JSON.stringify(path)})).keepCompiledCode();` +
      "process.stdout.write((await import('node:module')).getCompileCacheDir() ?? '')"
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8'
    })
    expect(stderr).toBe('')
    return stdout
  }

  it('is kept by a checkout beside its packages', () => {
    expect(folderOf('src', {})).toContain(join(directory, 'package/node_modules/.cache/chronym'))
  })

  it.skipIf(process.platform !== 'linux')('is kept by a package in the cache directory of its user', () => {
    expect(folderOf('dist', { XDG_CACHE_HOME: directory })).toContain(join(directory, 'chronym/compiled'))
    expect(folderOf('dist', { HOME: directory })).toContain(join(directory, '.cache/chronym/compiled'))
  })

  it('is not kept where that directory cannot be written to, nor under sudo, without a word', () => {
    expect(folderOf('dist', { XDG_CACHE_HOME: '/dev/null', HOME: '/dev/null' })).toBe('')
    expect(folderOf('dist', { XDG_CACHE_HOME: directory, SUDO_UID: '1000' })).toBe('')
    expect(folderOf('dist', { HOME: '' })).toBe('')
    expect(folderOf('dist', { HOME: directory, XDG_CACHE_HOME: 'cache' })).toBe('')
  })
})

describe.each(['src/cli/main.ts', 'src/daemon/main.ts'])('%s', (entry) => {
  it('starts from what an earlier start compiled, and loads no encryption that few use', () => {
    const list =
      "import { registerHooks } from 'node:module';" +
      "registerHooks({ load(url, context, next) { process._rawDebug('load ' + url); return next(url, context) } })"
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(list)}`]
    const start = (debug: Record<string, string>, args: readonly string[]): string =>
      spawnSync(process.execPath, [...args, join(ROOT, entry), '--version'], {
        env: { PATH: process.env['PATH'], ...debug },
        encoding: 'utf8'
      }).stderr
    const loaded = start({}, preload)
    expect(loaded).toContain('node_modules/valibot/')
    expect(loaded).not.toContain('node_modules/age-encryption/')
    // Node's own words on each file: whether the cache had it.
    expect(start({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, [])).toMatch(/valibot.* was accepted/)
  })
})
