/** A day of an owner is recorded once; then the machine stops at any of its changes, and a daemon starts on the rest. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../scripts/crash/random.ts'
import { imageAfter, readChanges, writeImage, type Image } from './disk.ts'
import { allowed, count, HostileDisk, revive, SEED, work, type Promised } from './scene.ts'

const IS_SHORT = process.env['HOSTILE_WORK'] !== 'whole'
/** Of SQLite's log: its head, and a frame with its own. */
const LOG_HEAD = 32
const FRAME = 24 + 4096

const say = (line: string): void => void process.stdout.write(`${line} (HOSTILE_SEED=${SEED})\n`)

let disk: HostileDisk
let changes: ReturnType<typeof readChanges>
let backup: Buffer | undefined
const promised: Promised[] = []

beforeAll(async () => {
  disk = new HostileDisk()
  await work(disk, promised, IS_SHORT)
  changes = readChanges(disk.log)
  backup = IS_SHORT ? undefined : readFileSync(disk.backup)
})
afterAll(() => disk.scene.end())

/** What is not as it was promised up to `end` of the log. Rejects where no daemon starts. */
async function broken(image: Image, end: number): Promise<string[]> {
  const place = join(disk.scene.directory(), 'disk')
  try {
    writeImage(image, disk.disk, place)
    const kept = image.get(disk.backup)
    const { seen, doctor } = await revive(disk, join(place, 'data'))
    const complaints = doctor.map((finding) => `doctor: ${finding}`)
    if (kept !== undefined && backup !== undefined && !kept?.equals(backup)) complaints.push('the backup is in part')
    for (const [what, values] of allowed(promised, end)) {
      const is = what === 'backup' ? (kept === undefined ? 'none' : 'whole') : (seen[what] ?? 'none')
      if (!values.includes(is)) complaints.push(`${what}: ${is} instead of ${values.join(' or ')}`)
    }
    return complaints
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

it('the recording misses nothing', () => {
  const written = [...imageAfter(changes, changes.length)].filter(([path]) => path !== disk.disk)
  const found = readdirSync(disk.disk, { recursive: true, encoding: 'utf8' })
    .map((name) => join(disk.disk, name))
    // A socket has no bytes: a listening daemon makes it again.
    .filter((path) => !path.endsWith('.sock'))
  // SQLite maps its index into memory.
  const compared = (path: string): boolean => !path.endsWith('-shm')
  expect(written.map(([path]) => path).toSorted()).toEqual(found.toSorted())
  for (const [path, content] of written.filter(([path]) => compared(path)))
    expect(content?.equals(readFileSync(path)) ?? statSync(path).isDirectory(), path).toBe(true)
})

describe.each([
  ['kill -9', 'HOSTILE_KILLS', false],
  ['a power cut', 'HOSTILE_CUTS', true]
] as const)('%s', (what, variable, isPowerCut) => {
  it('loses nothing that was confirmed, and nothing half-written is believed', async () => {
    const random = seededRandom(SEED)
    const found: Record<number, string[]> = {}
    const many = count(variable, 10)
    for (let done = 0; done < many; done++) {
      const cut = random.between(1, changes.length)
      const image = imageAfter(changes, cut, isPowerCut ? random : undefined)
      const complaints = await broken(image, changes[cut - 1]!.end).catch((error: unknown) => [String(error)])
      if (complaints.length > 0) found[cut] = complaints
    }
    say(`${what}: ${many} instants of ${changes.length} changes`)
    expect(found, `HOSTILE_SEED=${SEED}`).toEqual({})
  })
})

it('a process that is really killed leaves what the recording says', async () => {
  const random = seededRandom(SEED)
  for (let done = 0; done < count('HOSTILE_REAL_KILLS', 0); done++) {
    const other = new HostileDisk()
    const cut = random.between(1, changes.length)
    const steps: Promised[] = []
    other.set('kill_at', cut)
    await work(other, steps, IS_SHORT).catch(() => undefined)
    const { seen, doctor } = await revive(other, other.data)
    const wrong = [...allowed(steps, other.logged)].filter(
      ([what, values]) => what !== 'backup' && !values.includes(seen[what] ?? 'none')
    )
    expect({ wrong, doctor }, `change ${cut}, HOSTILE_SEED=${SEED}`).toEqual({ wrong: [], doctor: [] })
    await other.scene.end()
  }
})

/**
 * SQLite ends its log at the first frame that is damaged, and takes it for one that a crash cut off. So what it held
 * from there on is gone, and only something beside the database can name it. What an owner needs does not wait there.
 */
it('a damaged page of the log costs nothing of the owner that is not named', async () => {
  const random = seededRandom(SEED)
  const path = join(disk.data, 'chronym.db-wal')
  const framesAt = (cut: number): number =>
    Math.floor(((imageAfter(changes, cut).get(path)?.length ?? 0) - LOG_HEAD) / FRAME)
  const withLog = changes.map((_, index) => index + 1).filter((cut) => framesAt(cut) > 0)
  expect(withLog.length).toBeGreaterThan(0)
  const counted = { refused: 0, intact: 0, told: 0 }
  const silent: string[] = []
  for (let done = 0; done < count('HOSTILE_PAGES', 6); done++) {
    const cut = withLog[random.between(0, withLog.length - 1)]!
    const image = imageAfter(changes, cut)
    const damaged = Buffer.from(image.get(path)!)
    const at = LOG_HEAD + random.between(0, framesAt(cut) - 1) * FRAME
    if (done % 2 === 0) damaged.fill(0, at, at + FRAME)
    else for (let byte = at; byte < at + FRAME; byte += 64) damaged[byte] = damaged[byte]! ^ random.between(1, 255)
    try {
      const complaints = await broken(new Map([...image, [path, damaged]]), changes[cut - 1]!.end)
      if (complaints.length === 0) counted.intact++
      else if (complaints.some((each) => each.startsWith('doctor: '))) counted.told++
      else silent.push(`${cut}: ${complaints.join(', ')}`)
    } catch (error) {
      // With its cure, or of a data directory that has lost its beginning.
      expect(error, `change ${cut}`).toMatchObject({ code: expect.stringMatching(/^(SVC-|corrupt$)/) as string })
      counted.refused++
    }
  }
  say(`damaged pages of the log: ${JSON.stringify(counted)}`)
  expect(silent, `HOSTILE_SEED=${SEED}`).toEqual([])
})
