/**
 * An identity whose seed was stolen, taken back by a key that no daemon has ever seen: real daemons, the command line
 * beside them.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resolver } from 'did-resolver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getResolver } from '../../src/api/client/did-resolver.ts'
import { didUpdateKey, wordsToSeed } from '../../src/protocol/crypto/keys.ts'
import { encodeMultikey } from '../../src/protocol/identity/did.ts'
import {
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../src/protocol/identity/document.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { cli } from '../cli/harness.ts'
import { acquainted, eventually, Scene, type Answer, type Daemon } from './processes.ts'

const profile = builtInProfiles.local
const hash = profileHash(profile)
const scene = new Scene()

let directory: string
let victim: Daemon
let thief: Daemon
let did: string
let publicKey: string

const at = (...parts: string[]): string => join(directory, ...parts)
const seedOf = (name: string): Uint8Array => wordsToSeed(readFileSync(at(name, 'seed-words'), 'utf8'))
const start = (name: string, ...args: string[]): Promise<Daemon> =>
  scene.daemon(['--network', 'local', '--data-dir', at(name), ...args])

async function chronym(args: readonly string[]): Promise<Answer> {
  const { exitCode, stdout, stderr } = await cli(['--json', ...args])
  expect({ exitCode, stderr }, stderr).toMatchObject({ exitCode: 0 })
  return JSON.parse(stdout)
}

const online = (daemon: Daemon, name: string): string[] => ['--api', daemon.summary.api_url, '--data-dir', at(name)]
const shown = async (daemon: Daemon): Promise<Answer> => (await daemon.request('GET', `/api/resolve-kid/${did}`)).body

/** The next version of what the daemon shows, by the update key of a seed. */
async function publishNext(
  daemon: Daemon,
  seed: Uint8Array,
  changes: IdentityChanges
): Promise<{ status: number; body: Answer }> {
  const { kid_document: former } = (await shown(daemon)) as { kid_document: IdentityDocument }
  const document = signIdentityDocument(
    buildNextVersion(former, changes),
    didUpdateKey(seed, hash),
    '2026-01-01T00:00:00.000Z',
    profile
  )
  return daemon.request('POST', '/api/publish-kid', { authorized_kid: { document } })
}

beforeAll(async () => {
  directory = scene.directory()
  victim = await start('victim')
  mkdirSync(at('thief'), { mode: 0o700 })
  copyFileSync(at('victim', 'seed-words'), at('thief', 'seed-words'))
  thief = await start('thief', '--bootstrap', victim.address)
  await acquainted(victim, thief)
})
afterAll(() => scene.end())

describe('an identity with a recovery key made offline', () => {
  it('is stolen with the seed, but not for good', async () => {
    publicKey = (await chronym(['kid', 'recovery-key', at('recovery.txt')])).public_key
    did = (await chronym([...online(victim, 'victim'), 'kid', 'create', '--recovery-key', publicKey, '--publish'])).did
    const genesis = (await shown(victim)).kid_document as IdentityDocument
    expect(genesis.recoveryKeys).toEqual([publicKey])
    // All that the seed can sign, the thief can.
    const his = encodeMultikey(didUpdateKey(new Uint8Array(32).fill(9), hash).publicKey)
    expect(
      await publishNext(thief, seedOf('thief'), { updateKeys: [his], alsoKnownAs: ['https://thief.example'] })
    ).toMatchObject({ status: 200, body: { version: 2 } })
    await eventually(
      () => shown(victim),
      ({ kid_document }) => kid_document.version === 2
    )
    expect((await publishNext(victim, seedOf('victim'), { updateKeys: genesis.updateKeys })).body).toMatchObject({
      code: 'SVC-KID-001'
    })
  })

  it('comes back to a new seed by a version that is signed offline, and every resolver shows that', async () => {
    const owner = await start('owner', '--bootstrap', victim.address, '--bootstrap', thief.address)
    await acquainted(owner, victim, thief)
    const prepared = await chronym([...online(owner, 'owner'), 'kid', 'recover', did, '--after', '1'])
    writeFileSync(at('recovery.json'), JSON.stringify(prepared))
    expect(JSON.stringify(prepared)).not.toContain('thief.example')

    // The machine with the key has neither daemon nor data directory.
    const signed = await chronym([
      '--data-dir',
      at('none'),
      'kid',
      'sign',
      at('recovery.json'),
      '--recovery-key-file',
      at('recovery.txt')
    ])
    writeFileSync(at('signed.json'), JSON.stringify(signed))
    expect(await chronym([...online(owner, 'owner'), 'kid', 'publish', at('signed.json')])).toMatchObject({
      did,
      version: 2
    })

    const recovered = signed.authorized_kid.document as IdentityDocument
    for (const daemon of [owner, victim, thief])
      await eventually(
        () => shown(daemon),
        ({ kid_document }) => kid_document.proof.proofValue === recovered.proof.proofValue
      )
    expect((await owner.request('GET', `/api/resolve-kid/${did}/log`)).body).toMatchObject({
      did,
      versions: [{ version: 1 }, { version: 2, recoveryKeys: [publicKey] }]
    })

    // From now on the new seed updates it, the old one cannot.
    expect((await publishNext(thief, seedOf('thief'), { alsoKnownAs: [] })).body).toMatchObject({ code: 'SVC-KID-001' })
    expect(await publishNext(owner, seedOf('owner'), { alsoKnownAs: ['https://owner.example'] })).toMatchObject({
      status: 200,
      body: { version: 3 }
    })

    expect(await chronym([...online(owner, 'owner'), 'kid', 'list'])).toMatchObject([
      { did, version: 3, state: 'active', index: 0, name: null }
    ])
    expect(await chronym([...online(owner, 'owner'), 'kid', 'rotate', did])).toMatchObject({ version: 4, index: 1 })
    const again = await cli(['--json', ...online(owner, 'owner'), 'kid', 'rotate', did, '--index', '0'])
    expect({ exitCode: again.exitCode, stderr: again.stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('of index 0 was in') as string
    })
    const refused = await cli([...online(owner, 'owner'), 'kid', 'deactivate', did])
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Add --yes')])
    expect(await chronym([...online(owner, 'owner'), 'kid', 'deactivate', did, '--yes'])).toMatchObject({
      version: 5,
      deactivated: true
    })
    await eventually(
      () => victim.request('GET', `/1.0/identifiers/${did}`),
      ({ status }) => status === 410
    )
    const { didDocumentMetadata } = (await new Resolver(getResolver({ url: victim.summary.api_url })).resolve(did)) as {
      didDocumentMetadata: object
    }
    expect(didDocumentMetadata).toMatchObject({ versionId: '5', deactivated: true })
    const dead = await cli([...online(owner, 'owner'), 'kid', 'rotate', did])
    expect([dead.exitCode, dead.stderr]).toEqual([2, expect.stringContaining('is deactivated since version 5')])

    await owner.signal('SIGKILL')
    writeFileSync(at('passphrase'), 'correct horse battery\n')
    const backup = await chronym([
      '--data-dir',
      at('owner'),
      'backup',
      at('backup.age'),
      '--network',
      'local',
      '--passphrase-file',
      at('passphrase')
    ])
    expect(backup).toMatchObject({ identities: [{ did, version: 5, index: 1 }] })
  })
})
