/** A real daemon, its directory, and the command line as processes. */
import { once } from 'node:events'
import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runToEnd, Scene } from './processes.ts'

const CLI = 'src/cli/main.ts'
const QUIET = ['--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0', '--log-level', 'error']

const scene = new Scene()
afterEach(() => scene.end())

describe('the daemon of a directory', () => {
  it('is not reached by way of a copy of that directory', async () => {
    const directory = scene.directory()
    await scene.daemon(['--data-dir', directory])
    const copy = join(scene.directory(), 'copy')
    cpSync(directory, copy, { recursive: true })
    expect(await runToEnd(CLI, ['--data-dir', directory, 'names'])).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(await runToEnd(CLI, ['--data-dir', copy, 'names'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('it is a copy') as string
    })
  })

  it('is gone after a kill -9, and a program that takes its port gets no token', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory])
    await daemon.signal('SIGKILL')
    const seen: string[] = []
    const impostor = createServer((request, response) => {
      seen.push(`${request.url} ${request.rawHeaders.join(' ')}`)
      response.end('[]')
    })
    scene.onEnd(() => impostor.close())
    impostor.listen(Number(new URL(daemon.summary.api_url).port), '127.0.0.1')
    await once(impostor, 'listening')
    for (const command of ['names', 'status', 'tasks'])
      expect(await runToEnd(CLI, ['--data-dir', directory, command])).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('CLI-NET-003') as string
      })
    expect((await runToEnd(CLI, ['--data-dir', directory, 'doctor'])).code).toBe(1)
    expect(seen).toHaveLength(4)
    expect(seen.join('\n').toLowerCase()).not.toContain('authorization')
  })

  it('forgets for good what config unset takes back', async () => {
    const directory = scene.directory()
    const args = ['--data-dir', directory]
    const first = await scene.daemon(args)
    await runToEnd(CLI, [...args, 'config', 'set', 'mode=light', 'vdf.queue=5'])
    expect(JSON.parse((await runToEnd(CLI, [...args, 'config', 'unset', 'mode'])).stdout)).toMatchObject({
      mode: 'full',
      vdf: { queue: 5 }
    })
    await first.signal('SIGTERM')
    await scene.daemon(args)
    expect(JSON.parse((await runToEnd(CLI, [...args, 'config', 'get'])).stdout)).toMatchObject({
      mode: 'full',
      vdf: { queue: 5 }
    })
  })

  it('does not start with a token that others can read, or that can be guessed', async () => {
    const directory = scene.directory()
    const token = join(directory, 'access_token')
    writeFileSync(token, 'short\n', { mode: 0o600 })
    const start = () => runToEnd('src/daemon/main.ts', [...QUIET, '--data-dir', directory])
    expect(await start()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/too short: 5 characters.*delete the file/) as string
    })
    writeFileSync(token, `${'a'.repeat(43)}\n`)
    chmodSync(token, 0o640)
    expect(await start()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/mode 640.*chmod 600/) as string
    })
  })

  it('warns of plain text when it listens beyond this machine', async () => {
    const daemon = await scene.daemon(['--data-dir', scene.directory(), '--host', '0.0.0.0'])
    expect(daemon.logText()).toMatch(/beyond this machine \(0\.0\.0\.0\) without encryption/)
    expect((await runToEnd(CLI, ['--data-dir', daemon.summary.data_dir, 'names'])).code).toBe(0)
  })
})
