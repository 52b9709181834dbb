/**
 * The disturbances of docs/tasks.md with real processes: clocks that jump, a full disk, records that cannot be read.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { seedToWords } from '../../src/protocol/crypto/keys.ts'
import { keys } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { begin, eventually, runToEnd, Scene, type Answer, type Daemon } from './processes.ts'

/** A second of the fastest processors; intermediate forms of 1.5 million fill the disk of 16 MiB below. */
const ITERATIONS = 600_000
const DAY_MS = 24 * 60 * 60 * 1000
const NAME = 'alice.chronym'

let scene: Scene
let profile: string

beforeEach(() => {
  scene = new Scene()
  profile = scene.network(ITERATIONS)
})

afterEach(() => scene.end())

const task = async (daemon: Daemon, id: string): Promise<Answer> =>
  (await daemon.request('GET', `/api/vdf/status/${id}`)).body
const until = (daemon: Daemon, id: string, accept: (view: Answer) => boolean): Promise<Answer> =>
  eventually(() => task(daemon, id), accept)

const register = (daemon: Daemon): Promise<string> => begin(daemon, NAME)

async function completed(daemon: Daemon, id: string): Promise<void> {
  expect(await until(daemon, id, ({ status }) => status !== 'running')).toMatchObject({
    status: 'completed',
    error: null,
    stalled: null,
    progress: ITERATIONS
  })
  expect((await daemon.request('GET', '/api/names')).body).toMatchObject([{ name: NAME, state: 'live' }])
}

describe('a clock that jumps', () => {
  let shift: string
  let args: string[]

  beforeEach(async () => {
    shift = join(scene.directory(), 'shift')
    writeFileSync(shift, '0')
    // In a process of its own: the true time.
    const { url } = await firstLine<{ url: string }>(scene.child(runBeacon()))
    args = ['--network', profile, '--data-dir', scene.directory(), '--beacon-url', url, '--vdf-checkpoint-seconds', '1']
  })

  const start = (): Promise<Daemon> =>
    scene.daemon(args, { preload: '__test__/e2e/clock-shift.ts', environment: { CLOCK_SHIFT_FILE: shift } })

  it('back by a day, in the middle and across a restart, changes nothing for a task', async () => {
    const before = await start()
    const id = await register(before)
    const { progress, updated_at: updatedAt } = await until(before, id, (view) => view.progress > 0)
    writeFileSync(shift, String(-DAY_MS))
    const later = await until(before, id, (view) => view.progress > progress || view.status !== 'running')
    expect(Date.parse(later.updated_at)).toBeGreaterThanOrEqual(Date.parse(updatedAt))
    await before.signal('SIGKILL')
    const after = await start()
    expect((await task(after, id)).resumed).toBe(1)
    await completed(after, id)
  })

  it('ahead by two days lets it compute, but publish and begin only when clock and beacon agree', async () => {
    const daemon = await start()
    const id = await register(daemon)
    await until(daemon, id, ({ phase }) => phase === 'evaluate')
    writeFileSync(shift, String(2 * DAY_MS))
    expect(await until(daemon, id, ({ stalled, status }) => stalled !== null || status !== 'running')).toMatchObject({
      status: 'running',
      phase: 'reveal',
      stalled: { code: 'SVC-PUB-002' }
    })
    expect(await daemon.request('POST', '/api/vdf/register', { name: 'bob.chronym' })).toMatchObject({
      status: 503,
      body: { code: 'SVC-BCN-001' }
    })
    writeFileSync(shift, '0')
    await completed(daemon, id)
  })
})

describe('a data directory that cannot be written', () => {
  /**
   * A disk of its own for root; others have the permission taken from them. Never nothing: what is tested is the same.
   */
  const isRoot = process.getuid?.() === 0
  let disk: string

  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'chronym-disk-'))
    if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'chronym-test', disk])
  })

  afterEach(async () => {
    await scene.end()
    if (isRoot) execFileSync('umount', [disk])
    rmSync(disk, { recursive: true, force: true })
  })

  function fill(taskDirectory: string): () => void {
    if (!isRoot) {
      chmodSync(taskDirectory, 0o500)
      return () => chmodSync(taskDirectory, 0o700)
    }
    const filler = join(disk, 'filler')
    for (let mebibytes = 1; ; mebibytes++) {
      try {
        writeFileSync(filler, Buffer.alloc(2 ** 20), { flag: 'a' })
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
        return () => rmSync(filler)
      }
      expect(mebibytes).toBeLessThan(16)
    }
  }

  it('refuses to start, with the cause and the cure', async () => {
    const directory = join(disk, 'data')
    mkdirSync(directory, { mode: 0o700 })
    if (isRoot) execFileSync('mount', ['-o', 'remount,ro', disk])
    else chmodSync(directory, 0o500)
    const { code, stderr } = await runToEnd('src/daemon/main.ts', [
      '--network',
      profile,
      '--port',
      '0',
      '--data-dir',
      directory
    ])
    if (!isRoot) chmodSync(directory, 0o700)
    expect(code).toBe(1)
    expect(stderr).toContain(`${directory} cannot be the data directory: ${isRoot ? 'EROFS' : 'EACCES'}`)
    expect(stderr).toContain('choose another directory with --data-dir')
    expect(readdirSync(directory)).toEqual([])
  })

  it('halts a task with SVC-STO-001; it resumes by itself when there is room, and nothing is lost', async () => {
    const daemon = await scene.daemon([
      '--network',
      profile,
      '--data-dir',
      join(disk, 'data'),
      '--vdf-checkpoint-seconds',
      '0.2'
    ])
    const id = await register(daemon)
    const { progress } = await until(daemon, id, (view) => view.progress > 0)
    const free = fill(join(disk, 'data', 'tasks', id))
    const halted = await until(daemon, id, ({ stalled, status }) => stalled !== null || status !== 'running')
    expect(halted).toMatchObject({ status: 'running', phase: 'evaluate', stalled: { code: 'SVC-STO-001' } })
    expect(halted.progress).toBeGreaterThanOrEqual(progress)
    expect((await daemon.request('GET', '/healthz')).status).toBe(200)
    const { body: readiness } = await daemon.request('GET', '/readyz')
    if (isRoot)
      expect(readiness.checks).toContainEqual(
        expect.objectContaining({ name: 'store', ok: false, detail: expect.stringContaining('disk is full') as string })
      )
    free()
    await completed(daemon, id)
    // From where it was halted, not from the beginning.
    const resumed = daemon.logText().match(/"squarings":(\d+),"msg":"the evaluation resumes from a checkpoint"/)
    expect(Number(resumed?.[1])).toBeGreaterThan(0)
  })
})

describe('a record of the database that cannot be read', () => {
  it('is reported by the readiness and by doctor, and the daemon works', async () => {
    const directory = scene.directory()
    const args = ['--network', profile, '--data-dir', directory]
    // A directory that holds something has a seed.
    writeFileSync(join(directory, 'seed-words'), seedToWords(new Uint8Array(32)), { mode: 0o600 })
    const store = openStore(join(directory, 'chronym.db'))
    const key = new Uint8Array(32)
    // All that is read at the start, and the names, which are looked at ever again.
    const damaged = [
      keys.task('broken'),
      keys.awake(),
      keys.lapseRound(),
      keys.contacts(),
      keys.token('broken'),
      keys.configOverride('log.level'),
      keys.commitment(key),
      keys.stamped(key),
      keys.entry(key),
      keys.ownedName('broken.chronym')
    ]
    for (const each of damaged) store.put(each, Uint8Array.of(0xff))
    // What can be parsed, and is of another shape.
    const foreign = [keys.configOverride('mode'), keys.configOverride('no.such_field')]
    for (const each of foreign) store.put(each, Buffer.from('5'))
    damaged.push(...foreign)
    store.put(keys.unsettled(key), new Uint8Array(0))
    store.close()
    const daemon = await scene.daemon(args)
    const { body } = await daemon.request('GET', '/readyz')
    expect(body.checks).toContainEqual({
      name: 'journal',
      ok: true,
      detail: `${damaged.length} unreadable record(s) set aside`,
      warning: true
    })
    for (const each of damaged)
      expect(daemon.logText()).toMatch(new RegExp(`"key":"${each}".*it is set aside unchanged`))
    expect((await daemon.request('GET', '/api/owned-names')).body).toEqual([])
    const doctor = await runToEnd('src/cli/main.ts', ['--data-dir', directory, 'doctor', '--json'])
    expect(doctor.stdout).toMatch(/"name":"journal","state":"warning"/)
    expect((await daemon.request('GET', '/api/vdf/tasks')).body).toEqual([])
  })
})
