/** A checkout of an earlier build beside this one, from which networks are upgraded. */
import { execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/program.ts'
import type { Scene } from './processes.ts'

const git = (...args: string[]): string => execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' }).trim()

/**
 * A checkout that runs, with the packages and the addon of this one where they are the same. By default of the newest
 * release, else of thirty commits ago. Needs the history of the checkout.
 */
export function checkOutEarlier(
  scene: Scene,
  given = newestRelease()
): { readonly root: string; readonly title: string } {
  const commit = git('rev-parse', given)
  const root = join(scene.directory(), 'earlier')
  git('worktree', 'add', '--quiet', '--detach', root, commit)
  scene.onEnd(() => git('worktree', 'remove', '--force', root))
  const isSame = (...paths: string[]): boolean => git('diff', '--name-only', commit, 'HEAD', '--', ...paths) === ''
  const inherit = { cwd: root, stdio: 'inherit' } as const
  if (isSame('package-lock.json')) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  else execFileSync('npm', ['ci', '--ignore-scripts'], inherit)
  if (isSame('crates', 'Cargo.toml', 'Cargo.lock'))
    cpSync(join(ROOT, 'native'), join(root, 'native'), { recursive: true })
  else execFileSync(process.execPath, ['scripts/build-native.mjs'], inherit)
  return { root, title: git('log', '-1', '--format=%h %cs %s', commit) }
}

function newestRelease(): string {
  const tag = git('tag', '--sort=-creatordate').split('\n')[0]!
  return tag === '' ? 'HEAD~30' : tag
}
