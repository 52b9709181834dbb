/**
 * Damaged intermediates: what is squared again for them, whatever happens in between. Real files, on a disk that fails
 * where a test says so.
 */
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import { taskDirectory } from '../../src/evaluations/directories.ts'
import { Evaluator } from '../../src/evaluations/evaluator.ts'
import { thisMachine } from '../../src/evaluations/places.ts'
import type { Evaluation } from '../../src/native/types.ts'
import { temporary } from '../temporary.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { disk, diskError } from './faulty-disk.ts'
import { records, SQUARINGS_A_CHECKPOINT, SQUARINGS_A_RECORD, SteppingPool } from './stepping-pool.ts'

vi.mock('node:fs/promises', async (original) => (await import('./faulty-disk.ts')).faulty(await original()))

const RECORD_BYTES = 128
/** A mark for each hundred squarings. */
const plan: Evaluation = {
  seed: new Uint8Array(32).fill(7),
  discriminantBits: 256,
  iterations: 6400,
  split: null
}
/** Squarings done when the damage happened. */
const REACHED = 880
const MORE = REACHED + SQUARINGS_A_CHECKPOINT
/** What its eight marks were taken at, then its two generations. */
const STATES_AT = [120, 200, 320, 400, 520, 600, 720, 800, 840, REACHED]
const NAMES = ['intermediates', ...Array.from({ length: 8 }, (_, index) => `mark.${index + 1}`), 'state.0', 'state.1']

let untouched: string
let dataDir: string
let directory: string
let pool: SteppingPool
let told: string[]

const file = (name: string): string => join(directory, name)

/** A daemon's life: the evaluation resumed from disk. */
class Life {
  readonly abort = new AbortController()
  readonly evaluation: Evaluator
  readonly #plan: Evaluation

  constructor(of = plan) {
    const tell = (_fields: object, message: string): void => void told.push(message)
    this.#plan = of
    this.evaluation = new Evaluator({
      directory,
      place: () => Promise.resolve(thisMachine(pool)),
      checkpointSeconds: 10,
      memoryBytes: undefined,
      log: { ...silentLog, info: tell, warn: tell },
      about: { task: 'task' },
      signal: this.abort.signal,
      hasBegun: () => false,
      begins: () => undefined,
      cannotSave: () => undefined,
      pause: () => disk.rest()
    })
  }

  end(): void {
    this.abort.abort(new Error('the daemon ends'))
    this.evaluation.stop(false)
  }

  /** Until it was told to end, or to the proof. */
  async run(): Promise<void> {
    await this.evaluation.run(this.#plan).catch((error: unknown) => {
      if (!this.abort.signal.aborted) throw error
    })
  }
}

/** Continues until `until` squarings are done, and `provedUntil` proved. */
async function live(until: number, provedUntil = 0, of = plan): Promise<void> {
  const life = new Life(of)
  pool.onReached = (squarings, proved) => {
    if (squarings >= until && proved >= provedUntil) life.end()
  }
  await life.run()
}

/** Turns some bits of a record, on the disk. */
async function damage(...indices: number[]): Promise<void> {
  const bytes = await readFile(file('intermediates'))
  for (const index of indices) bytes[index * RECORD_BYTES + (index % RECORD_BYTES)]! ^= 0x10
  await writeFile(file('intermediates'), bytes)
}

/** From the newest state before a record to the first checkpoint after it. */
function stretchOf(index: number): { from: number; to: number } {
  const made = (index + 1) * SQUARINGS_A_RECORD
  return {
    from: STATES_AT.findLast((squarings) => squarings < made) ?? 0,
    to: Math.ceil(made / SQUARINGS_A_CHECKPOINT) * SQUARINGS_A_CHECKPOINT
  }
}

async function expectWhole(reached: number, of = plan): Promise<void> {
  const { believed, beyond, passedOver } = await loadCheckpoints(directory, of)
  expect({ passedOver, beyond, newest: believed[0]?.squarings }).toEqual({
    passedOver: [],
    beyond: [],
    newest: reached
  })
  expect((await readFile(file('intermediates'))).equals(records(0, reached / SQUARINGS_A_RECORD))).toBe(true)
}

/** What was squared in all, and where each evaluation began. */
function expectWork(squared: number, begun: readonly string[]): void {
  expect({ squared: pool.squared, begun: pool.begun }).toEqual({ squared, begun })
}

beforeAll(async () => {
  untouched = temporary()
  dataDir = untouched
  directory = taskDirectory(dataDir, 'task')
  pool = new SteppingPool()
  told = []
  await live(REACHED)
})

beforeEach(async () => {
  dataDir = temporary()
  directory = taskDirectory(dataDir, 'task')
  await restore()
})

afterEach(() => disk.heal())

/** The task as it was before it was damaged. */
async function restore(): Promise<void> {
  disk.heal()
  await rm(directory, { recursive: true, force: true })
  await cp(taskDirectory(untouched, 'task'), directory, { recursive: true })
  pool = new SteppingPool()
  told = []
}

describe('a damage to the intermediates', () => {
  it('is none where nothing is damaged', async () => {
    await expectWhole(REACHED)
    expect((await readdir(directory)).sort()).toEqual(NAMES)
    await live(MORE)
    expectWork(MORE - REACHED, [String(REACHED)])
  })

  it.each([0, 1, 11, 12, 19, 20, 31, 32, 47, 59, 60, 71, 72, 79, 80, 83, 84, 87])(
    'costs what lies between the mark before it and the checkpoint after it: record %i',
    async (index) => {
      await damage(index)
      const { from, to } = stretchOf(index)
      await live(MORE)
      expectWork(to - from + MORE - REACHED, [from, REACHED].map(String))
      await expectWhole(MORE)
      expect((await readdir(directory)).sort()).toEqual([...NAMES.slice(0, 9), 'mark.9', ...NAMES.slice(9)])
    }
  )

  it('costs nothing else where there are several', async () => {
    await damage(3, 35, 37, 63)
    await live(MORE)
    expectWork(40 + (400 - 320) + (640 - 600) + (MORE - REACHED), ['0', '320', '600', '880'])
    await expectWhole(MORE)
  })

  it('that reaches over a mark costs no stretch twice', async () => {
    await damage(38, 39, 40, 41)
    await live(MORE)
    expectWork(440 - 320 + MORE - REACHED, ['320', '880'])
    await expectWhole(MORE)
  })

  it('with the marks around it costs a stretch more before it, and none after it', async () => {
    await damage(45)
    for (const torn of ['mark.4', 'mark.5', 'mark.6']) await writeFile(file(torn), 'torn')
    await live(MORE)
    expectWork(480 - 320 + MORE - REACHED, ['320', '880'])
    await expectWhole(MORE)
  })

  it('with both generations goes on from the newest mark', async () => {
    await damage(45)
    for (const torn of ['state.0', 'state.1']) await writeFile(file(torn), 'torn')
    await live(MORE)
    expectWork(480 - 400 + MORE - 800, ['400', '800'])
    await expectWhole(MORE)
  })

  it.each([0, 1, 500 * 12.8, 6001, 128 * 84, 128 * 88 - 1])(
    'that cuts them off after %f bytes costs what is missing',
    async (length) => {
      await truncate(file('intermediates'), length)
      const { from } = stretchOf(Math.floor(length / RECORD_BYTES))
      await live(MORE)
      expectWork(MORE - from, [from, REACHED].map(String))
      await expectWhole(MORE)
    }
  )

  it('that takes all of them costs everything', async () => {
    await rm(file('intermediates'))
    await live(MORE)
    expectWork(MORE, ['0', '880'])
    await expectWhole(MORE)
  })
})

describe('a repair', () => {
  it('keeps its own generations beside the others, says what it does, and leaves nothing behind', async () => {
    await damage(49)
    await live(480)
    expect((await readdir(directory)).sort()).toEqual([...NAMES.slice(0, 9), 'repair.0', 'repair.1', ...NAMES.slice(9)])
    await live(MORE)
    expect((await readdir(directory)).sort()).toEqual([...NAMES.slice(0, 9), 'mark.9', ...NAMES.slice(9)])
    expect(told).toEqual([
      'checkpoints on disk are damaged and not used',
      'the evaluation resumes before the damage; later checkpoints are kept',
      'checkpoints on disk are damaged and not used',
      'the evaluation resumes before the damage; later checkpoints are kept',
      'the damaged part is squared again',
      'the evaluation resumes from a checkpoint'
    ])
  })

  it('resumes when the task is paused, or the daemon stopped', async () => {
    await damage(31)
    for (const until of [240, 280]) await live(until)
    await live(MORE)
    expectWork(320 - 200 + MORE - REACHED, ['200', '240', '280', '880'])
    await expectWhole(MORE)
  })

  it('also repeats what is damaged during it', async () => {
    await damage(49)
    await live(480)
    await damage(47, 70)
    await live(MORE)
    expectWork(80 + (520 - 440) + (720 - 600) + (MORE - REACHED), ['400', '440', '600', '880'])
    await expectWhole(MORE)
  })

  it.each([
    ['is met again', 35],
    ['was all that lay beyond', 86]
  ])('is taken up again after a kill at any change of the disk, where what lies beyond %s', async (_end, index) => {
    const { from, to } = stretchOf(index)
    for (let point = 1; ; point++) {
      await restore()
      await damage(index)
      let left = point
      const life = new Life()
      disk.onChange = () => {
        if (--left > 0) return
        life.end()
        throw new Error('the process is dead')
      }
      pool.onReached = (squarings) => squarings >= MORE && life.end()
      await life.run()
      const isDead = left <= 0
      disk.heal()
      if (isDead) await live(MORE)
      const { believed } = await loadCheckpoints(directory, plan)
      const newest = believed[0]!.squarings
      expect([point, pool.squared - newest]).toEqual([
        point,
        expect.toSatisfy((more) => more <= to - from + SQUARINGS_A_CHECKPOINT - REACHED)
      ])
      await expectWhole(newest)
      if (!isDead) break
    }
  })

  it('waits for room on a disk that is full, at any change of it, and costs no more', async () => {
    for (let point = 1; ; point++) {
      await restore()
      await damage(35)
      let left = point
      disk.onChange = ({ name }) => {
        left--
        if (left <= 0 && left > -3 && name !== 'rm') throw diskError('ENOSPC')
      }
      const life = new Life()
      pool.onReached = (squarings) => squarings >= MORE && life.end()
      // As a task does.
      while (!life.abort.signal.aborted)
        await life.run().catch((error: unknown) => expect(error).toMatchObject({ code: 'ENOSPC' }))
      disk.heal()
      expect([point, pool.squared]).toEqual([point, 360 - 320 + MORE - REACHED])
      await live(MORE + SQUARINGS_A_CHECKPOINT)
      await expectWhole(MORE + SQUARINGS_A_CHECKPOINT)
      if (left > 0) break
    }
  })

  it('writes what can be read elsewhere where the disk has lost a block: it takes no part of it either', async () => {
    const lost = { from: 4096, to: 8192 }
    let isBad = true
    disk.onRead = (offset, size) => {
      if (isBad && offset < lost.to && offset + size > lost.from) throw diskError('EIO')
    }
    disk.onChange = ({ name, path, offset = Infinity }) => {
      if (name === 'rename' && path === file('intermediates')) isBad = false
      if (isBad && name === 'write' && offset < lost.to) throw diskError('EIO')
    }
    await live(MORE)
    expect({ isBad, squared: pool.squared, begun: pool.begun }).toEqual({
      isBad: false,
      squared: 640 - 320 + MORE - REACHED,
      begun: ['320', '880']
    })
    await expectWhole(MORE)
  })

  it('believes nothing of a restarted evaluation with intermediates of another layout', async () => {
    await damage(0)
    pool.layout = 1
    await live(MORE)
    expectWork(MORE, ['0', '880'])
    const { believed, beyond } = await loadCheckpoints(directory, plan)
    expect({ newest: believed[0]?.squarings, beyond }).toEqual({ newest: MORE, beyond: [] })
  })
})

describe('a damage to the intermediates while the proof is made', () => {
  const short = { ...plan, iterations: 400 }

  beforeEach(async () => {
    await rm(directory, { recursive: true })
    await live(400, 3, short)
    pool = new SteppingPool()
  })

  it.each([
    ['alters', () => damage(38)],
    ['cuts them off', () => truncate(file('intermediates'), 38 * RECORD_BYTES)]
  ])('that %s costs its stretch, and nothing of what was proved', async (_how, happen) => {
    await happen()
    await live(400, 4, short)
    expectWork(40, ['360', '400/3'])
    await expectWhole(400, short)
  })

  it('is made good up to what was proved, be its checkpoints more than those that stood there', async () => {
    await damage(33, 39)
    await rm(file('mark.57'))
    pool.squaringsACheckpoint = 10
    await live(400, 4, short)
    expectWork(80, ['320', '400/3'])
  })

  it('costs all that follows it once a proof did not verify: what lies beyond is not trusted then', async () => {
    pool.outcome = { kind: 'failed', code: 'KERNEL_FAULT', message: 'the proof does not verify' }
    const life = new Life(short)
    const fault = await life.evaluation.run(short).catch((error: unknown) => error)
    expect(life.evaluation.mayTryAgain(fault)).toBe(true)
    await damage(10)
    pool.outcome = { kind: 'proof', proof: Buffer.from('proof') }
    await life.run()
    expectWork(400 - 40, ['400/3', '40'])
  })
})
