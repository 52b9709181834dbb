import { expect, it } from 'vitest'
import { cli } from '../cli/harness.ts'

const KEY = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`

it.each([
  ['a secret key as recipient', ['backup', '/tmp/x.age', '--recipient', KEY], KEY],
  ['the same in lower case', ['backup', '/tmp/x.age', '--recipient', KEY.toLowerCase()], KEY.toLowerCase()],
  ['a password in an address', ['worker', '--farm', 'ftp://user:hunter2@host'], 'hunter2'],
  ['a password with a slash and an at sign', ['worker', '--farm', 'ftp://user:hun/te@r2@host'], 'hun/te']
])('no message repeats %s', async (_what, args, secret) => {
  for (const face of [['--json'], ['--no-json']]) {
    const { exitCode, stdout, stderr } = await cli([...face, ...args])
    expect(exitCode).not.toBe(0)
    expect(stdout + stderr).not.toContain(secret)
    expect(stderr).toContain('***')
  }
})

it('the rest of an address stays', async () => {
  const { stderr } = await cli(['--no-json', 'worker', '--farm', 'ftp://user:hunter2@host:1/path'])
  expect(stderr).toContain('ftp://***@host:1/path')
})
