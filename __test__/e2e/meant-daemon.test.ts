/** A real daemon, its directory, and the command line as processes. */
import { once } from 'node:events'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { waitFor } from '../wait-for.ts'
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
    cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    expect(await runToEnd(CLI, ['--json', '--data-dir', directory, 'names'])).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(await runToEnd(CLI, ['--data-dir', copy, 'names'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('it is a copy') as string
    })
  })

  it('is gone after a kill -9, and a program that takes its port gets no token', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory, '--host', OWN_HOST])
    await daemon.signal('SIGKILL')
    const seen: string[] = []
    const impostor = createServer((request, response) => {
      seen.push(`${request.url} ${request.rawHeaders.join(' ')}`)
      response.end('[]')
    })
    scene.onEnd(() => impostor.close())
    impostor.listen(Number(new URL(daemon.summary.api_url).port), OWN_HOST)
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
    // The next start replaces the socket that nobody answers any more.
    await scene.daemon(['--data-dir', directory])
    expect(JSON.parse(readFileSync(join(directory, 'running.json'), 'utf8'))).toMatchObject({ api_socket: 'api.sock' })
    expect(await runToEnd(CLI, ['--json', '--data-dir', directory, 'names'])).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  it('answers by its socket while narrow tokens hold all places of its port', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory])
    const narrowToken = async () => {
      const asking = request({
        socketPath: join(directory, 'api.sock'),
        method: 'POST',
        path: '/api/tokens',
        headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' }
      }).end('{"scopes":["read"]}')
      const [answer] = (await once(asking, 'response')) as [NodeJS.ReadableStream]
      return ((await json(answer)) as { token: string }).token
    }
    const port = Number(new URL(daemon.summary.api_url).port)
    const stream = async (token: string) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      scene.onEnd(() => socket.destroy())
      socket.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 200')
      return socket.resume()
    }
    const streams: Socket[] = []
    for (let count = 0; count < 10; count++) {
      const token = await narrowToken()
      streams.push(...(await Promise.all(Array.from({ length: 100 }, () => stream(token)))))
    }
    const closed = () => streams.filter((socket) => socket.closed).length
    expect(await runToEnd(CLI, ['--json', '--data-dir', directory, 'status'])).toMatchObject({ code: 0, stderr: '' })
    expect(closed()).toBe(0)
    // By the port a place must be made first.
    expect((await daemon.request('GET', '/api/names')).status).toBe(200)
    await waitFor(() => expect(closed()).toBe(1))
  })

  it('forgets for good what config unset takes back', async () => {
    const directory = scene.directory()
    const args = ['--data-dir', directory]
    const chronym = (...words: string[]) => runToEnd(CLI, [...args, '--json', ...words])
    const first = await scene.daemon(args)
    await chronym('config', 'set', 'mode=light', 'vdf.queue=5')
    expect(JSON.parse((await chronym('config', 'unset', 'mode')).stdout)).toMatchObject({
      mode: 'auto',
      vdf: { queue: 5 }
    })
    await first.signal('SIGTERM')
    await scene.daemon(args)
    expect(JSON.parse((await chronym('config', 'get')).stdout)).toMatchObject({
      mode: 'auto',
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
