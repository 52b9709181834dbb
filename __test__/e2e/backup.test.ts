/**
 * The drill of an owner who loses everything but a backup, or the 24 words and one name: real daemons, kill -9, a
 * directory that is gone.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../cli/harness.ts'
import { acquainted, completed, eventually, register, Scene, type Answer, type Daemon } from './processes.ts'

const scene = new Scene()
const NAMES = ['alice.chronym', 'bob.chronym']
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.7' }] } }

let directory: string
let profile: string
let first: Daemon
let witness: Daemon
let did: string
let words: string
let recipient: string

const start = (dataDir: string, network = profile, ...args: string[]): Promise<Daemon> =>
  scene.daemon(['--network', network, '--data-dir', dataDir, ...args])

async function chronym(args: readonly string[], stdin = ''): Promise<Answer> {
  const { exitCode, stdout, stderr } = await cli(['--json', ...args], { stdin, env: {} })
  expect({ exitCode, stderr }, stderr).toMatchObject({ exitCode: 0 })
  return JSON.parse(stdout)
}

async function start3rd(root: string, network: string, ...args: string[]): Promise<Daemon> {
  const daemon = await start(root, network, '--bootstrap', witness.address, '--bootstrap', first.address, ...args)
  await acquainted(daemon, first, witness)
  return daemon
}

/** Renews a name and publishes a zone with this address; another daemon shows it. */
async function useNames(daemon: Daemon, address: string): Promise<void> {
  const renewal = await daemon.request('POST', '/api/vdf/renew', { name: 'alice.chronym' })
  expect(renewal.status).toBe(202)
  await completed(daemon, renewal.body.task_id as string)
  for (const name of NAMES) {
    expect(
      (await daemon.request('POST', `/api/zone/${name}`, { records: { '@': [{ type: 'A', value: address }] } })).status
    ).toBe(200)
    expect(await daemon.request('POST', `/api/zone/${name}/publish`)).toMatchObject({
      status: 200,
      body: { success: true }
    })
    await eventually(
      () => witness.request('GET', `/api/zone/${name}`),
      ({ body }) => JSON.stringify(body).includes(address)
    )
  }
  expect(await daemon.request('GET', `/api/resolve-kid/${did}`)).toMatchObject({ status: 200 })
}

beforeAll(async () => {
  directory = scene.directory()
  profile = scene.network()
  first = await start(join(directory, 'first'))
  witness = await start(join(directory, 'witness'), profile, '--bootstrap', first.address)
})
afterAll(() => scene.end())

describe('an owner who loses the machine', () => {
  let owner: Daemon
  const original = (): string => join(directory, 'original')
  const file = (): string => join(directory, 'backup.age')

  it('has a backup of two names, an identity and a draft, made beside the running daemon', async () => {
    owner = await start3rd(original(), profile)
    for (const name of NAMES) await register(owner, name, { zone: ZONE })
    const api = ['--api', owner.summary.api_url, '--data-dir', original()]
    // Its DID does not follow from the seed and an index alone.
    const identity = ['kid', 'create', '--network', profile, '--also-known-as', 'https://alice.example/', '--publish']
    did = (await chronym([...api, ...identity])).did as string
    await owner.request('POST', '/api/zone/bob.chronym', { records: { draft: [{ type: 'TXT', value: 'not yet' }] } })
    words = readFileSync(join(original(), 'seed-words'), 'utf8')

    const secret = await generateX25519Identity()
    writeFileSync(join(directory, 'key.txt'), `# created by the test\n${secret}\n`)
    recipient = await identityToRecipient(secret)
    const made = await chronym([
      '--data-dir',
      original(),
      'backup',
      file(),
      '--network',
      profile,
      '--recipient',
      recipient
    ])
    expect(made).toMatchObject({
      names: [{ name: 'alice.chronym' }, { name: 'bob.chronym', draft: true }],
      identities: [{ did, index: 0, version: 1 }],
      left_out: []
    })
    expect(JSON.parse(readFileSync(join(original(), 'backup-state.json'), 'utf8'))).toEqual({
      backed_up_at: made.created_at
    })
  })

  it('restores it to a new directory, renews and publishes', async () => {
    await owner.signal('SIGKILL')
    rmSync(original(), { recursive: true })
    const root = join(directory, 'restored')
    const restored = await chronym([
      '--data-dir',
      root,
      'restore',
      file(),
      '--identity',
      join(directory, 'key.txt'),
      '--yes'
    ])
    expect(restored).toMatchObject({
      data_dir: root,
      network: join(root, 'profile.json'),
      names: [{ name: 'alice.chronym' }, { name: 'bob.chronym', draft: true }],
      identities: [{ did }]
    })
    owner = await start3rd(root, restored.network as string)
    expect((await owner.request('GET', '/api/owned-names')).body).toEqual(NAMES)
    expect((await owner.request('GET', '/api/zone/bob.chronym')).body.records).toHaveProperty('draft')
    await useNames(owner, '192.0.2.8')
  })

  it('does the same from the 24 words, the names and the identity', async () => {
    await owner.signal('SIGKILL')
    rmSync(join(directory, 'restored'), { recursive: true })
    const root = join(directory, 'from-words')
    const named = [...NAMES.flatMap((name) => ['--name', name]), '--did', did]
    const made = await chronym(
      ['--data-dir', root, 'restore', '--words', '--network', profile, ...named, '--yes'],
      words
    )
    expect(made).toMatchObject({ data_dir: root, wanted: [...NAMES, did] })
    owner = await start3rd(root, made.network as string)
    await eventually(
      () => owner.request('GET', '/api/owned-names'),
      ({ body }) => (body as string[]).length === NAMES.length
    )
    expect((await owner.request('GET', '/api/owned-names')).body).toEqual(NAMES)
    await useNames(owner, '192.0.2.9')
    const again = ['--data-dir', root, 'backup', file(), '--force', '--recipient', recipient]
    const { identities } = await eventually(
      async () => (await chronym(again)) as { identities: unknown[] },
      (made) => made.identities.length > 0
    )
    expect(identities).toMatchObject([{ did, index: 0 }])
  })

  it('is told what a lost database had, keeps the backup of before, and gets back what the network holds', async () => {
    const root = join(directory, 'from-words')
    const kept = join(directory, 'kept.age')
    const keeping = ['--backup-file', kept, '--backup-recipient', recipient]
    const missing = async (): Promise<string[]> =>
      ((await owner.request('GET', '/api/backup')).body.missing as { id: string }[]).map(({ id }) => id)
    await owner.signal('SIGTERM')
    owner = await start(root, profile, ...keeping)
    await eventually(
      () => owner.request('GET', '/api/backup'),
      ({ body }) => body.kept.written_at !== null
    )
    await owner.signal('SIGKILL')
    const before = readFileSync(kept)
    for (const file of ['chronym.db', 'chronym.db-wal', 'chronym.db-shm']) rmSync(join(root, file), { force: true })

    owner = await start(root, profile, ...keeping)
    expect(owner.logText()).toContain('the database has less than this directory had')
    await owner.signal('SIGKILL')
    owner = await start(root, profile, ...keeping)
    expect(await missing()).toEqual([...NAMES, did])
    const doctor = await cli(['--api', owner.summary.api_url, '--data-dir', root, 'doctor'], { stdin: '', env: {} })
    expect(doctor.exitCode).toBe(1)
    expect(doctor.stdout).toContain('the database lost name alice.chronym (not in the database), name bob.chronym')
    await chronym(['--api', owner.summary.api_url, '--data-dir', root, 'adopt', '--forget', did])
    expect(await missing()).toEqual(NAMES)
    await eventually(
      () => owner.request('GET', '/api/backup'),
      ({ body }) => body.kept.state === 'failing'
    )
    expect(readFileSync(kept)).toEqual(before)
    await owner.signal('SIGKILL')

    owner = await start3rd(root, profile, ...keeping)
    await eventually(missing, (ids) => ids.length === 0)
    expect((await owner.request('GET', '/api/owned-names')).body).toEqual(NAMES)
    await owner.signal('SIGTERM')
    expect(readFileSync(kept)).not.toEqual(before)
    const copies = readdirSync(directory).filter((file) => file.startsWith('kept.age.before-loss-'))
    expect(copies.map((file) => readFileSync(join(directory, file)))).toEqual([before])
  })
})
