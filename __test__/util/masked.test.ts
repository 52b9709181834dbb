import { expect, it } from 'vitest'
import { cli } from '../cli/harness.ts'

const KEY = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`

it.each([
  ['a secret key as recipient', ['backup', '/tmp/x.age', '--recipient', KEY], KEY],
  ['the same in lower case', ['backup', '/tmp/x.age', '--recipient', KEY.toLowerCase()], KEY.toLowerCase()],
  ['a password in an address', ['--api', 'ftp://user:hunter2@host', 'status'], 'hunter2'],
  ['a password with a slash and an at sign', ['--api', 'ftp://user:hun/te@r2@host', 'status'], 'hun/te']
])('no message repeats %s', async (_what, args, secret) => {
  for (const face of [['--json'], ['--no-json']]) {
    const { exitCode, stdout, stderr } = await cli([...face, ...args])
    expect(exitCode).not.toBe(0)
    expect(stdout + stderr).not.toContain(secret)
    expect(stderr).toContain('***')
  }
})

it('the rest of an address stays', async () => {
  expect((await cli(['--no-json', '--api', 'ftp://user:hunter2@host:1/path', 'status'])).stderr).toContain(
    'ftp://***@host:1/path'
  )
})
