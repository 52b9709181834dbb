/** Where a shell sends the output of real processes. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { cleanEnvironment } from '../../../scripts/program.ts'
import { temporary } from '../../temporary.ts'

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts')

it.each([
  ['chronym config check 2>err | cat', true],
  ['chronym config check 2>err >out', true],
  ['chronym config check --no-json 2>err | cat', false],
  ['chronym config check --json 2>err | cat', false],
  ['chronym config check 2>&1 | tee err', false],
  ['chronym config check >/dev/null 2>err', false],
  ['chronym config profile local 2>err | cat', false]
])('%s', async (line, hints) => {
  const directory = temporary()
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `chronym() { '${process.execPath}' '${MAIN}' "$@"; }\n${line}`],
    { cwd: directory, env: { ...cleanEnvironment(), HOME: directory, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '' } }
  )
  expect(readFileSync(join(directory, 'err'), 'utf8').includes('JSON needs --json')).toBe(hints)
  const out = join(directory, 'out')
  const answer = existsSync(out) ? readFileSync(out, 'utf8') : stdout
  if (!line.includes('/dev/null'))
    expect(answer.startsWith('{')).toBe(/--json|profile/u.test(line) && !line.includes('--no-json'))
})
