/** The backup that the daemon keeps up to date: when it is written, and what it never replaces. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configuredBackup, createKeeper } from '../../../src/backup/kept/create-keeper.ts'
import { decodeContents, type BackupContents } from '../../../src/backup/container.ts'
import { decrypt } from '../../../src/backup/encryption.ts'
import { keepBackup } from '../../../src/backup/kept/kept-file.ts'
import { BackupKeeper, CHECK_MS, LATEST_MS, QUIET_MS, REFRESH_MS, SEEN_MS } from '../../../src/backup/kept/keeper.ts'
import { BACKED_UP_PREFIXES } from '../../../src/backup/records.ts'
import { checkConfig } from '../../../src/config/config.ts'
import { openDataDirectory } from '../../../src/data-directory/open.ts'
import { readOwnerSeed } from '../../../src/data-directory/seed-files.ts'
import { dataPaths, type DataPaths } from '../../../src/data-directory/paths.ts'
import { seedToWords } from '../../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { encodeAdoption } from '../../../src/registry/stored/owned-names.ts'
import { readBackupState } from '../../../src/data-directory/seed-safety.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import type { Store } from '../../../src/store/types.ts'
import { EXIT } from '../../../src/cli/failures/failure.ts'
import { cli } from '../../cli/harness.ts'
import { temporary } from '../../temporary.ts'
import { ManualClock } from '../../time/manual-clock.ts'

const profile = builtInProfiles.local
const secret = await generateX25519Identity()
const recipients = [await identityToRecipient(secret)]
const WANTED = encodeAdoption({ sinceMs: 1, isGuess: false })

let root: string
let file: string
let paths: DataPaths
let store: Store
let keeper: BackupKeeper
let clock: ManualClock
/** Attempts to write so far, and the last of them. */
let attempts: number
let attempt: Promise<unknown>
let told: string[]
let isReady: boolean

/** As a daemon has it, but the clock does not move and this thread writes the file. */
function keep(writtenMs?: number): void {
  keeper = new BackupKeeper({
    write(isForced) {
      attempts++
      const work = keepBackup({ paths, profile, file, recipients, nowMs: clock.now(), isForced })
      attempt = work.catch(() => undefined)
      return work
    },
    isReady: () => isReady,
    isThere: () => existsSync(file),
    clock,
    writtenMs,
    onFailure: (error) => told.push((error as Error).message),
    onRecovery: () => told.push('recovered'),
    onLeftOut: (left) => told.push(...left)
  })
}

function open(): void {
  store = openDataDirectory(paths, profile, { onChange: (changed) => keeper.changed(changed) }).store
}

/** Time goes on, and what was begun meanwhile ends. */
async function pass(milliseconds: number): Promise<void> {
  await clock.advance(milliseconds)
  await settled()
}
async function settled(): Promise<void> {
  await attempt
  // What follows the attempt.
  await new Promise(setImmediate)
}
/** A daemon begins. */
async function begin(): Promise<void> {
  keep()
  open()
  keeper.start()
  await settled()
}
const wantAndPass = async (name: string): Promise<void> => {
  want(name)
  await pass(QUIET_MS)
}
const want = (name: string): void => store.put(keys.wanted(name), WANTED)
const kept = async (): Promise<BackupContents> =>
  decodeContents(await decrypt(readFileSync(file), { identities: [secret] }))

beforeEach(async () => {
  root = temporary()
  mkdirSync(join(root, 'elsewhere'))
  file = join(root, 'elsewhere', 'names.age')
  paths = dataPaths(join(root, 'data'))
  clock = new ManualClock()
  attempts = 0
  isReady = true
  attempt = Promise.resolve()
  told = []
  await begin()
})
afterEach(async () => {
  await keeper.stop()
  store.close()
})

describe('the kept backup', () => {
  it('is written at the start, notes that the seed is safe, and opens with the secret key', async () => {
    expect((await kept()).words).toBe(readFileSync(paths.seed, 'utf8').trim())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readBackupState(paths)).toMatchObject({
      backed_up_at: new Date(clock.now()).toISOString(),
      kept_backup: { file }
    })
    expect(keeper.status()).toEqual({
      writtenMs: clock.now(),
      isPending: false,
      failures: 0,
      state: 'kept',
      reason: undefined
    })
  })

  it('waits while the seed is locked, and is written once it can be', async () => {
    isReady = false
    const before = attempts
    want('alice.chronym')
    await pass(LATEST_MS)
    expect([attempts, keeper.status().state, told]).toEqual([before, 'waiting', []])
    isReady = true
    keeper.resume()
    await settled()
    expect([attempts, keeper.status().state]).toEqual([before + 1, 'kept'])
    expect((await kept()).records.has(keys.wanted('alice.chronym'))).toBe(true)
  })

  it('takes a sealed seed from memory, and no file of words', async () => {
    const seed = readOwnerSeed(paths.seed)!
    rmSync(paths.seed)
    await expect(keepBackup({ paths, profile, file, recipients, nowMs: clock.now(), isForced: true })).rejects.toThrow(
      /no seed/
    )
    await keepBackup({ paths, profile, seed, file, recipients, nowMs: clock.now(), isForced: true })
    expect((await kept()).words).toBe(seedToWords(seed))
  })

  it('follows a change of each kind that a backup holds, but for tasks', async () => {
    for (const prefix of BACKED_UP_PREFIXES) {
      const before = attempts
      store.put(`${prefix}a.chronym`, WANTED)
      await pass(SEEN_MS)
      expect([prefix, attempts > before]).toEqual([prefix, prefix !== prefixes.tasks])
      store.batch([{ delete: `${prefix}a.chronym` }])
      await pass(SEEN_MS)
      expect([prefix, attempts > before + 1]).toEqual([prefix, prefix !== prefixes.tasks])
    }
  })

  it('waits for a burst to end, and a minute at most', async () => {
    const before = attempts
    want('a.chronym')
    await pass(QUIET_MS - 1)
    want('b.chronym')
    await pass(QUIET_MS - 1)
    expect(attempts).toBe(before)
    await pass(1)
    expect(attempts).toBe(before + 1)
    expect([...(await kept()).records.keys()]).toEqual([keys.wanted('a.chronym'), keys.wanted('b.chronym')])
    for (let waitedMs = 0; waitedMs < LATEST_MS; waitedMs += 4_000) {
      expect(attempts).toBe(before + 1)
      want(`n${waitedMs}.chronym`)
      await pass(4_000)
    }
    expect(attempts).toBe(before + 2)
  })

  it('lets what is only seen of others wait for ten minutes, and other keys change nothing', async () => {
    const before = attempts
    store.put(`${prefixes.pins}other.chronym`, WANTED)
    store.put(keys.contacts(), WANTED)
    await pass(SEEN_MS - 1)
    expect(attempts).toBe(before)
    await pass(1)
    expect(attempts).toBe(before + 1)
    await pass(CHECK_MS - 1)
    expect(attempts).toBe(before + 1)
  })

  it('is written again a day later, and where it was deleted, but not for nothing', async () => {
    const { ino } = statSync(file)
    await pass(CHECK_MS)
    expect(attempts).toBe(2)
    expect(statSync(file).ino).toBe(ino)
    rmSync(file)
    expect(keeper.status().state).toBe('missing')
    await pass(CHECK_MS)
    expect(keeper.status()).toMatchObject({ state: 'kept', writtenMs: clock.now() })
    const since = clock.now()
    await pass(REFRESH_MS)
    expect(keeper.status().writtenMs).toBeGreaterThan(since)
  })

  it('notes a change that an earlier run did not write', async () => {
    await keeper.stop()
    want('late.chronym')
    keep(clock.now())
    keeper.start()
    await settled()
    expect([...(await kept()).records.keys()]).toEqual([keys.wanted('late.chronym')])
  })

  it('is written for other keys at the start that follows their change', async () => {
    await keeper.stop()
    const before = readFileSync(file)
    const other = await generateX25519Identity()
    const request = { paths, profile, file, nowMs: clock.now(), isForced: false }
    expect(await keepBackup({ ...request, recipients })).toMatchObject({ isWritten: false })
    expect(readFileSync(file)).toEqual(before)
    expect(await keepBackup({ ...request, recipients: [await identityToRecipient(other)] })).toMatchObject({
      isWritten: true
    })
    expect(decodeContents(await decrypt(readFileSync(file), { identities: [other] })).words).toBe(
      readFileSync(paths.seed, 'utf8').trim()
    )
  })

  it('is written at the stop where a change waits', async () => {
    want('last.chronym')
    await keeper.stop()
    expect([...(await kept()).records.keys()]).toEqual([keys.wanted('last.chronym')])
    const after = attempts
    await keeper.stop()
    expect(attempts).toBe(after)
  })

  it('that cannot be written is told once, tried again, and told when it is back', async () => {
    renameSync(join(root, 'elsewhere'), join(root, 'away'))
    await wantAndPass('a.chronym')
    await pass(60_000)
    await pass(120_000)
    expect(told).toEqual([expect.stringContaining("can't be written")])
    expect(keeper.status()).toMatchObject({ state: 'failing', failures: 3, isPending: true })
    // However often: the file on a disk that was away stays known as this directory's.
    for (let hour = 0; hour < 12; hour++) await pass(CHECK_MS)
    renameSync(join(root, 'away'), join(root, 'elsewhere'))
    await pass(CHECK_MS)
    expect(told).toEqual([expect.anything(), 'recovered'])
    expect(keeper.status()).toMatchObject({ state: 'kept', isPending: false })
    expect((await kept()).records.size).toBe(1)
  })

  it.each([
    ['no file of age', 'my diary\n', 'is not a backup'],
    ['an empty file', '', 'is not a backup'],
    [
      'the backup of another directory',
      'age-encryption.org/v1\n-> X25519 of another\n',
      'may be the only backup of other names'
    ]
  ])('never replaces %s', async (_what, text, message) => {
    writeFileSync(file, text)
    await wantAndPass('a.chronym')
    expect(told).toEqual([expect.stringContaining(message)])
    expect(readFileSync(file, 'utf8')).toBe(text)
    rmSync(file)
    await pass(60_000)
    expect((await kept()).records.size).toBe(1)
  })

  it('is never replaced by a new daemon in place of a lost directory', async () => {
    await wantAndPass('a.chronym')
    await keeper.stop()
    store.close()
    rmSync(paths.root, { recursive: true })
    await begin()
    expect(told).toEqual([expect.stringContaining('may be the only backup')])
    expect((await kept()).records.size).toBe(1)
  })

  it('goes on over the same file written by hand, and after a crash between the file and its note', async () => {
    expect(
      await cli(['--data-dir', paths.root, 'backup', file, '--force', '--recipient', recipients[0]!])
    ).toMatchObject({ exitCode: EXIT.empty })
    await wantAndPass('a.chronym')
    expect((await kept()).records.size).toBe(1)
    // As before the rename of the next file: that one is noted, and the former is there.
    const noted = readBackupState(paths).kept_backup!
    writeFileSync(
      paths.backupState,
      JSON.stringify({ kept_backup: { file, sha256: [...noted.sha256, 'ab'.repeat(32)] } })
    )
    want('b.chronym')
    await pass(CHECK_MS)
    expect(told).toEqual([])
    expect((await kept()).records.size).toBe(2)
  })

  it('is written on a thread of its own, whose errors keep cause, cure and code', async () => {
    const failures: unknown[] = []
    const log = { info: () => undefined, warn: () => undefined, error: (facts: unknown) => failures.push(facts) }
    const place = join(root, 'elsewhere', 'thread.age')
    const parts = { recipients, paths, profile, log, clock }
    const threaded = createKeeper({ ...parts, file: place })
    threaded.start()
    await threaded.stop()
    expect(threaded.status()).toMatchObject({ state: 'kept', writtenMs: clock.now() })
    expect(decodeContents(await decrypt(readFileSync(place), { identities: [secret] })).profile).toEqual(profile)
    const nowhere = createKeeper({ ...parts, file: join(root, 'nowhere', 'a.age') })
    nowhere.start()
    await nowhere.stop()
    expect(nowhere.status()).toMatchObject({ state: 'failing', reason: 'ENOENT' })
    expect(failures).toEqual([
      expect.objectContaining({
        reason: expect.stringContaining("can't be written") as string,
        cure: expect.stringContaining('space') as string
      })
    ])
  })
})

describe('the fields of the kept backup', () => {
  const configured = async (backup: unknown) => configuredBackup(checkConfig({ backup }, 'test'))

  it('are given together or not at all', async () => {
    expect(await configured({})).toBeUndefined()
    expect(await configured({ file, recipient: recipients })).toEqual({ file, recipients })
    await expect(configured({ file })).rejects.toMatchObject({
      code: 'SVC-CFG-001',
      message: expect.stringContaining('backup.recipient: is missing')
    })
    await expect(configured({ recipient: recipients })).rejects.toMatchObject({
      code: 'SVC-CFG-001',
      message: expect.stringContaining('backup.file: is missing')
    })
  })

  it('refuse a relative path, what is not a recipient, and one with a wrong letter', async () => {
    await expect(configured({ file: 'names.age', recipient: recipients })).rejects.toThrow('must be an absolute path')
    await expect(configured({ file, recipient: ['ssh-ed25519 AAAA'] })).rejects.toThrow('must be a public key of age')
    const last = recipients[0]!.at(-1) === 'q' ? 'p' : 'q'
    await expect(configured({ file, recipient: [recipients[0]!.slice(0, -1) + last] })).rejects.toThrow(
      'is not a public key of age'
    )
  })
})
