/** `chronym key` on data directories, without a daemon. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory } from '../../../../src/data-directory/open.ts'
import { dataPaths, type DataPaths } from '../../../../src/data-directory/paths.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { seedToWords, wordsToSeed } from '../../../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { isSeedSafe, noteBackup, readBackupState } from '../../../../src/data-directory/seed-safety.ts'
import { writeRunningRecord } from '../../../../src/data-directory/running-record.ts'
import { keys } from '../../../../src/store/keys.ts'
import { INSTANCE } from '../../../api/helpers/world.ts'
import { cli, type CliResult, type CliSettings, says } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const WORDS = seedToWords(new Uint8Array(32).fill(1))
const OTHERS = seedToWords(new Uint8Array(32).fill(2))

let parent: string
let paths: DataPaths

beforeEach(() => {
  parent = temporary()
  paths = dataPaths(join(parent, 'data'))
})

/** No configuration of the user who runs the tests. */
const key = (args: readonly string[], settings: CliSettings = {}): Promise<CliResult> => {
  const config = join(parent, 'config.toml')
  writeFileSync(config, '')
  return cli([...args, '--data-dir', paths.root], { ...settings, env: { CHRONYM_CONFIG: config } })
}

/** The directory after a first start with these words, its daemon stopped. */
async function used(): Promise<void> {
  expect((await key(['key', 'import'], { stdin: WORDS })).exitCode).toBe(0)
  openDataDirectory(paths, builtInProfiles.local).store.close()
  rmSync(paths.backupState)
}

const images = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(paths.root).map((name) => [
      name,
      statSync(join(paths.root, name)).isFile() ? readFileSync(join(paths.root, name), 'hex') : 'directory'
    ])
  )

async function seedFinding(): Promise<{ state: string; detail: string; cure?: string } | undefined> {
  const { stdout } = await key(['doctor', '--json', '--api', 'http://127.0.0.1:9'])
  return (JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] }).checks.find(
    ({ name }) => name === 'seed'
  )
}

describe('chronym key show', () => {
  it('prints the words to a script that says --yes, on one line or as JSON', async () => {
    await used()
    expect(await key(['key', 'show', '--yes', '--no-json'])).toMatchObject({ exitCode: 0, stdout: `${WORDS}\n` })
    expect(JSON.parse((await key(['key', 'show', '--yes', '--json'])).stdout)).toEqual({
      words: WORDS,
      entropy: toHex(wordsToSeed(WORDS))
    })
  })

  it('shows nothing where nobody was asked', async () => {
    await used()
    const { exitCode, stdout, stderr } = await key(['key', 'show'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('--yes')
  })

  it('asks on a terminal, and numbers the words there', async () => {
    await used()
    for (const stdin of ['n\n', '\n', ''])
      expect(await key(['key', 'show'], { terminal: true, stdin })).toMatchObject({
        ...says(130, 'take your names'),
        stdout: ''
      })
    const { exitCode, stdout } = await key(['key', 'show'], { terminal: true, stdin: 'y\n' })
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(6)
    expect(stdout).toMatch(/^ 1\. \w+/)
    expect(stdout).toContain(`24. ${WORDS.split(' ').at(-1)!}`)
    // What it shows can be given back unchanged.
    expect((await key(['key', 'check'], { stdin: stdout })).exitCode).toBe(0)
  })

  it('names the directory that has no seed', async () => {
    const { exitCode, stderr } = await key(['key', 'show', '--yes'])
    expect(exitCode).toBe(4)
    expect(stderr).toContain(paths.root)
    expect(existsSync(paths.root)).toBe(false)
  })
})

describe('chronym key check', () => {
  it('says yes to the right words and notes it, and no to others', async () => {
    await used()
    expect(isSeedSafe(paths)).toBe(false)
    expect(await key(['key', 'check', '--json'], { stdin: OTHERS })).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('"matches":false') as string
    })
    expect(isSeedSafe(paths)).toBe(false)
    expect(await key(['key', 'check', '--json'], { stdin: WORDS })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"matches":true') as string
    })
    expect(isSeedSafe(paths)).toBe(true)
    expect(statSync(paths.backupState).mode & 0o777).toBe(0o600)
    expect(readFileSync(paths.backupState, 'utf8')).not.toContain(WORDS.split(' ')[0])
  })

  it('says whose words they are, and how many names that daemon has', async () => {
    await used()
    const said = async (stdin: string): Promise<string> => (await key(['key', 'check', '--no-json'], { stdin })).stdout
    expect(await said(WORDS)).toBe(
      `These are the words of the daemon of ${paths.root}, which does not run, with no names. Keep them safe.\n`
    )
    const { store } = openDataDirectory(paths, builtInProfiles.local)
    store.put(keys.ownedName('alice.chronym'), new Uint8Array(1))
    writeRunningRecord(paths, { url: 'http://127.0.0.1:7468', instance: INSTANCE })
    try {
      expect(await said(OTHERS)).toContain(
        `not those of the daemon of ${paths.root}, at http://127.0.0.1:7468, with 1 name. `
      )
      expect(await said(OTHERS)).toContain(`chronym --data-dir ${paths.root} key show`)
    } finally {
      store.close()
    }
  })

  it('asks on a terminal, line by line, and takes a file', async () => {
    await used()
    const words = WORDS.split(' ')
    const lines = [words.slice(0, 10), words.slice(10, 20), words.slice(20)]
      .map((part) => part.join(' ').toUpperCase())
      .join('\n')
    const asked = await key(['key', 'check'], { terminal: true, stdin: `${lines}\n` })
    expect(asked.exitCode).toBe(0)
    expect(asked.stderr).toContain('24 words')
    const file = join(parent, 'paper.txt')
    writeFileSync(file, words.map((word, index) => `${index + 1}) ${word}`).join('\n'))
    expect((await key(['key', 'check', file])).exitCode).toBe(0)
  })

  it.each([
    ['a word of no list', WORDS.replace(/^\w+/u, 'secretword'), 'word 1 of the 24 is not in'],
    ['23 words', WORDS.replace(/ \w+$/u, ''), 'not 23'],
    ['two words that changed places', WORDS.replace(/(\w+) (\w+)$/u, '$2 $1'), 'checksum'],
    ['nothing', '', 'not 0']
  ])('says what is wrong with %s and quotes no word', async (_title, words, reason) => {
    await used()
    const { exitCode, stderr } = await key(['key', 'check'], { stdin: words })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(reason)
    expect(stderr).toContain('cure')
    for (const word of ['secretword', ...WORDS.split(' ').filter((each) => each.length > 6)])
      expect(stderr).not.toContain(word)
    expect(isSeedSafe(paths)).toBe(false)
  })

  it('does not take the words of a wrong file for those of the directory', async () => {
    await used()
    writeFileSync(paths.seed, OTHERS)
    const before = images()
    const { exitCode, stderr } = await key(['key', 'check'], { stdin: OTHERS })
    expect(exitCode).toBe(6)
    expect(stderr).toContain('SVC-KEY-002')
    expect(images()).toEqual(before)
  })
})

describe('chronym key import', () => {
  it('makes a directory that its daemon starts with, and counts as a check', async () => {
    expect(await key(['key', 'import', '--json'], { stdin: WORDS })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"imported":true') as string
    })
    expect(readFileSync(paths.seed, 'utf8')).toBe(`${WORDS}\n`)
    expect([statSync(paths.root).mode & 0o777, statSync(paths.seed).mode & 0o777]).toEqual([0o700, 0o600])
    expect(isSeedSafe(paths)).toBe(true)
    const opened = openDataDirectory(paths, builtInProfiles.local)
    expect(opened).toMatchObject({ isSeedNew: false, masterSeed: new Uint8Array(32).fill(1) })
    opened.store.close()
  })

  it.each([
    ['the file of another seed', () => undefined, OTHERS],
    ['no file, but names of another seed', () => rmSync(paths.seed), OTHERS],
    ['a damaged file, but names of another seed', () => writeFileSync(paths.seed, 'torn'), OTHERS]
  ])('refuses a directory with %s, and changes nothing', async (_title, spoil, words) => {
    await used()
    spoil()
    const before = images()
    const { exitCode, stderr } = await key(['key', 'import'], { stdin: words })
    expect(exitCode).toBe(6)
    expect(stderr).toContain('SVC-KEY-002')
    expect(images()).toEqual(before)
  })

  it('refuses another seed before the first start as well', async () => {
    await key(['key', 'import'], { stdin: WORDS })
    expect(await key(['key', 'import', '--json'], { stdin: WORDS })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"imported":false') as string
    })
    const before = images()
    expect((await key(['key', 'import'], { stdin: OTHERS })).exitCode).toBe(6)
    expect(images()).toEqual(before)
  })

  it('puts the right words back, and keeps a damaged file beside them', async () => {
    await used()
    for (const damage of ['torn', 'torn again']) {
      writeFileSync(paths.seed, damage)
      expect((await key(['key', 'import'], { stdin: WORDS })).exitCode).toBe(0)
      expect(readFileSync(paths.seed, 'utf8')).toBe(`${WORDS}\n`)
    }
    expect(readFileSync(`${paths.seed}.damaged`, 'utf8')).toBe('torn')
    expect(readFileSync(`${paths.seed}.damaged-2`, 'utf8')).toBe('torn again')
  })

  it('refuses a directory that is in use', async () => {
    await used()
    const { store } = openDataDirectory(paths, builtInProfiles.local)
    const { exitCode, stderr } = await key(['key', 'import'], { stdin: WORDS })
    expect(exitCode).toBe(6)
    expect(stderr).toMatch(/SVC-KEY-005.*in use[^]*Stop/)
    // What a running daemon has is right: it looked at its start.
    expect((await key(['key', 'check'], { stdin: WORDS })).exitCode).toBe(0)
    store.close()
  })
})

describe('doctor', () => {
  it('warns until the words were checked', async () => {
    expect(await seedFinding()).toBeUndefined()
    await used()
    const warned = await seedFinding()
    expect(warned).toMatchObject({ state: 'warning' })
    expect(warned!.cure).toContain('chronym key show')
    await key(['key', 'check'], { stdin: WORDS })
    expect(await seedFinding()).toMatchObject({ state: 'ok' })
  })

  it('names a seed that others can read, one that is damaged and one that is gone', async () => {
    await used()
    chmodSync(paths.seed, 0o644)
    expect(await seedFinding()).toMatchObject({
      state: 'failed',
      cure: expect.stringContaining('chmod 600') as string
    })
    chmodSync(paths.seed, 0o600)
    writeFileSync(paths.seed, 'torn')
    expect(await seedFinding()).toMatchObject({
      state: 'failed',
      cure: expect.stringContaining('key import') as string
    })
    rmSync(paths.seed)
    expect(await seedFinding()).toMatchObject({
      state: 'failed',
      cure: expect.stringContaining('key import') as string
    })
  })
})

describe('what is noted of copies', () => {
  it.each(['words_checked_at', 'backed_up_at'])('counts %s alone', async (way) => {
    await used()
    writeFileSync(paths.backupState, JSON.stringify({ [way]: '2026-01-01T00:00:00Z' }))
    expect(isSeedSafe(paths)).toBe(true)
  })

  it('keeps what others noted, reminds again where it cannot be read, and ends with the seed', async () => {
    await used()
    writeFileSync(paths.backupState, '{"else": 1}')
    expect(isSeedSafe(paths)).toBe(false)
    noteBackup(paths, { words_checked_at: '2026-01-01T00:00:00Z' })
    expect(readBackupState(paths)).toEqual({ else: 1, words_checked_at: '2026-01-01T00:00:00Z' })
    for (const text of ['', '[', 'null', '{"words_checked_at": 1}']) {
      writeFileSync(paths.backupState, text)
      expect(isSeedSafe(paths)).toBe(false)
    }
    noteBackup(paths, { words_checked_at: '2026-01-01T00:00:00Z' })
    for (const file of [paths.seed, paths.database]) rmSync(file)
    openDataDirectory(paths, builtInProfiles.local).store.close()
    expect(isSeedSafe(paths)).toBe(false)
  })
})
