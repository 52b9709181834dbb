import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeContents, encodeContents } from '../../../../src/backup/container.ts'
import { decrypt, encrypt } from '../../../../src/backup/encryption.ts'
import { writeDirectory } from '../../../../src/backup/restore.ts'
import { EXIT } from '../../../../src/cli/failures/failure.ts'
import { dataPaths } from '../../../../src/data-directory/paths.ts'
import { isSeedSafe } from '../../../../src/data-directory/seed-safety.ts'
import { seedToWords } from '../../../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { keys } from '../../../../src/store/keys.ts'
import { cli, type CliResult, type CliSettings, says } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const WORDS = seedToWords(new Uint8Array(32).fill(5))
const scratch = temporary()
const at = (name: string): string => join(scratch, name)
const passphrase = ['--passphrase-file', '-']
let recipient: string

const run = (args: readonly string[], settings?: CliSettings): Promise<CliResult> => cli(['--json', ...args], settings)
const failure = async (
  args: readonly string[],
  settings?: CliSettings
): Promise<{ code: string; exit_code: number; detail: string; cure?: string }> => {
  const { stderr } = await run(args, settings)
  return (
    JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: { code: string; exit_code: number; detail: string } }
  ).error
}
const everything = (): string => {
  const files = readdirSync(scratch, { recursive: true, encoding: 'utf8' }).filter(
    (file) => statSync(join(scratch, file)).isFile() && !/-(?:wal|shm)$/u.test(file)
  )
  return files
    .sort()
    .map(
      (file) =>
        `${file} ${createHash('sha256')
          .update(readFileSync(join(scratch, file)))
          .digest('hex')}`
    )
    .join('\n')
}

beforeAll(async () => {
  const secret = await generateX25519Identity()
  recipient = await identityToRecipient(secret)
  writeFileSync(at('key.txt'), `# a comment\n${secret}\n`)
  const zone = Buffer.from('{"serial":1,"records":{"@":[{"type":"A","value":"192.0.2.1"}]}}')
  writeDirectory(at('original'), {
    profile: builtInProfiles.local,
    words: WORDS,
    records: new Map([[keys.zone('alice.chronym'), zone]]),
    files: []
  })
  expect((await run(['--data-dir', at('original'), 'backup', at('mine.age'), '--recipient', recipient])).exitCode).toBe(
    0
  )
})

it('says what to check where there is no such backup', async () => {
  expect(await failure(['--data-dir', at('unread'), 'restore', at('none.age')])).toMatchObject({
    detail: expect.stringContaining("none.age can't be read") as string,
    cure: expect.stringContaining('Check the path') as string
  })
})

describe('a backup on the command line', () => {
  it('says which daemon it is of, and ends with a code of its own where there is nothing but a seed', async () => {
    const empty = ['--data-dir', at('nothing yet'), 'backup', at('empty.age'), '--recipient', recipient, '--no-json']
    writeDirectory(at('nothing yet'), { profile: builtInProfiles.local, words: WORDS, records: new Map(), files: [] })
    const { exitCode, stdout, stderr } = await cli(empty)
    expect(exitCode).toBe(EXIT.empty)
    expect(stdout).toContain(`\nof the daemon of ${at('nothing yet')}, which does not run, with no names\n`)
    expect(stderr).toContain('nothing in this backup but a seed')
    expect(readdirSync(scratch)).toContain('empty.age')
  })

  it('is for its owner alone, and is not replaced unasked', async () => {
    expect(statSync(at('mine.age')).mode & 0o777).toBe(0o600)
    const again = ['--data-dir', at('original'), 'backup', at('mine.age'), '--recipient', recipient]
    const before = readFileSync(at('mine.age'))
    expect(await failure(again)).toMatchObject({
      code: 'CLI-BAK-003',
      exit_code: 6,
      cure: expect.stringContaining('--force') as string
    })
    expect(readFileSync(at('mine.age'))).toEqual(before)
    expect((await run([...again, '--force'])).exitCode).toBe(0)
    expect(readFileSync(at('mine.age'))).not.toEqual(before)
  })

  it.each([
    ['a recipient that is none', ['--recipient', 'age1none'], '', 'CLI-USE-001'],
    ['a passphrase that is too short', passphrase, 'short\n', 'CLI-USE-001'],
    ['no passphrase', passphrase, '\n', 'CLI-USE-001'],
    ['nobody to ask', [], '', 'CLI-USE-001']
  ])('refuses %s', async (_title, options, stdin, expected) => {
    expect((await failure(['--data-dir', at('original'), 'backup', at('never.age'), ...options], { stdin })).code).toBe(
      expected
    )
    expect(readdirSync(scratch)).not.toContain('never.age')
  })

  it('refuses a directory that is none, and makes nothing there', async () => {
    expect(
      await failure(['--data-dir', at('nowhere'), 'backup', at('never.age'), '--recipient', recipient])
    ).toMatchObject({ code: 'CLI-BAK-004', detail: expect.stringContaining('no seed') as string })
    expect(readdirSync(scratch)).not.toContain('nowhere')
  })

  it('says that a copy inside the data directory is lost with it', async () => {
    const { stderr } = await cli([
      '--data-dir',
      at('original'),
      'backup',
      join(at('original'), 'inside.age'),
      '--recipient',
      recipient
    ])
    expect(stderr).toContain('lost with it')
    rmSync(join(at('original'), 'inside.age'))
  })
})

describe('the check of a backup', () => {
  const check = (file: string, ...more: string[]): string[] => ['backup', 'check', at(file), ...more]

  it('says that it is complete, what it holds and how old it is, and writes nothing', async () => {
    const before = everything()
    const args = check('mine.age', '--identity', at('key.txt'))
    const { exitCode, stdout } = await run(args)
    expect(exitCode).toBe(EXIT.ok)
    const answer = JSON.parse(stdout) as { age_seconds: number }
    expect(answer).toMatchObject({ complete: true, network: 'local', names: [], drafts: ['alice.chronym'] })
    expect(answer.age_seconds).toBeGreaterThanOrEqual(0)
    const text = await cli([...args, '--no-json'])
    expect(text.stdout).toMatch(/^complete: .*mine\.age opens/u)
    expect(text.stdout).toContain('alice.chronym  a zone draft only')
    expect(text.stdout).toMatch(/^made .*\(\d{4}-\d\d-\d\dT.*\), for network local$/mu)
    expect(everything()).toBe(before)
  })

  it('asks for the passphrase, and takes it from a file that stands behind the word', async () => {
    const made = ['--data-dir', at('original'), 'backup', at('asked.age'), ...passphrase]
    expect((await run(made, { stdin: 'correct horse\n' })).exitCode).toBe(0)
    expect((await run(check('asked.age', ...passphrase), { stdin: 'correct horse\n' })).exitCode).toBe(EXIT.ok)
    expect((await cli(check('asked.age'), { terminal: true, stdin: 'correct horse\n' })).exitCode).toBe(EXIT.ok)
    expect(await failure(check('asked.age', ...passphrase), { stdin: 'wrong horse\n' })).toMatchObject({
      code: 'CLI-BAK-001',
      exit_code: EXIT.usage
    })
  })

  it('ends with the code of what is wrong', async () => {
    const whole = readFileSync(at('mine.age'))
    writeFileSync(at('cut.age'), whole.subarray(0, -1))
    writeFileSync(at('flipped.age'), Buffer.concat([whole.subarray(0, -1), Buffer.of(whole.at(-1)! ^ 1)]))
    const identity = ['--identity', at('key.txt')]
    for (const [file, code] of [
      ['cut.age', 'CLI-BAK-001'],
      ['flipped.age', 'CLI-BAK-001'],
      ['key.txt', 'CLI-BAK-001'],
      ['no such.age', 'CLI-INP-001']
    ] as const)
      expect(await failure(check(file, ...identity)), file).toMatchObject({ code, exit_code: EXIT.usage })
    writeDirectory(at('bare'), { profile: builtInProfiles.local, words: WORDS, records: new Map(), files: [] })
    await run(['--data-dir', at('bare'), 'backup', at('bare.age'), '--recipient', recipient])
    expect((await run(check('bare.age', ...identity))).exitCode).toBe(EXIT.empty)
    expect(await failure(['backup', 'check'])).toMatchObject({ code: 'CLI-USE-001' })
    expect(await failure(check('mine.age', ...identity, '--force'))).toMatchObject({
      code: 'CLI-USE-001',
      detail: 'backup check takes no --force'
    })
  })

  it('refuses a backup whose records do not verify', async () => {
    const plaintext = await decrypt(readFileSync(at('mine.age')), {
      identities: readFileSync(at('key.txt'), 'utf8').match(/AGE-SECRET-KEY-1\S+/gu)!
    })
    const contents = decodeContents(plaintext)
    const forged = new Map([...contents.records, [keys.zone('bob.chronym'), Buffer.from('{"serial":')]])
    const sealed = await encrypt(encodeContents({ ...contents, records: forged }), { recipients: [recipient] })
    writeFileSync(at('forged.age'), sealed)
    expect(await failure(check('forged.age', '--identity', at('key.txt')))).toMatchObject({
      code: 'CLI-BAK-001',
      detail: expect.stringContaining('bob.chronym') as string
    })
  })
})

describe('a restore on the command line', () => {
  const from = (directory: string, ...more: string[]): string[] => [
    '--data-dir',
    at(directory),
    'restore',
    at('mine.age'),
    ...more
  ]
  const key = (): string[] => ['--identity', at('key.txt')]

  it('brings the words and the draft back, for the network of the backup', async () => {
    const { exitCode, stdout } = await run(from('restored', ...key(), '--yes'))
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ data_dir: at('restored'), network: 'local', drafts: ['alice.chronym'] })
    expect(readFileSync(join(at('restored'), 'seed-words'), 'utf8')).toBe(`${WORDS}\n`)
    expect((await cli(from('told', ...key(), '--yes', '--no-json'))).stdout).toContain(
      'start it: chronym daemon --network local'
    )
  })

  it('asks on a terminal whether the original is gone, and takes Enter for a no', async () => {
    for (const stdin of ['\n', 'n\n']) {
      expect(await cli(from('asked', ...key()), { terminal: true, stdin })).toMatchObject({
        ...says(130, 'Two daemons with one seed'),
        stdout: ''
      })
      expect(readdirSync(scratch)).not.toContain('asked')
    }
    expect((await cli(from('asked', ...key()), { terminal: true, stdin: 'y\n' })).exitCode).toBe(0)
  })

  it('takes a passphrase, and refuses a wrong one', async () => {
    const file = at('phrase.age')
    expect(
      (await run(['--data-dir', at('original'), 'backup', file, ...passphrase], { stdin: 'correct horse\n' })).exitCode
    ).toBe(0)
    const restore = ['--data-dir', at('by-phrase'), 'restore', file, ...passphrase, '--yes']
    expect(await failure(restore, { stdin: 'wrong horse\n' })).toMatchObject({
      code: 'CLI-BAK-001',
      exit_code: 2,
      detail: expect.stringContaining('passphrase does not open') as string
    })
    expect(readdirSync(scratch)).not.toContain('by-phrase')
    expect((await run(restore, { stdin: 'correct horse\n' })).exitCode).toBe(0)
  })

  it('opens a backup under the text of octets that are not UTF-8, and seals it again by the octets', async () => {
    const [ours, other] = ['eff0eeebfcffeff0eeebfcff', 'f1e5eaf0e5f2f1e5eaf0e5f2'].map((hex) => Buffer.from(hex, 'hex'))
    const plaintext = await decrypt(readFileSync(at('mine.age')), {
      identities: readFileSync(at('key.txt'), 'utf8').match(/AGE-SECRET-KEY-1\S+/gu)!
    })
    writeFileSync(at('former.age'), await encrypt(plaintext, { passphrase: ours!.toString(), workFactor: 8 }))
    writeFileSync(at('ours.txt'), ours!)
    writeFileSync(at('other.txt'), other!)
    const restore = (directory: string, file: string) =>
      cli(['--data-dir', at(directory), 'restore', at('former.age'), '--passphrase-file', at(file), '--yes'])
    expect(await restore('from-former', 'ours.txt')).toMatchObject(says(0, 'sealed again by its octets'))
    expect(await restore('from-other', 'other.txt')).toMatchObject(says(2, 'passphrase does not open'))
    expect((await restore('from-octets', 'ours.txt')).exitCode).toBe(0)
  })

  it('refuses what it must not do, and touches nothing', async () => {
    mkdirSync(at('full'))
    writeFileSync(at('full/.mine'), 'mine')
    writeFileSync(at('half.age'), readFileSync(at('mine.age')).subarray(0, 300))
    const before = everything()
    const cases: [string[], CliSettings, string][] = [
      [from('full', ...key(), '--yes'), {}, 'CLI-BAK-003'],
      [from('original', ...key(), '--yes'), {}, 'CLI-BAK-003'],
      [from('new', ...key(), '--yes', '--network', 'main'), {}, 'CLI-BAK-002'],
      [from('new', ...key(), '--yes'), { env: { CHRONYM_NETWORK: 'test' } }, 'CLI-BAK-002'],
      [from('new', ...key()), {}, 'CLI-USE-001'],
      [from('new', '--yes'), {}, 'CLI-USE-001'],
      [from('new', '--yes', ...passphrase), { stdin: 'a passphrase\n' }, 'CLI-BAK-001'],
      [from('new', '--yes', '--identity', at('mine.age')), {}, 'CLI-BAK-001'],
      [from('new', '--yes', ...key(), '--name', 'alice.chronym'), {}, 'CLI-USE-001'],
      [['--data-dir', at('new'), 'restore', at('half.age'), ...key(), '--yes'], {}, 'CLI-BAK-001'],
      [['--data-dir', at('new'), 'restore', at('key.txt'), ...key(), '--yes'], {}, 'CLI-BAK-001'],
      [['--data-dir', at('new'), 'restore', at('none.age'), ...key(), '--yes'], {}, 'CLI-INP-001'],
      [['--data-dir', at('new'), 'restore', '--yes'], {}, 'CLI-USE-001']
    ]
    for (const [args, settings, expected] of cases)
      expect(await failure(args, settings), args.join(' ')).toMatchObject({ code: expected })
    expect(everything()).toBe(before)
    expect(readdirSync(scratch)).not.toContain('new')
  })

  it('refuses a taken place before it asks for a secret, with a command that works when pasted', async () => {
    mkdirSync(at('taken'))
    writeFileSync(at('taken/file'), '')
    const cures: [string[], string, string][] = [
      [from('taken', ...key(), '--yes'), '', at('taken-restored')],
      [['--data-dir', at('taken'), 'restore', '--words', '--network', 'local', '--yes'], WORDS, at('taken-restored-2')]
    ]
    for (const [args, stdin, place] of cures) {
      const refused = await cli(args, { stdin })
      expect(refused).toMatchObject(says(6, 'is not empty'))
      const pasted = /`chronym ([^`]+)`/u.exec(refused.stderr)![1]!.split(' ')
      expect((await cli(pasted, { stdin })).exitCode, pasted.join(' ')).toBe(EXIT.ok)
      expect(readFileSync(join(place, 'seed-words'), 'utf8')).toBe(`${WORDS}\n`)
    }
    // A file that is no age file is refused once it is read, so the place was looked at before.
    expect(await failure(['--data-dir', at('taken'), 'restore', at('key.txt'), ...passphrase])).toMatchObject({
      code: 'CLI-BAK-003'
    })
  })

  it('makes a directory of the words, with what is to be looked for', async () => {
    const words = ['--data-dir', at('words'), 'restore', '--words', '--network', 'local', '--yes']
    const { exitCode, stdout, stderr } = await run([...words, '--name', 'alice.chronym'], {
      stdin: `${WORDS.toUpperCase()}\n`
    })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(stdout)).toEqual({ data_dir: at('words'), network: 'local', wanted: ['alice.chronym'] })
    expect(readFileSync(join(at('words'), 'seed-words'), 'utf8')).toBe(`${WORDS}\n`)
    // Nobody is reminded to write down what was typed just now.
    expect(isSeedSafe(dataPaths(at('words')))).toBe(true)
    const before = everything()
    expect(await failure(words, { stdin: WORDS })).toMatchObject({ code: 'CLI-BAK-003' })
    const other = ['--data-dir', at('other'), ...words.slice(2)]
    const wrong = await failure(other, { stdin: WORDS.replace(/^\w+/u, 'zoo') })
    expect(wrong).toMatchObject({ code: 'CLI-INP-001', exit_code: 2 })
    expect(wrong.detail).not.toContain(WORDS.split(' ')[1])
    expect(await failure([...other, '--name', 'No_name'], { stdin: WORDS })).toMatchObject({ code: 'SVC-NAM-001' })
    expect(await failure([...other, at('mine.age')], { stdin: WORDS })).toMatchObject({ code: 'CLI-USE-001' })
    const asked = words.slice(2, -1)
    for (const [typed, expected] of [
      ['No_name\n', 'SVC-NAM-001'],
      ['', 'CLI-INT-001']
    ] as const)
      expect(
        (await cli(['--data-dir', at('other'), ...asked], { stdin: typed, terminal: true })).stderr,
        'one name is asked for before the words'
      ).toContain(expected)
    expect(everything()).toBe(before)
  })
})
