/** Real daemons on a directory whose seed is under a passphrase. */
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sealSeed, unsealSeed } from '../../src/backup/sealed-seed.ts'
import { sealOwnerSeed } from '../../src/data-directory/open.ts'
import { readOwnerSeed } from '../../src/data-directory/seed-files.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { nameKey, seedToWords } from '../../src/protocol/crypto/keys.ts'
import { parseName } from '../../src/protocol/name/names.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { waitFor } from '../wait-for.ts'
import { occurrences } from './memory.ts'
import { begin, register, runToEnd, Scene, type Answer, type Daemon } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const RIGHT = 'correct horse battery staple'
const WRONG = 'another passphrase altogether'
const NAME = 'alice.chronym'
const OTHER_NAME = 'bob.chronym'
const CLI = 'src/cli/main.ts'
const QUIET = ['--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0']

let paths: DataPaths
let right: string
let wrong: string

let running: Daemon | undefined
/** One at a time on the directory. */
async function start(args: readonly string[] = [], environment?: Record<string, string>): Promise<Daemon> {
  running = await scene.daemon(['--data-dir', paths.root, ...args], environment && { environment })
  return running
}
afterEach(() => running?.signal('SIGKILL'))

const chronym = (...args: string[]) => runToEnd(CLI, [...args, '--json', '--data-dir', paths.root])
const taskOf = async (daemon: Daemon, id: string): Promise<Answer> =>
  (await daemon.request('GET', `/api/vdf/status/${id}`)).body
/**
 * What a daemon that was unlocked had in memory, in the forms in which V8 has it: without the first 16 bytes, since
 * free() overwrites those of what nobody wiped.
 */
async function secretsInMemory(): Promise<Record<string, Uint8Array>> {
  const seed = await unsealSeed(readFileSync(paths.sealedSeed, 'utf8'), RIGHT, paths.sealedSeed)
  const { local } = builtInProfiles
  const words = seedToWords(seed).split(' ', 6).join(' ')
  const whole = {
    passphrase: Buffer.from(RIGHT),
    passphraseInUtf16: Buffer.from(RIGHT, 'utf16le'),
    wrongPassphrase: Buffer.from(WRONG),
    words: Buffer.from(words),
    wordsInUtf16: Buffer.from(words, 'utf16le'),
    seed,
    seedInHex: Buffer.from(Buffer.from(seed).toString('hex')),
    // Of HKDF: all keys follow from it.
    extracted: createHmac('sha256', Buffer.alloc(32)).update(seed).digest(),
    nameKey: nameKey(seed, profileHash(local), parseName(NAME, local)).secretKey.subarray(0, 32)
  }
  return Object.fromEntries(Object.entries(whole).map(([name, bytes]) => [name, bytes.subarray(16)]))
}
const until = (daemon: Daemon, id: string, expected: object): Promise<void> =>
  waitFor(async () => expect(await taskOf(daemon, id)).toMatchObject(expected), 200)

beforeAll(async () => {
  paths = dataPaths(scene.directory())
  const secrets = scene.directory()
  right = join(secrets, 'right')
  wrong = join(secrets, 'wrong')
  writeFileSync(right, `${RIGHT}\n`)
  writeFileSync(wrong, `${WRONG}\n`)
  const daemon = await start()
  await register(daemon, NAME)
  expect(await daemon.request('POST', '/api/seed/lock')).toMatchObject({ status: 409, body: { code: 'SVC-KEY-009' } })
  await daemon.signal('SIGKILL')
  const seed = readOwnerSeed(paths.seed)!
  sealOwnerSeed(paths, builtInProfiles.local, {
    seed,
    sealed: await sealSeed(seed, RIGHT, { workFactor: 12 }),
    before: undefined
  })
})

describe('a directory whose seed is under a passphrase', () => {
  it('starts unlocked with a passphrase file, and publishes', async () => {
    const daemon = await start(['--seed-passphrase-file', right])
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'unlocked', sealed: true })
    expect(
      (await daemon.request('POST', `/api/zone/${NAME}`, { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }))
        .status
    ).toBe(200)
    expect(await daemon.request('POST', `/api/zone/${NAME}/publish`)).toMatchObject({ status: 200 })
    await daemon.signal('SIGTERM')
  })

  it('does not start beside a running daemon, and tries no passphrase before it says so', async () => {
    await start(['--seed-passphrase-file', right])
    const second = await runToEnd('src/daemon/main.ts', [
      ...['--data-dir', paths.root, '--network', 'local', ...QUIET],
      ...['--seed-passphrase-file', wrong]
    ])
    expect(second.code).not.toBe(0)
    expect(second.stderr).toContain('SVC-KEY-005')
    expect(second.stderr).not.toContain('SVC-KEY-007')
  })

  it('does not start with a wrong passphrase, and says why and what helps', async () => {
    const { code, stderr } = await runToEnd('src/daemon/main.ts', [
      '--data-dir',
      paths.root,
      ...QUIET,
      '--seed-passphrase-file',
      wrong
    ])
    expect(code).toBe(1)
    expect(stderr).toMatch(/Wrong passphrase \(SVC-KEY-007\)[^]*key passphrase/)
    expect(stderr).not.toContain('another passphrase')
  })

  it('starts with a systemd credential', async () => {
    const credentials = scene.directory()
    writeFileSync(join(credentials, 'chronym-passphrase'), RIGHT)
    const daemon = await start([], { CREDENTIALS_DIRECTORY: credentials })
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'unlocked' })
    await daemon.signal('SIGTERM')
  })

  it('starts locked without one: it resolves and squares, and signs once it is unlocked', async () => {
    let daemon = await start(['--seed-passphrase-file', right])
    const id = await begin(daemon, OTHER_NAME)
    // From here on it has its commitment.
    await waitFor(async () => expect((await taskOf(daemon, id)).phase).toMatch(/^(?:pulse|evaluate|prove)$/), 50)
    await daemon.signal('SIGKILL')

    daemon = await start()
    expect(daemon.logText()).toContain('the seed is locked')
    expect((await daemon.request('GET', `/api/resolve/${NAME}`)).status).toBe(200)
    expect((await daemon.request('GET', '/readyz')).body.checks).toContainEqual(
      expect.objectContaining({
        name: 'seed',
        ok: true,
        warning: true,
        detail: expect.stringContaining('locked') as string
      })
    )
    expect(await daemon.request('POST', '/api/vdf/register', { name: 'carol.chronym' })).toMatchObject({
      status: 423,
      body: { code: 'SVC-KEY-006' }
    })
    const refused = await chronym('register', 'carol.chronym', '--yes')
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringMatching(/`chronym --data-dir \S+ unlock`/)])

    await until(daemon, id, { status: 'running', phase: 'reveal', stalled: { code: 'SVC-KEY-006' } })
    const status = await chronym('status')
    expect(JSON.parse(status.stdout)).toMatchObject({
      seed: { state: 'locked', waiting: [{ what: 'register', name: OTHER_NAME, task_id: id }] }
    })
    expect((await chronym('doctor')).stdout).toContain('Unlock it: chronym unlock')

    // Refused without the token, and with a guess.
    expect(
      (await daemon.request('POST', '/api/seed/unlock', { passphrase: RIGHT }, { authorization: '' })).status
    ).toBe(401)
    const guess = await chronym('unlock', '--passphrase-file', wrong)
    expect([guess.code, guess.stderr]).toEqual([5, expect.stringContaining('SVC-KEY-007')])
    expect(await taskOf(daemon, id)).toMatchObject({ status: 'running' })

    const unlocked = await chronym('unlock', '--passphrase-file', right)
    expect([unlocked.code, JSON.parse(unlocked.stdout)]).toEqual([
      0,
      expect.objectContaining({ state: 'unlocked', waiting: [] })
    ])
    await until(daemon, id, { status: 'completed' })
    expect(daemon.logText()).not.toMatch(/correct horse|another passphrase/)

    expect((await chronym('lock')).code).toBe(0)
    expect((await daemon.request('POST', `/api/zone/${NAME}/publish`)).status).toBe(423)
    await daemon.signal('SIGTERM')
  })

  // Only Linux shows the memory of a process as a file.
  if (process.platform === 'linux')
    it('has nothing of the seed in memory before it is unlocked, and after it is locked', async () => {
      const secrets = await secretsInMemory()
      const none = Object.fromEntries(Object.keys(secrets).map((name) => [name, 0]))
      const daemon = await start()
      expect((await chronym('unlock', '--passphrase-file', wrong)).code).toBe(5)
      expect(occurrences(daemon.pid, secrets)).toEqual(none)

      expect((await chronym('unlock', '--passphrase-file', right)).code).toBe(0)
      await daemon.request('POST', `/api/zone/${NAME}`, { records: { '@': [{ type: 'A', value: '192.0.2.2' }] } })
      expect(await daemon.request('POST', `/api/zone/${NAME}/publish`)).toMatchObject({ status: 200 })
      // Derived keys go when V8 collects them, at the latest when the seed is locked.
      expect({ ...occurrences(daemon.pid, secrets), nameKey: 0 }).toEqual({ ...none, seed: 1 })

      expect((await chronym('lock')).code).toBe(0)
      expect(occurrences(daemon.pid, secrets)).toEqual(none)
      await daemon.signal('SIGTERM')
    })

  it('is unlocked by no other seed', async () => {
    const daemon = await start()
    const kept = readFileSync(paths.sealedSeed)
    writeFileSync(paths.sealedSeed, await sealSeed(new Uint8Array(32).fill(9), RIGHT, { workFactor: 12 }))
    expect(await daemon.request('POST', '/api/seed/unlock', { passphrase: RIGHT })).toMatchObject({
      status: 409,
      body: { code: 'SVC-KEY-002' }
    })
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'locked' })
    await daemon.signal('SIGKILL')
    const { code, stderr } = await runToEnd('src/daemon/main.ts', [
      '--data-dir',
      paths.root,
      ...QUIET,
      '--seed-passphrase-file',
      right
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining('SVC-KEY-002')])
    writeFileSync(paths.sealedSeed, kept)
  })
})
