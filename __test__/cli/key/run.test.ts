/**
 * `chronym key passphrase`, and the commands that need the seed of a directory that is sealed. scrypt costs a second
 * each time.
 */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sealSeed, unsealSeed } from '../../../src/backup/sealed-seed.ts'
import { EXIT } from '../../../src/cli/failures/failure.ts'
import { openDataDirectory, sealOwnerSeed } from '../../../src/data-directory/open.ts'
import { ServiceError } from '../../../src/errors.ts'
import { dataPaths, type DataPaths } from '../../../src/data-directory/paths.ts'
import { seedToWords } from '../../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { cli, type CliResult, type CliSettings, says } from '../harness.ts'
import { temporary } from '../../temporary.ts'

const SEED = new Uint8Array(32).fill(1)
const WORDS = seedToWords(SEED)
const OLD = 'the old passphrase'
const NEW = 'the new passphrase'
const { local } = builtInProfiles

let parent: string
let paths: DataPaths

beforeEach(() => {
  parent = temporary()
  paths = dataPaths(join(parent, 'data'))
})

const chronym = (args: readonly string[], settings: CliSettings = {}): Promise<CliResult> => {
  const config = join(parent, 'config.toml')
  writeFileSync(config, '')
  return cli([...args, '--data-dir', paths.root], { ...settings, env: { CHRONYM_CONFIG: config, ...settings.env } })
}

const file = (name: string, text: string | Uint8Array): string => {
  writeFileSync(join(parent, name), text)
  return join(parent, name)
}

async function used(): Promise<void> {
  expect((await chronym(['key', 'import'], { stdin: WORDS })).exitCode).toBe(0)
  openDataDirectory(paths, local).store.close()
}

/** Sealed with a low work factor. */
async function sealed(): Promise<void> {
  await used()
  sealOwnerSeed(paths, local, { seed: SEED, sealed: await sealSeed(SEED, OLD, { workFactor: 8 }), before: undefined })
}

describe('chronym key passphrase', () => {
  it('seals the seed, changes the passphrase and takes it off', async () => {
    await used()
    const first = await chronym(['key', 'passphrase', '--passphrase-file', file('old', OLD)])
    expect(first).toMatchObject(says(0, 'Nobody can recover'))
    expect([existsSync(paths.seed), statSync(paths.sealedSeed).mode & 0o777]).toEqual([false, 0o600])

    expect(
      (
        await chronym([
          'key',
          'passphrase',
          '--passphrase-file',
          file('new', NEW),
          '--seed-passphrase-file',
          file('old', OLD)
        ])
      ).exitCode
    ).toBe(0)
    expect(existsSync(paths.seed)).toBe(false)

    expect(
      (await chronym(['key', 'passphrase', '--remove', '--seed-passphrase-file', file('new', NEW)])).exitCode
    ).toBe(0)
    expect(existsSync(paths.sealedSeed)).toBe(false)
    expect(readFileSync(paths.seed, 'utf8')).toBe(`${WORDS}\n`)
  })

  it('changes nothing with a wrong, a short or no passphrase', async () => {
    await sealed()
    const before = readFileSync(paths.sealedSeed)
    const cases: [args: string[], exitCode: number, cause: string][] = [
      [
        ['--passphrase-file', file('new', NEW), '--seed-passphrase-file', file('wrong', 'a wrong passphrase')],
        5,
        'SVC-KEY-007'
      ],
      [['--passphrase-file', file('short', 'short'), '--seed-passphrase-file', file('old', OLD)], 2, '8 characters'],
      [['--passphrase-file', file('new', NEW)], 2, '--seed-passphrase-file'],
      [['--seed-passphrase-file', file('old', OLD)], 2, '--passphrase-file'],
      [['--remove', '--seed-passphrase-file', file('wrong', 'a wrong passphrase')], 5, 'SVC-KEY-007'],
      [['--remove', '--passphrase-file', file('new', NEW)], 2, '--remove'],
      [['--passphrase-file', '-', '--seed-passphrase-file', '-'], 2, 'only one']
    ]
    for (const [args, exitCode, cause] of cases) {
      expect(await chronym(['key', 'passphrase', ...args])).toMatchObject({ ...says(exitCode, cause), stdout: '' })
      expect(readFileSync(paths.sealedSeed)).toEqual(before)
      expect(existsSync(paths.seed)).toBe(false)
    }
  })

  it('refuses a directory whose daemon runs, before it asks', async () => {
    await used()
    const { store } = openDataDirectory(paths, local)
    expect(await chronym(['key', 'passphrase'])).toMatchObject(says(6, /SVC-KEY-005[^]*Stop/))
    store.close()
    expect(readFileSync(paths.seed, 'utf8')).toBe(`${WORDS}\n`)
  })

  it('replaces no seed that another command put there meanwhile', async () => {
    await sealed()
    const text = await sealSeed(SEED, NEW, { workFactor: 8 })
    for (const before of [undefined, 'another text'])
      expect(() => sealOwnerSeed(paths, local, { seed: SEED, sealed: text, before })).toThrow(ServiceError)
    expect(await unsealSeed(readFileSync(paths.sealedSeed, 'utf8'), OLD, 'F')).toEqual(SEED)
  })

  it("seals no seed but the directory's own", async () => {
    await used()
    const other = new Uint8Array(32).fill(2)
    writeFileSync(paths.seed, seedToWords(other))
    const text = await sealSeed(other, NEW, { workFactor: 8 })
    expect(() => sealOwnerSeed(paths, local, { seed: other, sealed: text, before: undefined })).toThrow(
      /belongs to another seed/
    )
    expect(existsSync(paths.sealedSeed)).toBe(false)
  })
})

describe('a sealed seed', () => {
  it('is shown and checked with its passphrase, from the option or the environment', async () => {
    await sealed()
    const right = ['--seed-passphrase-file', file('old', OLD)]
    expect(await chronym(['key', 'show', '--yes', '--no-json', ...right])).toMatchObject({
      exitCode: 0,
      stdout: `${WORDS}\n`
    })
    expect((await chronym(['key', 'check', ...right], { stdin: WORDS })).exitCode).toBe(0)
    expect(
      (await chronym(['key', 'check'], { stdin: WORDS, env: { CHRONYM_SEED_PASSPHRASE_FILE: file('old', OLD) } }))
        .exitCode
    ).toBe(0)
    expect((await chronym(['key', 'check'], { stdin: WORDS })).stderr).toContain('--seed-passphrase-file')
    expect((await chronym(['key', 'check', '-', '--seed-passphrase-file', '-'], { stdin: WORDS })).exitCode).toBe(2)
    expect(
      (await chronym(['key', 'show', '--yes', '--seed-passphrase-file', file('wrong', 'a wrong passphrase')])).exitCode
    ).toBe(5)
  })

  it('sealed by the text of octets that are not UTF-8 opens, and is sealed again by the octets', async () => {
    await used()
    const ours = Buffer.from('eff0eeebfcffeff0eeebfcff', 'hex')
    const former = await sealSeed(SEED, ours.toString(), { workFactor: 8 })
    sealOwnerSeed(paths, local, { seed: SEED, sealed: former, before: undefined })
    const show = (octets: Uint8Array) => chronym(['key', 'show', '--yes', '--seed-passphrase-file', file('p', octets)])
    expect(await show(ours)).toMatchObject(says(0, /passphrase file is not UTF-8[^]*sealed again/))
    expect((await show(Buffer.from('f1e5eaf0e5f2f1e5eaf0e5f2', 'hex'))).exitCode).toBe(5)
    expect((await show(ours)).stderr).not.toContain('UTF-8')
    const utf16 = file('utf16', Buffer.from('\uFEFFa long passphrase', 'utf16le'))
    expect(
      await chronym(['key', 'passphrase', '--passphrase-file', utf16, '--seed-passphrase-file', file('p', ours)])
    ).toMatchObject(says(2, 'UTF-16'))
  })

  it('is asked for on a terminal without showing it', async () => {
    await sealed()
    const { exitCode, stdout, stderr } = await chronym(['key', 'show', '--yes'], { terminal: true, stdin: `${OLD}\n` })
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toContain(OLD)
  })

  it('is not replaced by an import', async () => {
    await sealed()
    expect(await chronym(['key', 'import'], { stdin: WORDS })).toMatchObject(says(6, 'under a passphrase'))
    expect(existsSync(paths.seed)).toBe(false)
  })

  it('is looked at by doctor without its passphrase', async () => {
    await sealed()
    const finding = async (): Promise<unknown> =>
      (
        JSON.parse((await chronym(['doctor', '--json', '--api', 'http://127.0.0.1:9'])).stdout) as {
          checks: { name: string }[]
        }
      ).checks.find(({ name }) => name === 'seed')
    expect(await finding()).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('under a passphrase') as string
    })
    writeFileSync(paths.seed, WORDS, { mode: 0o600 })
    expect(await finding()).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('in clear beside') as string
    })
    rmSync(paths.seed)
    if (process.platform !== 'win32') {
      chmodSync(paths.sealedSeed, 0o644)
      expect(await finding()).toMatchObject({
        state: 'failed',
        detail: expect.stringContaining('others can read') as string
      })
    }
  })

  it('goes into a backup, and a restore seals it again or not', async () => {
    await sealed()
    const archive = join(parent, 'names.age')
    expect(await chronym(['backup', archive, '--passphrase-file', file('backup', 'backup passphrase')])).toMatchObject(
      says(2, '--seed-passphrase-file')
    )
    expect(
      (
        await chronym([
          'backup',
          archive,
          '--passphrase-file',
          file('backup', 'backup passphrase'),
          '--seed-passphrase-file',
          file('old', OLD)
        ])
      ).exitCode
    ).toBe(EXIT.empty)
    paths = dataPaths(join(parent, 'clear'))
    expect(
      (await chronym(['restore', archive, '--yes', '--passphrase-file', file('backup', 'backup passphrase')])).exitCode
    ).toBe(0)
    expect([readFileSync(paths.seed, 'utf8'), existsSync(paths.sealedSeed)]).toEqual([`${WORDS}\n`, false])
    paths = dataPaths(join(parent, 'sealed'))
    expect(
      (await chronym(['restore', '--words', '--yes', '--seed-passphrase-file', file('new', NEW)], { stdin: WORDS }))
        .exitCode
    ).toBe(0)
    expect(existsSync(paths.seed)).toBe(false)
    expect(await unsealSeed(readFileSync(paths.sealedSeed, 'utf8'), NEW, 'F')).toEqual(SEED)
  })
})
