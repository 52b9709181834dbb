/** A user without a home: HOME unset, and a uid that the system's list of users lacks, as containers have. */
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporary } from '../temporary.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const UNLISTED = ['--user', '--map-user=54321', '--map-group=54321', 'env', '-i']

function run(entry: string, ...args: string[]) {
  return spawnSync('unshare', [...UNLISTED, process.execPath, join(ROOT, entry), ...args], {
    cwd: '/',
    input: '',
    encoding: 'utf8'
  })
}

it.each(['src/cli/main.ts', 'src/daemon/main.ts'])('%s needs no home for its version and its help', (entry) => {
  for (const option of ['--version', '--help']) {
    const { stdout, stderr, status } = run(entry, option)
    expect(stderr).toBe('')
    expect(stdout).not.toBe('')
    expect(status).toBe(0)
  }
})

it('runs what needs no data directory, and what names one', () => {
  const prove = run('src/cli/main.ts', 'config', 'profile', 'local')
  expect(prove.stderr).toBe('')
  expect(prove.status).toBe(0)
  const directory = temporary()
  chmodSync(directory, 0o700)
  const show = run('src/cli/main.ts', '--data-dir', directory, 'key', 'show')
  expect(show.stderr).toContain(`${directory} has no file seed-words`)
  expect(show.status).toBe(4)
})

it.each([
  ['src/cli/main.ts', ['key', 'show']],
  ['src/daemon/main.ts', []],
  ['src/cli/main.ts', ['--data-dir=~/x', 'key', 'show']]
])('%s says what to name where a home is needed', (entry, args) => {
  const { stderr, status } = run(entry, ...args)
  expect(stderr).toContain('this user has no home directory: HOME is unset')
  expect(stderr).toContain('--data-dir or CHRONYM_DATA_DIR')
  expect(stderr).not.toContain('    at ')
  expect(status).toBe(2)
})
