/** Which files the command line takes for the access token. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAIN_TOKEN } from '../api/helpers/world.ts'
import { DaemonScene } from '../cli/daemon-scene.ts'
import { cli } from '../cli/harness.ts'

const scene = new DaemonScene()
afterEach(() => scene.end())

describe.runIf(process.platform !== 'win32')('an access token file', () => {
  let directory: string
  let url: string
  beforeEach(async () => {
    ;({ url } = await scene.daemon())
    directory = scene.dataDirectory(url)
  })

  it.each([
    ['is too short', 'short', 0o600, /too short: 5 characters, 32 at least/, /delete the file/],
    ['is empty', '', 0o600, /too short: 0 characters/, /delete the file/],
    ['holds what no token holds', 'ä'.repeat(40), 0o600, /characters that no token has/, /put the whole token back/],
    ['can be read by others', MAIN_TOKEN, 0o644, /others can read or change .*\(mode 644\)/, /chmod 600 .*rotate/]
  ])('is refused when it %s', async (_what, content, mode, cause, cure) => {
    rmSync(join(directory, 'access_token'))
    writeFileSync(join(directory, 'access_token'), content, { mode })
    const { exitCode, stdout, stderr } = await cli(['--data-dir', directory, 'names'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' })
    expect(stderr).toMatch(/CLI-TOK-001/)
    expect(stderr).toMatch(cause)
    expect(stderr).toMatch(cure)
    expect((await cli(['--data-dir', directory, 'token'])).exitCode).toBe(5)
    expect(JSON.parse((await cli(['--data-dir', directory, 'doctor', '--json'])).stdout)).toMatchObject({
      healthy: false,
      checks: expect.arrayContaining([expect.objectContaining({ name: 'token', state: 'failed' })]) as unknown
    })
  })

  it("is refused when it is another user's, but not to root", async () => {
    const self = vi.spyOn(process, 'getuid').mockReturnValue(process.getuid!() + 4_711)
    scene.onEnd(() => self.mockRestore())
    const { exitCode, stderr } = await cli(['--data-dir', directory, 'names'])
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/belongs to another user \(uid \d+\)[^]*cure: Run this as the user that runs the daemon/)
    self.mockReturnValue(0)
    expect((await cli(['--data-dir', directory, 'names'])).exitCode).toBe(0)
  })

  it('that is missing leaves nothing to check the daemon by', async () => {
    rmSync(join(directory, 'access_token'))
    expect((await cli(['--data-dir', directory, 'names'])).stderr).toMatch(/cannot prove itself[^]*Restart the daemon/)
  })
})
