/** Starting and stopping the real daemon, in good and in bad conditions. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { cleanEnvironment, ROOT } from '../../scripts/program.ts'
import { Daemon, runToEnd, Scene } from './processes.ts'
import { waitFor } from '../wait-for.ts'

const scene = new Scene()
afterAll(() => scene.end())

const MAIN = 'src/daemon/main.ts'
const QUIET = ['--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0']

describe('the daemon', () => {
  it('stops at SIGTERM with exit code 0, and keeps its token over a restart', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory])
    process.kill(Number(readFileSync(join(directory, 'lock.pid'), 'utf8')), 'SIGUSR1')
    expect((await daemon.request('GET', '/healthz')).status).toBe(200)
    expect(await daemon.signal('SIGTERM')).toBe(0)
    expect(daemon.logText(), 'SIGUSR1 opens no debugger').not.toContain('Debugger')
    const again = await scene.daemon(['--data-dir', directory])
    expect(again.token).toBe(daemon.token)
    expect(again.summary.peer_id).toBe(daemon.summary.peer_id)
    expect(await again.signal('SIGINT')).toBe(0)
  })

  it('lets no second one in after lock.db is deleted, and stops by itself where its directory is gone or moved', async () => {
    const [deleted, moved] = [scene.directory(), scene.directory()]
    const daemons = await Promise.all([deleted, moved].map((directory) => scene.daemon(['--data-dir', directory])))
    rmSync(join(moved, 'lock.db'))
    const second = await runToEnd(MAIN, ['--data-dir', moved, ...QUIET])
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another daemon') as string })
    rmSync(deleted, { recursive: true, maxRetries: 3 })
    renameSync(moved, `${moved}-away`)
    scene.onEnd(() => rmSync(`${moved}-away`, { recursive: true }))
    // The signal changes nothing.
    expect(await Promise.all(daemons.map((daemon) => daemon.signal('SIGCONT')))).toEqual([1, 1])
    for (const daemon of daemons) expect(daemon.logText()).toContain('was moved or deleted while the daemon uses it')
    expect(existsSync(deleted)).toBe(false)
    expect(existsSync(moved)).toBe(false)
  })

  it('stops in order when one Ctrl-C arrives twice, as it does under npm', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory])
    const first = daemon.signal('SIGINT')
    // The address file goes first of all: the stop has begun and is not over.
    await waitFor(() => expect(existsSync(join(directory, 'running.json'))).toBe(false), 2)
    expect(await Promise.all([first, daemon.signal('SIGINT')])).toEqual([0, 0])
  })

  it('stops too when only the shell that npm puts above it is signalled', async () => {
    const directory = scene.directory()
    // With a second command the shell stays above the first instead of becoming it.
    const command =
      `"${process.execPath}" scripts/run.mjs start --data-dir "${directory}" ` +
      '--port 0 --listen /ip4/127.0.0.1/tcp/0; exit $?'
    const shell = scene.child(
      spawn('sh', ['-c', command], { cwd: ROOT, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] })
    )
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    await waitFor(() => expect(output).toContain('Ctrl-C stops it.'), 50)
    expect(output).toMatch(
      /^ {2}dashboard {2}http:\/\/127\.0\.0\.1:\d+\/ {3}\(logged in: chronym --data-dir \S+ dashboard\)$/mu
    )
    // The pipe closes when the last process that holds it has ended.
    const closed = once(shell.stdout, 'close')
    shell.kill('SIGTERM')
    await closed
    expect(output).toContain('Stopped.')
    expect(existsSync(join(directory, 'running.json'))).toBe(false)
  })

  it('is found by the command line through its data directory, on whatever port it listens', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory, '--host', OWN_HOST])
    const status = await runToEnd('src/cli/main.ts', ['status', '--json', '--data-dir', directory])
    expect(status).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(status.stdout)).toMatchObject({ peer_id: daemon.summary.peer_id })
    await daemon.signal('SIGTERM')
    const after = await runToEnd('src/cli/main.ts', [
      'status',
      '--json',
      '--data-dir',
      directory,
      '--api',
      daemon.summary.api_url
    ])
    expect(after.code).toBe(3)
  })

  it('keeps its secrets in 0600 files in a 0700 directory', async () => {
    const directory = join(scene.directory(), 'data')
    const daemon = await scene.daemon(['--data-dir', directory])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(daemon.summary.token_file).mode & 0o777).toBe(0o600)
    expect(statSync(join(directory, 'seed-words')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(directory, 'seed-words'), 'utf8').trim().split(' ')).toHaveLength(24)
    await daemon.signal('SIGTERM')
  })

  it('refuses a second daemon on the same data directory and says which one has it', async () => {
    const directory = scene.directory()
    const daemon = await scene.daemon(['--data-dir', directory])
    const second = await runToEnd(MAIN, [...QUIET, '--data-dir', directory])
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/is in use by another daemon \(process \d+\)/)
    expect(second.stderr).toContain(directory)
    expect((await daemon.request('GET', '/healthz')).status).toBe(200)
    await daemon.signal('SIGKILL')
    const third = await Daemon.start(['--data-dir', directory])
    expect(await third.signal('SIGTERM')).toBe(0)
  })

  it('names a taken port and the cure', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as { port: number }
    const result = await runToEnd(MAIN, [
      '--port',
      String(port),
      '--listen',
      '/ip4/127.0.0.1/tcp/0',
      '--data-dir',
      scene.directory()
    ])
    blocker.close()
    expect(result.code).toBe(1)
    expect(result.stderr).toContain(String(port))
    expect(result.stderr).toContain('--port')
  })

  it('refuses a configuration file with an unknown field', async () => {
    const file = join(scene.directory(), 'config.toml')
    writeFileSync(file, '[api]\nprot = 1\n')
    const result = await runToEnd(MAIN, [...QUIET, '--config', file, '--data-dir', scene.directory()])
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('api.prot')
    expect(result.stderr).toContain('SVC-CFG-001')
  })

  it('refuses an unknown flag and an unknown network', async () => {
    expect((await runToEnd(MAIN, ['--prot', '1'])).code).toBe(2)
    const result = await runToEnd(MAIN, [...QUIET, '--network', 'mian', '--data-dir', scene.directory()])
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('mian')
  })
})
