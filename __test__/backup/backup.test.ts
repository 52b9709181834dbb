/** Backup files: what they hold, and that nothing else is taken for one. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { encode } from 'cborg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type BackupContents, BackupError, decodeContents, encodeContents } from '../../src/backup/container.ts'
import { decrypt, encrypt, writeSealedFile } from '../../src/backup/encryption.ts'
import { makeContents } from '../../src/backup/make.ts'
import { BACKED_UP_PREFIXES } from '../../src/backup/records.ts'
import { writeDirectory } from '../../src/backup/restore.ts'
import { verifyContents, withoutMuteManifests } from '../../src/backup/verify.ts'
import { buildNextVersion, type IdentityDocument, signIdentityDocument } from '../../src/protocol/identity/document.ts'
import { encodeMultikey } from '../../src/protocol/identity/did.ts'
import { encodeManifestRecord, signManifest } from '../../src/protocol/identity/manifest.ts'
import { createIdentity } from '../../src/protocol/identity/seed.ts'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { changePoint } from '../../src/protocol/crypto/change-keys.ts'
import { didAssertionKey, didUpdateKey, seedToWords } from '../../src/protocol/crypto/keys.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { noteBackup } from '../../src/data-directory/seed-safety.ts'
import type { Checkers } from '../../src/protocol/claim/valid.ts'
import { keys, prefixes } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { readSnapshot } from '../../src/store/inspect.ts'
import { randomFrom } from '../properties/cases.ts'
import { profile } from '../registry/test-profile.ts'
import type { TestNode } from '../registry/test-node.ts'
import { ALICE, useWorkbench, ZONE } from '../registry/workbench.ts'

const NOW_MS = Date.parse('2026-11-22T12:00:00.000Z')
const SEED = new Uint8Array(32).fill(1)
const WORDS = seedToWords(SEED)
const scratch = mkdtempSync(join(tmpdir(), 'chronym-backup-'))
const secret = await generateX25519Identity()
const lock = { recipients: [await identityToRecipient(secret)] }
const unlock = { identities: [secret] }
let made = 0
const fresh = (): string => join(scratch, `directory-${made++}`)

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/**
 * Every file below a directory with the hash of its bytes; without the two that SQLite keeps beside a database for
 * readers.
 */
function everything(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (file) => statSync(join(directory, file)).isFile() && !/-(?:wal|shm)$/u.test(file)
  )
  return Object.fromEntries(
    files.sort().map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(directory, file)))
        .digest('hex')
    ])
  )
}

const refused = async (work: () => unknown): Promise<BackupError> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof BackupError) return error
    throw error
  }
  throw new Error('it was taken')
}

const refusal = (code: BackupError['code'], message: string) => ({
  code,
  message: expect.stringContaining(message) as string
})

describe('a backup', () => {
  const bench = useWorkbench()
  let node: TestNode
  let checkers: Checkers
  let did: string
  let document: IdentityDocument

  const contents = (changes: Partial<BackupContents> = {}): BackupContents => {
    const kept = [...node.store.list('')].filter(
      ([key]) => BACKED_UP_PREFIXES.some((prefix) => key.startsWith(prefix)) && !key.startsWith(prefixes.tasks)
    )
    return {
      createdMs: NOW_MS,
      program: '1',
      profile,
      words: WORDS,
      records: new Map(kept.map(([key, value]) => [key, new Uint8Array(value)])),
      files: [],
      ...changes
    }
  }
  const changed = (key: string, value: Uint8Array): BackupContents =>
    contents({ records: new Map([...contents().records, [key, value]]) })
  const directoryOf = (given: BackupContents): string => {
    const root = fresh()
    writeDirectory(root, given)
    return root
  }
  const make = (root: string, tasks = false) =>
    makeContents(dataPaths(root), { tasks, nowMs: NOW_MS, networks: [builtInProfiles.main, profile] })

  beforeEach(async () => {
    node = await bench.start()
    await bench.registered()
    node.registry.saveZone(ALICE, ZONE)
    node.registry.setChangePoint(changePoint(SEED, profileHash(profile)))
    // The draft of a name that is being registered.
    node.store.put(keys.zone('draft.chronym'), node.store.get(keys.zone(ALICE))!)
    document = createIdentity(SEED, { index: 3, services: [], alsoKnownAs: [] }, '2026-01-01T00:00:00.000Z', profile)
    did = (await node.registry.publishKid({ document })).did
    checkers = {
      verifyPulse: (pulse) => node.beacon.verify(pulse),
      verifyProof: (check) => node.pool.verifyProof(check)
    }
  })

  it('brings a name, drafts and an identity back as they were', async () => {
    const { contents: taken, leftOut } = await make(directoryOf(contents()))
    expect(leftOut).toEqual([])
    const again = decodeContents(await decrypt(await encrypt(encodeContents(taken), lock), unlock))
    expect(again).toEqual({ ...taken, createdMs: NOW_MS })
    expect(again.records).toEqual(contents().records)
    expect([...again.records.keys()]).toContain(keys.changePoint())
    expect(await verifyContents(again, checkers)).toMatchObject({
      names: [{ name: ALICE, draft: true }],
      drafts: ['draft.chronym'],
      identities: [{ did, version: 1, index: 3 }],
      tasks: []
    })
    const root = directoryOf(again)
    expect(readdirSync(root).sort()).toEqual(['chronym.db', 'profile.json', 'seed-words'])
    expect(readSnapshot(dataPaths(root).database, BACKED_UP_PREFIXES)).toEqual(contents().records)
    expect(readFileSync(join(root, 'seed-words'), 'utf8').trim()).toBe(WORDS)
    for (const file of ['chronym.db', 'seed-words']) expect(statSync(join(root, file)).mode & 0o077).toBe(0)
  })

  it('opens with a passphrase too, and with no other', async () => {
    const sealed = await encrypt(encodeContents(contents()), { passphrase: 'the right one', workFactor: 4 })
    expect(decodeContents(await decrypt(sealed, { passphrase: 'the right one' }))).toEqual(contents())
    expect(await refused(() => decrypt(sealed, { passphrase: 'the wrong one' }))).toMatchObject(
      refusal('damaged', 'passphrase does not open')
    )
    expect(await refused(() => decrypt(sealed, unlock))).toMatchObject({
      message: expect.stringContaining('under a passphrase') as string
    })
    const other = await encrypt(encodeContents(contents()), {
      recipients: [await identityToRecipient(await generateX25519Identity())]
    })
    expect((await refused(() => decrypt(other, unlock))).message).toContain('secret key does not open')
    expect((await refused(() => decrypt(other, { passphrase: 'any' }))).cure).toContain('--identity')
    expect((await refused(() => encrypt(new Uint8Array(1), { recipients: ['age1nobody'] }))).message).toContain(
      'not a public key'
    )
  })

  it('is refused whole with every truncation, 1,000 random flips and bytes behind its end', async () => {
    const sealed = await encrypt(encodeContents(contents({ records: new Map() })), lock)
    const open = async (bytes: Uint8Array): Promise<BackupContents> => decodeContents(await decrypt(bytes, unlock))
    expect(await open(sealed)).toBeDefined()
    const random = randomFrom(7)
    for (let length = 0; length < sealed.length; length++)
      expect((await refused(() => open(sealed.subarray(0, length)))).message).not.toBe('')
    for (let flips = 0; flips < 1_000; flips++) {
      const bytes = Uint8Array.from(sealed)
      bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
      expect(await refused(() => open(bytes))).toMatchObject({
        code: 'damaged',
        cure: expect.stringMatching(/copy|Nothing/u) as string
      })
    }
    expect((await refused(() => open(Buffer.concat([sealed, sealed])))).code).toBe('damaged')
  })

  it('says nothing of the words when its manifest is wrong', async () => {
    const plain = Buffer.from(encodeContents(contents({ records: new Map() }))).toString()
    const broken = [
      plain.replace(WORDS, WORDS.replace(/^\w+/u, 'zoo')),
      plain.replace(WORDS, ''),
      plain.replace('"version":1', '"version":2'),
      plain.replace('{', '{"more":1,'),
      plain.replace('"id":"local"', '"id":"other"'),
      `${plain}x`,
      plain.slice(0, -1),
      'null\n',
      ''
    ]
    for (const text of broken) {
      const { message, code } = await refused(() => decodeContents(Buffer.from(text)))
      expect(code).toBe('damaged')
      for (const word of WORDS.split(' ')) expect(message).not.toContain(` ${word} `)
    }
  })

  it.each([
    ['a file outside of the tasks', { path: 'tasks/../seed-words', bytes: new Uint8Array(3) }],
    ['a file of another name', { path: 'tasks/a/config.toml', bytes: new Uint8Array(3) }],
    ['an absolute one', { path: '/etc/passwd', bytes: new Uint8Array(3) }]
  ])('does not hold %s', async (_title, file) => {
    expect((await refused(() => decodeContents(encodeContents(contents({ files: [file] }))))).message).toContain(
      'no file of a task'
    )
  })

  it('is refused with what does not verify', async () => {
    const owned = contents().records.get(keys.ownedName(ALICE))!
    const proof = Buffer.from(owned)
    proof[proof.indexOf('vdf_proof') + 60]! ^= 1
    const wrong: [BackupContents, string][] = [
      [changed(keys.ownedName(ALICE), proof), keys.ownedName(ALICE)],
      [changed(keys.ownedName(ALICE), owned.subarray(1)), 'CBOR'],
      [
        changed(keys.zone(ALICE), Buffer.from('{"serial":1,"records":{"@":[{"type":"A","value":"no"}]}}')),
        keys.zone(ALICE)
      ],
      [changed(keys.ownIdentity(did), encode({})), did],
      [changed(keys.token('id'), encode({})), 'no backup holds'],
      [contents({ files: [{ path: 'tasks/none/state.0', bytes: new Uint8Array(1) }] }), 'belongs to no task'],
      [contents({ words: seedToWords(new Uint8Array(32).fill(2)) }), 'another seed']
    ]
    for (const [given, text] of wrong)
      expect((await refused(() => verifyContents(given, checkers))).message).toContain(text)
    node.pool.verifyProof = () => Promise.resolve(false)
    expect((await refused(() => verifyContents(contents(), checkers))).message).toContain('rule "proof"')
  })

  it('is restored without a manifest whose key its identity has replaced, and with any other', async () => {
    const hash = profileHash(profile)
    const key = `${prefixes.ownRecordsOf('manifest')}${did}`
    const [created, validUntil] = ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z']
    const manifest = signManifest(
      { id: document.id, kid_version: 1, version: 1, capabilities: [], validFrom: created, validUntil },
      document.assertionMethod![0]!,
      didAssertionKey(SEED, hash, 3).secretKey,
      created,
      profile
    )
    const withManifest = () => changed(key, encodeManifestRecord(manifest))
    expect(withoutMuteManifests(withManifest())).toEqual({ contents: withManifest(), mute: [] })
    const [method] = document.verificationMethod
    const publicKeyMultibase = encodeMultikey(didAssertionKey(SEED, hash, 4).publicKey)
    const next = buildNextVersion(document, { verificationMethod: [{ ...method!, publicKeyMultibase }] })
    await node.registry.publishKid({
      document: signIdentityDocument(next, didUpdateKey(SEED, hash, 3), created, profile)
    })
    expect(await make(directoryOf(withManifest()))).toMatchObject({ leftOut: [] })
    const { contents: restored, mute } = withoutMuteManifests(withManifest())
    expect(mute).toEqual([did])
    expect(restored).toEqual(contents())
    expect(await verifyContents(restored, checkers)).toMatchObject({ identities: [{ did, version: 2 }] })
  })

  it('is not made with another seed than that of the names, of another network, or of nothing', async () => {
    const root = directoryOf(contents())
    writeFileSync(join(root, 'seed-words'), seedToWords(new Uint8Array(32).fill(2)))
    const before = everything(root)
    expect(await refused(() => make(root))).toMatchObject(refusal('source', `${ALICE} belongs to another seed`))
    expect(everything(root)).toEqual(before)
    rmSync(join(root, 'seed-words'))
    expect((await refused(() => make(root))).message).toContain('no seed')
    const other = directoryOf(contents())
    expect(
      (
        await refused(() =>
          makeContents(dataPaths(other), { tasks: false, nowMs: NOW_MS, networks: [builtInProfiles.main] })
        )
      ).code
    ).toBe('network')
    const empty = fresh()
    mkdirSync(empty)
    writeFileSync(join(empty, 'seed-words'), WORDS)
    await expect(make(empty)).rejects.toThrow('is not there')
    expect(readdirSync(empty)).toEqual(['seed-words'])
  })

  it('leaves out what cannot be read, and tells', async () => {
    const { contents: taken, leftOut } = await make(directoryOf(changed(keys.zone('broken.chronym'), Buffer.from('{'))))
    expect(leftOut).toMatchObject([{ key: 'zone/broken.chronym' }])
    expect(taken.records).toEqual(contents().records)
  })

  it('is read beside a daemon that has the directory open', async () => {
    const root = directoryOf(contents())
    const store = openStore(dataPaths(root).database)
    store.put(keys.zone('late.chronym'), node.store.get(keys.zone('draft.chronym'))!)
    const { contents: taken } = await make(root)
    store.close()
    expect(taken.records.has(keys.zone('late.chronym'))).toBe(true)
  })

  it('holds running tasks with their checkpoints where they are asked for', async () => {
    const { task_id: id } = await node.registry.register('bob.chronym', {})
    const running = node.store.get(keys.task(id))!
    const root = directoryOf(
      contents({
        records: new Map([...contents().records, ...node.store.list(prefixes.tasks), [keys.task(id), running]])
      })
    )
    for (const task of [id, 'gone']) {
      mkdirSync(join(root, 'tasks', task), { recursive: true })
      for (const file of ['intermediates', 'state.0', 'state.tmp'])
        writeFileSync(join(root, 'tasks', task, file), `${task} ${file}`)
    }
    expect((await make(root)).contents.files).toEqual([])
    const { contents: taken } = await make(root, true)
    expect([...taken.records.keys()].filter((key) => key.startsWith(prefixes.tasks))).toEqual([keys.task(id)])
    expect(taken.files.map(({ path }) => path)).toEqual([`tasks/${id}/state.0`, `tasks/${id}/intermediates`])
    const again = decodeContents(encodeContents(taken))
    expect((await verifyContents(again, checkers)).tasks).toMatchObject([{ task_id: id, name: 'bob.chronym' }])
    expect(readFileSync(join(directoryOf(again), 'tasks', id, 'state.0'), 'utf8')).toBe(`${id} state.0`)
  })

  it('goes into no directory that holds anything, and leaves that as it is', async () => {
    const root = fresh()
    mkdirSync(root)
    writeFileSync(join(root, '.hidden'), 'mine')
    const before = everything(scratch)
    expect(await refused(() => writeDirectory(root, contents()))).toMatchObject(refusal('occupied', 'is not empty'))
    expect(await refused(() => writeDirectory(join(root, '.hidden'), contents()))).toMatchObject({ code: 'occupied' })
    expect(everything(scratch)).toEqual(before)
    const empty = fresh()
    mkdirSync(empty)
    writeDirectory(empty, contents())
    expect(readdirSync(empty)).toContain('seed-words')
  })
})

describe('the file of a backup', () => {
  it('is replaced whole, is for its owner alone, and leaves nothing beside it', async () => {
    const directory = fresh()
    mkdirSync(directory)
    const file = join(directory, 'names.age')
    writeSealedFile(file, Buffer.from('old'))
    writeSealedFile(file, Buffer.from('new'))
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await refused(() => writeSealedFile(directory, Buffer.from('x')))).code).toBe('occupied')
    expect((await refused(() => writeSealedFile(join(directory, 'none', 'x'), Buffer.from('x')))).code).toBe('occupied')
    expect(readdirSync(directory)).toEqual(['names.age'])
  })

  it('is noted beside what else is known of the words', () => {
    const directory = fresh()
    mkdirSync(directory)
    const paths = dataPaths(directory)
    writeFileSync(paths.backupState, '{"words_checked_at":"2026-01-01T00:00:00.000Z"}')
    noteBackup(paths, { backed_up_at: new Date(NOW_MS).toISOString() })
    expect(JSON.parse(readFileSync(paths.backupState, 'utf8'))).toEqual({
      words_checked_at: '2026-01-01T00:00:00.000Z',
      backed_up_at: '2026-11-22T12:00:00.000Z'
    })
    writeFileSync(paths.backupState, 'torn')
    noteBackup(paths, { backed_up_at: new Date(NOW_MS).toISOString() })
    expect(JSON.parse(readFileSync(paths.backupState, 'utf8'))).toEqual({ backed_up_at: '2026-11-22T12:00:00.000Z' })
  })
})
