/** What another user of this machine, or a mistake, puts in the way of a start: real daemons, a real second user. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../scripts/crash/random.ts'
import { end, firstLine, runDaemon, type DaemonSummary } from '../../scripts/program.ts'
import { runToEnd, Scene, type Finished } from '../e2e/processes.ts'
import { seedToWords } from '../../src/protocol/crypto/keys.ts'
import { clientOf, count, register, SEED } from './scene.ts'

/** Files to replace, of each kind; 0: all. */
const FILES = count('HOSTILE_FILES', 2)
/** A start takes some seconds; what never ends takes longer than this. */
const HANGS_AFTER_MS = 60_000
/** nobody. Only root can act as another user. */
const STRANGER = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

const scene = new Scene()
const random = seededRandom(SEED)
/** A used directory, and its files. */
let used: string
let files: string[]

beforeAll(async () => {
  if (!isRoot) process.stdout.write('without root there is no second user to try\n')
  used = join(scene.directory(), 'used')
  const daemon = await scene.daemon(['--data-dir', used, '--dns-enabled', 'false', '--vdf-checkpoint-seconds', '0.1'])
  await register(clientOf(daemon), 'alice.chronym')
  await daemon.signal('SIGKILL')
  files = readdirSync(used).filter((name) => name !== 'tasks')
})
afterAll(() => scene.end())

/** How a start ends: `started`, `hung`, or what it said on stderr. */
async function start(directory: string): Promise<string> {
  const child = runDaemon(['--data-dir', directory, '--dns-enabled', 'false', '--log-level', 'fatal'])
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGABRT'), HANGS_AFTER_MS)
  const outcome = await firstLine<DaemonSummary>(child).then(
    () => 'started',
    () => (child.signalCode === 'SIGABRT' ? 'hung' : said)
  )
  clearTimeout(timer)
  await end(child, 'SIGTERM')
  return outcome
}

/** A refusal names what is in the way, and is not a crash. */
function expectPlain(outcome: string, path: string): void {
  if (outcome === 'started') return
  expect(outcome).toMatch(/^chronym: /)
  expect(outcome).not.toMatch(/\bbug\b|\n {4}at /)
  expect(outcome).toContain(path)
}

const KINDS: [kind: string, put: (path: string, precious: string) => void][] = [
  ['a FIFO', (path) => execFileSync('mkfifo', ['-m', '600', path])],
  ['a directory', (path) => mkdirSync(path, { mode: 0o700 })],
  ['a link to a file elsewhere', (path, precious) => symlinkSync(precious, path)]
]

describe.each(KINDS)('%s in place of a file', (_kind, put) => {
  it('neither hangs nor crashes a start, and what is elsewhere stays as it was', async () => {
    const chosen = FILES === 0 ? files : Array.from({ length: FILES }, () => random.pick(files))
    for (const file of chosen) {
      const scratch = scene.directory()
      const directory = join(scratch, 'data')
      const precious = join(scratch, 'precious')
      cpSync(used, directory, { recursive: true })
      chmodSync(directory, 0o700)
      writeFileSync(precious, 'precious '.repeat(1_000), { mode: 0o600 })
      rmSync(join(directory, file), { force: true })
      put(join(directory, file), precious)
      const outcome = await start(directory)
      expect.soft(outcome, `${file}, HOSTILE_SEED=${SEED}`).not.toBe('hung')
      expect
        .soft(() => expectPlain(outcome, file.startsWith('chronym.db') ? 'chronym.db' : join(directory, file)), file)
        .not.toThrow()
      expect.soft(readFileSync(precious, 'utf8') === 'precious '.repeat(1_000), file).toBe(true)
      rmSync(scratch, { recursive: true, force: true })
    }
  })
})

describe.runIf(isRoot)('another user of this machine', () => {
  /** As that user, in a shell. */
  const stranger = (command: string): string =>
    execFileSync('sh', ['-c', command], { ...STRANGER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const words = seedToWords(new Uint8Array(32).fill(9))
  let parent: string
  let directory: string

  /** A directory in which everybody may make files: as /tmp, or without its sticky bit. */
  function open(mode: number): void {
    parent = scene.directory()
    chmodSync(parent, mode)
    directory = join(parent, 'data')
  }

  it.each([0o700, 0o777, 0o755])('makes the directory first, with a seed and a token (mode 0o%o)', async (mode) => {
    open(0o1777)
    stranger(`umask 0; mkdir -m ${mode.toString(8)} ${directory}; cd ${directory}; umask 077
      echo '${words}' > seed-words; printf %043d 7 > access_token`)
    const outcome = await start(directory)
    expect(outcome).toContain('SVC-KEY-010')
    expect(outcome).toContain(directory)
    expect(readdirSync(directory)).toEqual(['access_token', 'seed-words'])
  })

  it('puts a link to a directory of theirs there', async () => {
    open(0o1777)
    stranger(`mkdir -m 777 ${parent}/theirs; ln -s theirs ${directory}`)
    expect(await start(directory)).toContain('SVC-KEY-010')
    expect(readdirSync(join(parent, 'theirs'))).toEqual([])
  })

  it('may move the directory away and put another there: it is refused before that', async () => {
    open(0o1777)
    cpSync(used, directory, { recursive: true })
    chmodSync(directory, 0o700)
    expect(await start(directory)).toBe('started')
    expect(() => stranger(`mv ${directory} ${directory}-away`)).toThrow()
    chmodSync(parent, 0o777)
    const outcome = await start(directory)
    expect(outcome).toContain('SVC-KEY-010')
    expect(outcome).toContain(`all may change ${parent} (mode 777)`)
    stranger(`mv ${directory} ${directory}-away; mkdir ${directory}; echo '${words}' > ${directory}/seed-words`)
    chmodSync(parent, 0o1777)
    expect(await start(directory)).toContain('SVC-KEY-010')
  })

  it('reads and changes nothing of a running daemon, nor of a backup beside it', async () => {
    open(0o1777)
    cpSync(used, directory, { recursive: true })
    chmodSync(directory, 0o700)
    const daemon = await scene.daemon(['--data-dir', directory, '--dns-enabled', 'false'])
    const backup = join(parent, 'backup.age')
    const passphrase = join(scene.directory(), 'passphrase')
    writeFileSync(passphrase, 'hostile to every machine', { mode: 0o600 })
    // What a command may write is there first, and held open.
    stranger(
      `for name in backup.age .backup.age.tmp; do ln -s /etc/passwd ${parent}/$name; done; mkfifo ${parent}/fifo`
    )
    const made = (file: string): Promise<Finished> =>
      runToEnd('src/cli/main.ts', ['--data-dir', directory, 'backup', file, '--passphrase-file', passphrase])
    expect(await made(backup)).toMatchObject({ code: 6, stderr: expect.stringContaining(backup) as string })
    expect(await made(join(parent, 'fifo'))).toMatchObject({ code: 6 })
    expect(await made(join(parent, 'mine.age'))).toMatchObject({ stderr: '', code: 0 })
    for (const file of [...readdirSync(directory).map((name) => join(directory, name)), join(parent, 'mine.age')])
      expect(() => stranger(`cat '${file}' || echo x >> '${file}' || rm -f '${file}'`), file).toThrow()
    expect(() => stranger(`ls ${directory}`)).toThrow()
    await daemon.signal('SIGTERM')
  })
})
