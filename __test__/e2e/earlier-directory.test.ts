/**
 * What people have on disk. Data directories, backups and settings of an earlier build (__test__/vectors/88cfa41c) are
 * opened by this one, as their owner would do it. No change may make a test here weaker.
 */
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT, type Surroundings } from '../../scripts/program.ts'
import { REMOVED_SETTINGS } from '../../src/config/removed.ts'
import { SCHEMA_VERSION } from '../../src/store/migrate.ts'
import { acquainted, type Answer, completed, type Daemon, eventually, runToEnd, Scene } from './processes.ts'

const FIXTURES = join(ROOT, '__test__/vectors/88cfa41c')
const text = (...path: string[]): string => readFileSync(join(FIXTURES, ...path), 'utf8')
const facts = JSON.parse(text('facts.json')) as {
  made_at: string
  identities: { 'alice.chronym': string; alone: string }
  offer: string
  code: string
  tokens: { scope: string; token: string }[]
  tasks: Record<'away.chronym' | 'begun.chronym', { task_id: string; progress: number }>
}
/** Leases of `local` last a week: the daemons here believe that the fixtures were made a minute ago. */
const MINUTE_MS = 60_000

const scene = new Scene()
let root: string
let surroundings: Surroundings

const at = (...path: string[]): string => join(root, ...path)
const start = (directory: string, ...args: string[]): Promise<Daemon> =>
  scene.daemon(['--data-dir', at(directory), '--dns-listen', '127.0.0.1:0', ...args], surroundings)

async function chronym(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await runToEnd('src/cli/main.ts', ['--json', ...args], surroundings)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

/** Squarings of the checkpoint from which a daemon went on with a task; undefined while it has not. */
const resumedAt = (daemon: Daemon, taskId: string): number | undefined =>
  daemon
    .logText()
    .split('\n')
    .filter((line) => line.includes('resumes from a checkpoint'))
    .map((line) => JSON.parse(line) as { task: string; squarings: number })
    .find(({ task }) => task === taskId)?.squarings

/** Git keeps no modes but one. */
function makePrivate(path: string): void {
  const isDirectory = statSync(path).isDirectory()
  chmodSync(path, isDirectory ? 0o700 : 0o600)
  if (isDirectory) for (const name of readdirSync(path)) makePrivate(join(path, name))
}

beforeAll(() => {
  root = scene.directory()
  cpSync(FIXTURES, root, { recursive: true })
  for (const name of ['owner', 'peer', 'octets', 'backups', 'given', 'change-words']) makePrivate(at(name))
  for (const file of [at('given', 'config.toml'), at('owner', 'backup-state.json')]) {
    const filled = readFileSync(file, 'utf8').replaceAll('@DIRECTORY@', root).replace('@FARM@', 'nats://127.0.0.1:1')
    writeFileSync(file, filled)
  }
  const shift = at('shift')
  writeFileSync(shift, String(Date.parse(facts.made_at) + MINUTE_MS - Date.now()))
  surroundings = { preload: '__test__/e2e/clock-shift.ts', environment: { CLOCK_SHIFT_FILE: shift } }
})
afterAll(() => scene.end())

const PASSPHRASE = ['--seed-passphrase-file', join(FIXTURES, 'given/passphrase.txt')]
const OCTETS = ['--seed-passphrase-file', join(FIXTURES, 'given/passphrase-cp1251.txt')]
const NAMES = ['alice.chronym', 'bob.chronym', 'released.chronym', 'sold.chronym']
const ZONE = {
  '@': [
    { type: 'A', value: '192.0.2.1' },
    { type: 'MX', value: '10 mail' },
    { type: 'TXT', value: '"v=spf1 -all"' }
  ],
  mail: [{ type: 'AAAA', value: '2001:db8::1', ttl: 3600 }],
  'a.b': [{ type: 'CNAME', value: 'mail' }]
}

describe('a data directory of an earlier build, at its first start with this one', () => {
  let peer: Daemon
  let owner: Daemon
  const get = async (path: string): Promise<Answer> => (await owner.request('GET', path)).body
  const stateOf = async (daemon: Daemon, name: string): Promise<string | undefined> =>
    ((await daemon.request('GET', '/api/names')).body as { name: string; state: string }[]).find(
      (each) => each.name === name
    )?.state

  beforeAll(async () => {
    peer = await start('peer')
    const args = ['--config', at('given', 'config.toml'), '--bootstrap', peer.address, ...PASSPHRASE]
    owner = await start('owner', ...args)
    await acquainted(peer, owner)
  })

  it('lists the names in the states that they had', async () => {
    const states = ((await get('/api/names')) as { name: string; state: string }[]).map(({ name, state }) => [
      name,
      state
    ])
    expect(states).toEqual([
      ['alice.chronym', 'live'],
      ['bob.chronym', 'live'],
      ['released.chronym', 'live'],
      // Final by now, which the daemon learns at its first look.
      ['sold.chronym', expect.toBeOneOf(['changed', 'sold'])]
    ])
    expect(await get('/api/owned-names')).toEqual(['alice.chronym', 'bob.chronym', 'released.chronym'])
    expect(await get('/api/zone/released.chronym')).toMatchObject({ records: { '@': [{ value: '192.0.2.4' }] } })
    expect(await get('/api/backup')).toMatchObject({ missing: [] })
  })

  it('has drafts and zones, record by record', async () => {
    const { headers, body } = await owner.request('GET', '/api/zone/alice.chronym')
    expect(headers.get('x-zone-source')).toBe('local')
    expect(body.records).toEqual({ ...ZONE, draft: [{ type: 'TXT', value: 'not yet' }] })
    expect(await get('/api/drafts')).toMatchObject([{ name: 'alice.chronym', published_serial: 1 }])
    const published = await peer.request('GET', '/api/zone/alice.chronym')
    expect(published.body.records).toEqual(ZONE)
  })

  it('goes on with a task from its checkpoint, and with the one at the farm here', async () => {
    const { 'begun.chronym': begun, 'away.chronym': away } = facts.tasks
    const shown = (await get('/api/vdf/tasks')) as Answer[]
    for (const { task_id, progress } of [begun, away])
      expect(shown.find((task) => task.task_id === task_id).progress).toBeGreaterThanOrEqual(progress)
    expect(await get(`/api/vdf/status/${away.task_id}`)).toMatchObject({ status: 'running', moved_to: 'farm' })
    await owner.request('POST', `/api/vdf/tasks/${away.task_id}/move`, { place: 'local' })
    for (const { task_id } of [begun, away]) await completed(owner, task_id)
    for (const { task_id, progress } of [begun, away]) expect(resumedAt(owner, task_id)).toBeGreaterThan(progress / 2)
    expect(await stateOf(owner, 'begun.chronym')).toBe('live')
  })

  it('takes its tokens, each for its scope alone', async () => {
    const asked = async (token: string, method: string, path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = method === 'POST' ? '{}' : null
      return (await fetch(`${owner.summary.api_url}${path}`, { method, headers, body })).status
    }
    // An empty body is judged after the token.
    const acts = {
      read: ['GET', '/api/config', 200],
      vdf: ['POST', '/api/vdf/register', 400],
      publish: ['POST', '/api/commit', 400],
      admin: ['POST', '/api/tokens', 400]
    } as const
    expect(facts.tokens.map(({ scope }) => scope)).toEqual(Object.keys(acts))
    for (const { scope, token } of facts.tokens)
      for (const [needed, [method, path, allowed]] of Object.entries(acts)) {
        const isAllowed = needed === scope || scope === 'admin'
        if (needed !== 'read' || isAllowed)
          expect(await asked(token, method, path), `${scope} at ${path}`).toBe(isAllowed ? allowed : 403)
      }
    expect(owner.token).toBe(text('owner', 'access_token').trim())
  })

  it('remembers owners: by a given code, seen twice, seen once', async () => {
    const pins = (await get('/api/pins')) as Answer[]
    const states = Object.fromEntries(pins.map(({ name, state }) => [name, state]))
    expect(states).toMatchObject({
      'coded.chronym': 'given',
      'pinned.chronym': 'firm',
      'tentative.chronym': 'tentative',
      'elsewhere.chronym': 'configured'
    })
    expect(pins.find(({ name }) => name === 'coded.chronym').check_code).toBe(facts.code)
  })

  it('has its identities, with their manifest', async () => {
    const dids = ((await get('/api/identities')) as Answer[]).map(({ did }) => did as string)
    const { 'alice.chronym': named, alone } = facts.identities
    expect(dids.sort()).toEqual([named, alone].sort())
    const { kid_document, manifest_document } = await get(`/api/resolve-kid/${named}`)
    expect(kid_document.id).toBe(named)
    expect(manifest_document.capabilities).toMatchObject([{ id: 'chat', type: 'message/send', protocol: 'https' }])
    expect((await get(`/api/resolve-kid/${alone}`)).kid_document.alsoKnownAs).toContain('https://alice.example/')
  })

  it('opens the authority for https, which stays the same certificate', async () => {
    await owner.request('POST', '/api/config', { https: { enabled: true } })
    await eventually(
      () => get('/api/dns'),
      ({ https }) => https?.ready === true
    )
    await owner.request('POST', '/api/config', { https: { enabled: false } })
    expect(readFileSync(at('owner', 'https-authority.pem'), 'utf8')).toBe(text('owner', 'https-authority.pem'))
  })

  it('has the fields that were changed while it ran, over those of its file', async () => {
    const { body: config } = await owner.request('GET', '/api/config')
    expect(config).toMatchObject({ mode: 'full', vdf: { queue: 50, max_tasks: 1 } })
    expect(config.https.allow_private).toEqual(['alice.chronym'])
  })

  it('says of each setting of its file that was removed what holds now', () => {
    const log = owner.logText()
    for (const { path } of REMOVED_SETTINGS) expect(log).toContain(`${path} has no effect, the setting was removed: `)
  })

  it('keeps the backup up to date that the earlier build wrote', async () => {
    const { kept } = await eventually(
      () => get('/api/backup'),
      ({ kept: { state, written_at } }) =>
        state === 'kept' && Date.parse(written_at as string) > Date.parse(facts.made_at)
    )
    expect(kept.file).toBe(at('backups', 'kept.age'))
  })

  it('keeps the secret of a commitment that was made by hand', () => {
    const secret = ['commitments', 'by-hand.chronym.secret.json']
    expect(readFileSync(at('owner', ...secret), 'utf8')).toBe(text('owner', ...secret))
  })

  it('takes over the name that it offered to take, and accepts with its change words', async () => {
    const words = at('change-words', 'peer')
    await chronym('--data-dir', at('peer'), 'transfer', 'accept', facts.offer, '--change-words-file', words, '--yes')
    await eventually(
      () => stateOf(owner, 'pinned.chronym'),
      (state) => state === 'live'
    )
    expect(await stateOf(peer, 'pinned.chronym')).toBeOneOf(['changed', 'sold'])
  })
})

describe('a sealed seed of an earlier build', () => {
  it('starts locked, and its passphrase opens it', async () => {
    cpSync(at('owner'), at('locked'), { recursive: true })
    cpSync(join(FIXTURES, 'owner/seed-words.age'), at('locked', 'seed-words.age'))
    makePrivate(at('locked'))
    const daemon = await start('locked', '--mode', 'offline')
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'locked' })
    await chronym('--data-dir', at('locked'), 'unlock', '--passphrase-file', PASSPHRASE[1]!)
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'unlocked' })
    await daemon.signal('SIGTERM')
  })

  it('is opened by a passphrase file whose octets are not UTF-8', async () => {
    const daemon = await start('octets', '--mode', 'offline', ...OCTETS)
    expect((await daemon.request('GET', '/api/seed')).body).toMatchObject({ state: 'unlocked' })
    await daemon.signal('SIGTERM')
    const again = await start('octets', '--mode', 'offline', ...OCTETS)
    expect((await again.request('GET', '/api/seed')).body).toMatchObject({ state: 'unlocked' })
    await again.signal('SIGTERM')
  })
})

describe('a backup of an earlier build', () => {
  const restored = async (name: string, ...args: string[]): Promise<Answer> => {
    // One of an earlier build may be sealed again.
    const copy = at(`copy-of-${name}`)
    cpSync(join(FIXTURES, 'backups', name), copy)
    const made = await chronym('--data-dir', at(`from-${name}`), 'restore', copy, '--yes', ...args)
    expect((made.names as Answer[]).map(({ name: each }) => each as string)).toEqual(NAMES)
    const daemon = await start(`from-${name}`, '--mode', 'offline')
    expect(
      ((await daemon.request('GET', '/api/names')).body as Answer[]).map(({ name: each }) => each as string)
    ).toEqual(expect.arrayContaining(NAMES))
    expect((await daemon.request('GET', '/api/zone/alice.chronym')).body.records).toHaveProperty('draft')
    expect((await daemon.request('GET', '/api/identities')).body).toHaveLength(2)
    return daemon
  }

  it('that the daemon kept is restored with its key', async () => {
    await restored('kept.age', '--identity', join(FIXTURES, 'given/age-key.txt'))
  })

  it('that was made with tasks is restored with its passphrase, and they go on from their checkpoints', async () => {
    const daemon = await restored('made.age', '--passphrase-file', PASSPHRASE[1]!)
    const { task_id, progress } = facts.tasks['begun.chronym']
    const squarings = await eventually(
      () => Promise.resolve(resumedAt(daemon, task_id)),
      (each) => each !== undefined
    )
    expect(squarings).toBeGreaterThan(progress / 2)
  })

  it('is restored with a passphrase file whose octets are not UTF-8', async () => {
    await restored('made-octets.age', '--passphrase-file', OCTETS[1]!)
  })
})

describe('a data directory of a newer build', () => {
  it('is refused in words, and does not change', async () => {
    cpSync(join(FIXTURES, 'octets'), at('newer'), { recursive: true })
    makePrivate(at('newer'))
    const file = at('newer', 'chronym.db')
    const database = new Database(file)
    database.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
    database.close()
    const before = readFileSync(file)
    const { code, stderr } = await runToEnd('src/daemon/main.ts', ['--data-dir', at('newer'), '--port', '0'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/SVC-STO-002.*newer version of Chronym[^]*Install that version again, or choose another/)
    expect(readFileSync(file)).toEqual(before)
    expect(existsSync(`${file}.schema-${SCHEMA_VERSION}`)).toBe(false)
  })
})
