import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Checkpoint } from '../../src/native/types.ts'
import { CheckpointWriter } from '../../src/evaluations/checkpoint-writer.ts'
import { temporary } from '../temporary.ts'
import { loadCheckpoints, MARKS, type StoredCheckpoint } from '../../src/evaluations/checkpoints.ts'
import type { Evaluation } from '../../src/native/types.ts'

const RECORD_BYTES = 128
const plan: Evaluation = {
  seed: new Uint8Array(32).fill(7),
  discriminantBits: 256,
  iterations: 1000,
  split: null
}

let directory: string
let errors: unknown[]

/** Records are filled with their index. */
function checkpoint(squarings: number, appendedFrom: number, count: number): Checkpoint {
  const records = Array.from({ length: count }, (_, index) => Buffer.alloc(RECORD_BYTES, appendedFrom + index + 1))
  return {
    state: Buffer.from(`state at ${String(squarings)}`),
    appended: Buffer.concat(records),
    appendedFrom,
    squarings
  }
}

const opened = (base?: StoredCheckpoint): Promise<CheckpointWriter> =>
  CheckpointWriter.open(directory, plan, base, (error) => errors.push(error))

async function write(checkpoints: Checkpoint[], base?: StoredCheckpoint): Promise<void> {
  const writer = await opened(base)
  for (const next of checkpoints) {
    writer.accept(next)
    // Lets one write end before the next begins; a closed writer opens its file again.
    await writer.close()
  }
  await writer.close()
}

const load = async (of = plan): Promise<readonly StoredCheckpoint[]> => (await loadCheckpoints(directory, of)).believed
const passedOver = async (of = plan): Promise<readonly string[]> => (await loadCheckpoints(directory, of)).passedOver
const squarings = (found: readonly StoredCheckpoint[]): number[] => found.map((each) => each.squarings)
const newest = async (): Promise<number | undefined> => (await load())[0]?.squarings

beforeEach(() => {
  directory = join(temporary(), 'task')
  errors = []
})

afterEach(() => expect(errors).toEqual([]))

describe('checkpoints', () => {
  it('are none where nothing was written', async () => {
    expect(await load()).toEqual([])
  })

  it('come back as they were, the newest first and the one before it', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 2), checkpoint(30, 3, 1)])
    const found = await load()
    expect(squarings(found)).toEqual([30, 20])
    expect(Buffer.from(found[0]!.resume.state).toString()).toBe('state at 30')
    expect([...found[0]!.resume.intermediates]).toEqual(
      [1, 2, 3, 4].flatMap((value) => Array.from({ length: RECORD_BYTES }, () => value))
    )
    expect(found[1]!.resume.intermediates.length).toBe(3 * RECORD_BYTES)
  })

  it('are not those of another evaluation', async () => {
    await write([checkpoint(10, 0, 1)])
    expect(await load({ ...plan, seed: new Uint8Array(32) })).toEqual([])
    expect(await load({ ...plan, iterations: 1001 })).toEqual([])
    expect(await load({ ...plan, split: 900 })).toEqual([])
  })

  it('say what was passed over, and why', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 1)])
    expect(await passedOver()).toEqual([])
    expect(await passedOver({ ...plan, iterations: 1001 })).toEqual([
      'state.0: it belongs to another evaluation',
      'state.1: it belongs to another evaluation'
    ])
    await writeFile(join(directory, 'state.0'), 'CHRC')
    expect(await passedOver()).toEqual(['state.0: it is cut off after 4 bytes'])
    await writeFile(join(directory, 'state.0'), Buffer.alloc(200))
    expect(await passedOver()).toEqual(['state.0: it is not a checkpoint of this version'])
    const sealed = await readFile(join(directory, 'state.1'))
    sealed[sealed.length - 1]! ^= 1
    await writeFile(join(directory, 'state.1'), sealed)
    expect(await passedOver()).toEqual([
      'state.0: it is not a checkpoint of this version',
      'state.1: its hash is not that of its bytes'
    ])
  })

  it('fall back to the older generation, or start over, for any cut or altered bit of the intermediates', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 1)])
    const file = join(directory, 'intermediates')
    const whole = await readFile(file)
    for (let index = 0; index < whole.length; index++) {
      await writeFile(file, whole.subarray(0, index))
      expect([index, squarings(await load())]).toEqual([index, index < RECORD_BYTES ? [] : [10]])
      const altered = Buffer.from(whole)
      altered[index]! ^= 1 << (index % 8)
      await writeFile(file, altered)
      expect([index, squarings(await load())]).toEqual([index, index < RECORD_BYTES ? [] : [10]])
    }
    expect(await passedOver()).toEqual(['generation 2: the intermediates that it counts are altered'])
  })

  it('fall back to the older generation when the newest is cut at any byte', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(12, 1, 1)])
    const newest = join(directory, 'state.0')
    const whole = await readFile(newest)
    for (let length = 0; length < whole.length; length++) {
      await writeFile(newest, whole)
      await truncate(newest, length)
      expect([length, squarings(await load())]).toEqual([length, [10]])
    }
  })

  it('fall back to the older generation when any byte of the newest is altered', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(12, 1, 1)])
    const newest = join(directory, 'state.0')
    const whole = await readFile(newest)
    for (let index = 0; index < whole.length; index++) {
      const altered = Buffer.from(whole)
      altered[index]! ^= 1 << (index % 8)
      await writeFile(newest, altered)
      expect([index, squarings(await load())]).toEqual([index, [10]])
    }
  })

  it('are believed only with the intermediates that they count', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 2)])
    await truncate(join(directory, 'intermediates'), 2 * RECORD_BYTES)
    expect(squarings(await load())).toEqual([10])
    await writeFile(join(directory, 'intermediates'), Buffer.alloc(3 * RECORD_BYTES))
    expect(await load()).toEqual([])
  })

  it('ignore intermediates that a crash left behind the counted ones, and overwrite them', async () => {
    await write([checkpoint(10, 0, 1)])
    const file = join(directory, 'intermediates')
    await writeFile(file, Buffer.concat([await readFile(file), Buffer.alloc(250, 99)]))
    const [base] = await load()
    expect(base!.resume.intermediates.length).toBe(RECORD_BYTES)
    await write([checkpoint(20, 1, 1)], base)
    expect((await load())[0]!.resume.intermediates[RECORD_BYTES]).toBe(2)
  })

  it('go on from the older generation, in place of the one that was not usable', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 1), checkpoint(30, 2, 1)])
    const [, older] = await load()
    await write([checkpoint(25, 2, 2)], older)
    expect(squarings(await load())).toEqual([25, 20])
  })

  it('may be handed over twice', async () => {
    await write([checkpoint(10, 0, 2), checkpoint(10, 0, 2)])
    expect((await load()).map(({ resume }) => resume.intermediates.length / RECORD_BYTES)).toEqual([2, 2])
  })

  it('that come faster than they are written lose no intermediates', async () => {
    const writer = await opened()
    for (let index = 0; index < 50; index++) writer.accept(checkpoint(index, index, 1))
    await writer.close()
    const [newest] = await load()
    expect(newest!.squarings).toBe(49)
    expect(newest!.resume.intermediates.length).toBe(50 * RECORD_BYTES)
  })

  it('with a gap between their intermediates are refused', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 2, 1)])
    expect(errors.splice(0)).toEqual([expect.objectContaining({ message: expect.stringContaining('gap') })])
    expect(squarings(await load())).toEqual([10])
  })

  it('start over without what was there', async () => {
    await write([checkpoint(10, 0, 1), checkpoint(20, 1, 1)])
    await write([checkpoint(5, 0, 1)])
    expect(squarings(await load())).toEqual([5])
  })

  it('that could not be written are written by a flush, once that is possible', async () => {
    const writer = await opened()
    await rm(directory, { recursive: true })
    await writeFile(directory, 'in the way')
    writer.accept(checkpoint(10, 0, 1))
    await expect(writer.flush()).rejects.toThrow('ENOTDIR')
    expect(errors.splice(0)).toHaveLength(1)
    await expect(writer.flush()).rejects.toThrow('ENOTDIR')
    await rm(directory)
    await mkdir(directory)
    await writer.flush()
    await writer.close()
    expect(squarings(await load())).toEqual([10])
  })

  it('are written no more once they are discarded', async () => {
    const writer = await opened()
    writer.discard()
    writer.accept(checkpoint(10, 0, 1))
    await writer.flush()
    await writer.close()
    expect(await load()).toEqual([])
  })

  it('that cannot be written are told, and the next one brings what was missing', async () => {
    const writer = await opened()
    await rm(directory, { recursive: true })
    await writeFile(directory, 'in the way')
    writer.accept(checkpoint(10, 0, 1))
    await writer.close()
    expect(errors).toHaveLength(1)
    errors = []
    await rm(directory)
    const again = await opened()
    await again.close()
    writer.accept(checkpoint(20, 1, 1))
    await writer.close()
    const [newest] = await load()
    expect(newest!.resume.intermediates.length).toBe(2 * RECORD_BYTES)
  })
})

describe('damage before both generations', () => {
  /** Eight checkpoints, a record each; each reaches a new mark. */
  const taken = Array.from({ length: 8 }, (_, index) => checkpoint((index + 1) * 100, index, 1))
  const file = () => join(directory, 'intermediates')

  it.each(taken.map((_, record) => record))(
    'to record %i goes back to the newest mark before it, be it altered or cut off',
    async (record) => {
      await write(taken)
      const whole = await readFile(file())
      const expected = record === 0 ? undefined : record * 100
      for (const bit of [0, 8 * RECORD_BYTES - 1]) {
        const altered = Buffer.from(whole)
        altered[record * RECORD_BYTES + (bit >> 3)]! ^= 1 << (bit & 7)
        await writeFile(file(), altered)
        expect(await newest()).toBe(expected)
      }
      for (const length of [record * RECORD_BYTES, (record + 1) * RECORD_BYTES - 1]) {
        await writeFile(file(), whole.subarray(0, length))
        expect(await newest()).toBe(expected)
      }
      expect((await load())[0]?.resume.intermediates.length).toBe(record === 0 ? undefined : record * RECORD_BYTES)
    }
  )

  it('to both states costs nothing where a mark has the same', async () => {
    await write(taken)
    for (const name of ['state.0', 'state.1']) await writeFile(join(directory, name), 'torn')
    expect(await newest()).toBe(800)
    expect(await passedOver()).toHaveLength(2)
  })

  it('to a mark too goes back to the one before it', async () => {
    await write(taken)
    await truncate(file(), 5 * RECORD_BYTES)
    await writeFile(join(directory, `mark.${Math.floor(0.5 * MARKS)}`), 'torn')
    expect(await newest()).toBe(400)
    expect((await passedOver()).filter((each) => each.startsWith('mark.'))).toEqual([
      'mark.32: it is cut off after 4 bytes'
    ])
  })

  it('is never far behind: there are marks for each 64th of the squarings, and no more', async () => {
    await write(Array.from({ length: 125 }, (_, index) => checkpoint((index + 1) * 8, index, 1)))
    expect((await readdir(directory)).filter((name) => name.startsWith('mark.'))).toHaveLength(MARKS)
  })
})
