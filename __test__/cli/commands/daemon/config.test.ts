import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { cli, type CliResult } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

describe('config check', () => {
  let directory: string
  beforeEach(() => {
    directory = temporary()
  })

  function check(toml: string): Promise<CliResult> {
    const file = join(directory, 'config.toml')
    writeFileSync(file, toml)
    return cli(['config', 'check', file, '--no-json'])
  }

  it('calls a file valid that a daemon starts with', async () => {
    const { exitCode, stdout } = await check('network = "test"\n[p2p]\nbootstrap = ["/ip4/127.0.0.1/tcp/7469"]\n')
    expect(stdout).toBe(`valid: ${join(directory, 'config.toml')}\n`)
    expect(exitCode).toBe(0)
  })

  it.each(['/nonexistent/config.toml', '/'])('calls %s, which cannot be read, a wrong command line', async (file) => {
    const { exitCode, stdout, stderr } = await cli(['config', 'check', file])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/CLI-INP-001: the configuration file .* can't be read/)
    expect((await cli(['config', 'check'], { env: { CHRONYM_CONFIG: file } })).exitCode).toBe(2)
  })

  it.each([
    [
      'a network that is none',
      'network = "nosuch"',
      'network: "nosuch" is neither one of local, test, main nor a path'
    ],
    ['a profile that is none', `network = ${JSON.stringify(import.meta.filename)}`, ': it is not JSON'],
    [
      'an address of a peer that is none',
      '[p2p]\nbootstrap = ["localhost:7469"]',
      'p2p.bootstrap.0: must be a multiaddr'
    ],
    ['a kept backup that nobody could open', '[backup]\nfile = "/srv/names.age"', 'backup.recipient: is missing']
  ])('refuses %s, as the daemon does', async (_what, toml, message) => {
    const { exitCode, stdout, stderr } = await check(toml)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(message)
  })
})
