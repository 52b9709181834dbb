/**
 * Which daemon the command line talks to: real servers on loopback, among them programs that only pass for the daemon.
 */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { proofKey, proofOf } from '../../../src/api/daemon-proof.ts'
import { INSTANCE, MAIN_TOKEN, SEED_PASSPHRASE } from '../../api/helpers/world.ts'
import { cli, type CliResult, words } from '../harness.ts'
import { DaemonScene, type Impostor } from '../daemon-scene.ts'

const scene = new DaemonScene()
afterEach(() => scene.end())
const dataDirectory = scene.dataDirectory.bind(scene)
const daemon = scene.daemon.bind(scene)
const impostor = scene.impostor.bind(scene)
const relay = scene.relay.bind(scene)
const temporary = scene.temporary.bind(scene)

function expectNoToken({ seen }: Impostor): void {
  expect(seen.join('\n')).not.toContain(MAIN_TOKEN)
  expect(seen.join('\n').toLowerCase()).not.toContain('authorization')
}

function expectOtherDaemon({ exitCode, stdout, stderr }: CliResult, code: string, cause: RegExp): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
  expect(stderr).toContain(code)
  expect(stderr).toMatch(cause)
  expect(stderr).toMatch(/cure: .*--data-dir.*--api/)
}

describe('the daemon of a data directory', () => {
  it('gets the token and answers', async () => {
    const { url } = await daemon()
    expect(await cli(['--json', '--data-dir', dataDirectory(url), 'names'])).toMatchObject({
      exitCode: 0,
      stdout: '[]\n'
    })
    expect(await cli(['--json', 'names'], { env: { CHRONYM_DATA_DIR: dataDirectory(url) } })).toMatchObject({
      exitCode: 0,
      stdout: '[]\n'
    })
  })

  it('is asked by its UNIX socket first, by its port where nobody answers there, and by an address that is named', async () => {
    const socket = join(temporary(), 'api.sock')
    const nobody = 'http://127.0.0.1:1'
    const { url } = await daemon(socket)
    const bySocket = dataDirectory(nobody, { socket })
    expect(await cli(['--json', '--data-dir', bySocket, 'names'])).toMatchObject({ exitCode: 0, stdout: '[]\n' })
    expect((await cli(['--data-dir', dataDirectory(url, { socket: 'gone.sock' }), 'names'])).exitCode).toBe(0)
    const other = await cli(['--data-dir', dataDirectory(nobody, { socket, instance: crypto.randomUUID() }), 'names'])
    expectOtherDaemon(other, 'CLI-NET-003', /not this one/)
    const foreign = dataDirectory(nobody, { socket, token: 'of-another-daemon-0123456789abcdefgh' })
    expectOtherDaemon(await cli(['--data-dir', foreign, 'names']), 'CLI-NET-003', /another token/)
    expect((await cli(['--data-dir', bySocket, '--api', nobody, 'names'])).exitCode).toBe(3)
  })

  it('gets a token that was given instead of its own', async () => {
    const { url, world } = await daemon()
    const { token } = world.services.tokens.create(['vdf'])
    expect((await cli(['--data-dir', dataDirectory(url), '--token', token, 'names'])).stderr).toContain('SVC-AUT-002')
  })

  it('is asked without a token where a stranger would ask', async () => {
    const { url, world } = await daemon()
    world.node.tasks.create({ name: 'alice.chronym', kind: 'register' })
    world.node.registry.saveZone('alice.chronym', { records: {} })
    const directory = dataDirectory(url)
    expect((await cli(['--data-dir', directory, 'zone', 'get', 'alice.chronym'])).exitCode).toBe(0)
    expect((await cli(['--data-dir', directory, 'zone', 'get', '--public', 'alice.chronym'])).exitCode).toBe(4)
  })

  it('is watched for longer than its proof may take', async () => {
    const proof = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(proof.signal)
    scene.onEnd(() => timeout.mockRestore())
    const { url, world } = await daemon()
    const change = world.scriptTask()
    const watching = cli(['--json', '--data-dir', dataDirectory(url), 'status', '--watch', 'task-1'])
    await expect.poll(world.openStreams).toBe(1)
    proof.abort()
    change('completed', { status: 'completed', phase: 'done' })
    expect((await watching).stdout).toContain('"event":"completed"')
    expect(world.logged.filter(({ route }) => String(route).endsWith('/events'))).toHaveLength(1)
  })

  it('is asked although CHRONYM_API names another', async () => {
    const [{ url }, other] = [await daemon(), await impostor()]
    expect((await cli(['--data-dir', dataDirectory(url), 'names'], { env: { CHRONYM_API: other.url } })).exitCode).toBe(
      0
    )
    expect(other.seen).toEqual([])
  })

  it('is not replaced by another that runs elsewhere', async () => {
    const { port, world } = await daemon()
    const wrong = join(temporary(), 'wrong')
    expectOtherDaemon(
      await cli(['--data-dir', wrong, 'names'], { env: { CHRONYM_PORT: String(port) } }),
      'CLI-NET-001',
      /no daemon runs on .*wrong, which does not exist/
    )
    writeFileSync(wrong, '')
    expectOtherDaemon(
      await cli(['--data-dir', wrong, 'names'], { env: { CHRONYM_PORT: String(port) } }),
      'CLI-NET-001',
      /no daemon runs on .*wrong, which is not a directory/
    )
    expectOtherDaemon(
      await cli(['--data-dir', dataDirectory(), 'names'], { env: { CHRONYM_PORT: String(port) } }),
      'CLI-NET-001',
      /no daemon runs on/
    )
    expectOtherDaemon(
      await cli(['status'], { env: { CHRONYM_PORT: String(port), CHRONYM_DATA_DIR: wrong } }),
      'CLI-NET-001',
      /no daemon runs on/
    )
    expect(world.logged).toEqual([])
  })

  it('is not looked for in a copy of its directory', async () => {
    const { url, world } = await daemon()
    const copy = join(temporary(), 'copy')
    cpSync(dataDirectory(url), copy, { recursive: true })
    expectOtherDaemon(await cli(['--data-dir', copy, 'names']), 'CLI-NET-001', /it is a copy/)
    expect(world.logged).toEqual([])
  })

  it('is known to be gone after a kill, though its record is left', async () => {
    const gone = await daemon(undefined, OWN_HOST)
    const directory = dataDirectory(gone.url)
    await gone.close()
    expectOtherDaemon(
      await cli(['--data-dir', directory, 'names']),
      'CLI-NET-001',
      /nothing answers at http.*running\.json names \(ECONNREFUSED\)/
    )
  })

  it('is not the one of a copy, which has the same token and took its port', async () => {
    const { url } = await daemon()
    const directory = dataDirectory(url, { instance: 'a53f1c9a-520d-4e0f-9a53-3f1c9a520d0e' })
    expectOtherDaemon(await cli(['--data-dir', directory, 'names']), 'CLI-NET-003', /same token, but not this one/)
  })

  it('must have written a record that can be read', async () => {
    const directory = dataDirectory()
    writeFileSync(join(directory, 'running.json'), '{')
    expect(await cli(['--data-dir', directory, 'names'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/running\.json cannot be used.*\n.*restart the daemon/) as string
    })
  })
})

describe('a program that passes for the daemon', () => {
  it.each([['names'], ['status'], ['resolve', 'alice.chronym'], ['config', 'set', 'mode=light'], ['token', 'rotate']])(
    'gets no token and no word for it from %s',
    async (...args) => {
      const other = await impostor()
      expectOtherDaemon(await cli(['--data-dir', dataDirectory(other.url), ...args]), 'CLI-NET-003', /does not prove/)
      expect(other.seen).toHaveLength(1)
      expectNoToken(other)
    }
  )

  it('gets none on the address of the configuration', async () => {
    const other = await impostor()
    const env = { CHRONYM_PORT: String(other.port), CHRONYM_DATA_DIR: dataDirectory() }
    for (const args of [['names'], ['doctor']])
      expect((await cli(args, { env })).exitCode).toBe(args[0] === 'doctor' ? 1 : 3)
    expect(other.seen).toEqual([])
  })

  it('gets none by relaying the challenge to the daemon', async () => {
    const { port } = await daemon()
    const other = await relay(port)
    expectOtherDaemon(await cli(['--data-dir', dataDirectory(other.url), 'names']), 'CLI-NET-003', /HTTP 421/)
    expectNoToken(other)
  })

  it('gets none by relaying it with the address of the daemon', async () => {
    const { port } = await daemon()
    const other = await relay(port, (text) => text.replace(/(?<=address=127\.0\.0\.1%3A)\d+/, String(port)))
    expectOtherDaemon(await cli(['--data-dir', dataDirectory(other.url), 'names']), 'CLI-NET-003', /another address/)
    expectNoToken(other)
  })

  it('gets none by an answer that has no end, or is not a proof', async () => {
    for (const body of [
      'x'.repeat(100_000),
      '{"instance":7}',
      JSON.stringify({ instance: INSTANCE, proof: 'ab'.repeat(32) })
    ]) {
      const other = await impostor((_request, response) => response.end(body))
      expectOtherDaemon(await cli(['--data-dir', dataDirectory(other.url), 'names']), 'CLI-NET-003', /does not prove/)
      expectNoToken(other)
    }
  })

  it('gets none by silence', async () => {
    const patience = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal)
    scene.onEnd(() => timeout.mockRestore())
    const other = await impostor(() => patience.abort())
    expectOtherDaemon(
      await cli(['--data-dir', dataDirectory(other.url), 'names']),
      'CLI-NET-003',
      /does not answer the challenge within 10 s; it got no token$/m
    )
    expect(
      (await cli(['--api', 'https://127.0.0.1:1', 'names'], { env: { CHRONYM_DATA_DIR: dataDirectory() } })).exitCode
    ).toBe(3)
    expectNoToken(other)
  })

  it('gets none on a second connection, when the one that was proved ends', async () => {
    const other: Impostor = await impostor((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://x')
      const statement = { nonce: searchParams.get('nonce')!, instance: INSTANCE, address: searchParams.get('address')! }
      response.setHeader('Connection', 'close')
      response.end(JSON.stringify({ instance: INSTANCE, proof: proofOf(proofKey(MAIN_TOKEN), statement) }))
    })
    expect((await cli(['--data-dir', dataDirectory(other.url), 'names'])).exitCode).toBe(3)
    expect(other.seen).toHaveLength(1)
    expectNoToken(other)
  })

  it('gets none from a watch that connects again after the daemon went', async () => {
    const gone = await daemon(undefined, OWN_HOST)
    const { url, port, world } = gone
    world.scriptTask()
    const interruption = new AbortController()
    const watching = cli(['--data-dir', dataDirectory(url), 'status', '--watch', 'task-1'], {
      signal: interruption.signal
    })
    await expect.poll(world.openStreams).toBe(1)
    await gone.close()
    const asked = Promise.withResolvers<unknown>()
    const other = await impostor(
      (_request, response) => {
        asked.resolve(undefined)
        response.end('[]')
      },
      port,
      OWN_HOST
    )
    await asked.promise
    interruption.abort()
    expect((await watching).exitCode).toBe(130)
    expectNoToken(other)
  })
})

describe('an address that is named', () => {
  it('gets the token of the directory when its daemon is there, under any of its names', async () => {
    const { url, port } = await daemon()
    const env = { CHRONYM_DATA_DIR: dataDirectory() }
    for (const api of [url, `http://localhost:${port}/`])
      expect(await cli(['--json', '--api', api, 'names'], { env })).toMatchObject({ exitCode: 0, stdout: '[]\n' })
    expect((await cli(['names'], { env: { ...env, CHRONYM_API: url } })).exitCode).toBe(0)
  })

  it('is asked without a token otherwise, which is said once', async () => {
    const { url } = await daemon()
    const env = { CHRONYM_DATA_DIR: dataDirectory(undefined, { token: 'of-another-daemon-0123456789abcdefgh' }) }
    const status = await cli(['--api', url, 'status'], { env })
    expect(status.exitCode).toBe(0)
    expect(status.stderr.match(/asking without a token/g)).toHaveLength(1)
    expect((await cli(['--api', url, 'names'], { env })).exitCode).toBe(5)
    const other = await impostor()
    await cli(['--json', '--api', other.url, 'names'], { env: { CHRONYM_DATA_DIR: dataDirectory() } })
    expect(other.seen).toHaveLength(2)
    expectNoToken(other)
  })

  it('must be that of the data directory when both are named', async () => {
    const { url } = await daemon()
    expect((await cli(['--api', url, '--data-dir', dataDirectory(), 'names'])).exitCode).toBe(0)
    const other = await impostor()
    const { exitCode, stderr } = await cli(['--api', other.url, '--data-dir', dataDirectory(), 'status'])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/CLI-NET-003[^]*omit --api[^]*omit --data-dir/)
    expectNoToken(other)
  })

  it('gets a token that was given with it, with a warning where that travels in plain text', async () => {
    const { url } = await daemon()
    const near = await cli(['--api', url, '--token', MAIN_TOKEN, 'names'])
    expect(near).toMatchObject({ exitCode: 0, stderr: '' })
    const far = await cli(['--api', 'http://192.0.2.1.invalid', '--token', MAIN_TOKEN, 'names'])
    expect(far.stderr).toMatch(/warning: the token goes to 192\.0\.2\.1\.invalid in plain text/)
  })
})

describe('the passphrase of the seed', () => {
  const passphraseFile = (): string => {
    const file = join(temporary(), 'passphrase')
    writeFileSync(file, SEED_PASSPHRASE)
    return file
  }

  it('goes to the daemon of the directory, or to an address that proves to hold the token given', async () => {
    const { url, world } = await daemon()
    world.services.seed.lock()
    const args = ['unlock', '--passphrase-file', passphraseFile()]
    expect(await cli(['--json', '--data-dir', dataDirectory(url), ...args])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"unlocked"') as string
    })
    world.services.seed.lock()
    expect(await cli(['--api', url, '--token', MAIN_TOKEN, ...args])).toMatchObject({ exitCode: 0 })
    expect(await cli(['--api', url, '--token', MAIN_TOKEN, ...args])).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await cli(['--api', url, '--token', MAIN_TOKEN, 'lock'])).exitCode).toBe(0)
    expect(world.services.seed.view().state).toBe('locked')
  })

  it('goes to nobody else, though a token for that address was given', async () => {
    const thief = await impostor()
    const { exitCode, stdout } = await cli(
      words`--api ${thief.url} --token ${MAIN_TOKEN} unlock --passphrase-file ${passphraseFile()}`
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(thief.seen.join('\n')).not.toContain(SEED_PASSPHRASE)
    expectNoToken(thief)
  })
})

describe('an address with a name or a password in it', () => {
  it.each(['http://user:hunter2@127.0.0.1:1', 'https://hunter2@host', 'ftp://:hunter2@host'])(
    'is refused without its secret: %s',
    async (address) => {
      for (const refused of [
        await cli(['--api', address, 'status']),
        await cli(['status'], { env: { CHRONYM_API: address } })
      ]) {
        expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
        expect(refused.stderr).toContain('has a name or a password in it')
        expect(refused.stderr).toContain('--token TOKEN')
        expect(refused.stderr).not.toContain('hunter2')
      }
    }
  )
})
