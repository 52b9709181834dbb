import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as FileSystem from 'node:fs/promises'
import { temporary } from '../temporary.ts'
import { diskError } from './faulty-disk.ts'
import { openProgressLog, type ShownTasks } from '../../src/evaluations/progress-log.ts'

/** Files that the disk does not give back. */
const lost = vi.hoisted(() => new Set<string>())
vi.mock('node:fs/promises', async (original) => {
  const system = await original<typeof FileSystem>()
  const readFile = (...args: Parameters<typeof system.readFile>) =>
    lost.has(args[0] as string) ? Promise.reject(diskError('EIO')) : system.readFile(...args)
  return { ...system, readFile }
})

let directory: string

beforeEach(() => {
  directory = temporary()
})

afterEach(() => lost.clear())

const file = (slot: 0 | 1): string => join(directory, `progress.${slot}`)
const shown = (progress: number): ShownTasks => new Map([['a task', { progress, lastEventId: progress + 1 }]])

async function save(...amounts: number[]): Promise<void> {
  const log = openProgressLog(directory)
  await log.load()
  for (const amount of amounts) await log.save(shown(amount))
  await log.close()
}

async function load(): Promise<ShownTasks> {
  const log = openProgressLog(directory)
  try {
    return await log.load()
  } finally {
    await log.close()
  }
}

describe('what was shown', () => {
  it('is what the other file says where the disk does not give one back, and is saved on', async () => {
    await save(1, 2)
    lost.add(file(0))
    expect(await load()).toEqual(shown(1))
    await save(3)
    lost.clear()
    expect(await load()).toEqual(shown(3))
  })

  it('is nothing at first', async () => {
    expect(await load()).toEqual(new Map())
  })

  it('is there for the next process, the newest only', async () => {
    await save(1)
    expect(await load()).toEqual(shown(1))
    await save(2, 3)
    expect(await load()).toEqual(shown(3))
    await save(4)
    expect(await load()).toEqual(shown(4))
  })

  it('is the save before when the newest file is cut at any byte, or altered in any', async () => {
    await save(10, 20)
    // The second save went to the file of even numbers.
    const whole = await readFile(file(0))
    for (let length = 0; length < whole.length; length++) {
      await writeFile(file(0), whole.subarray(0, length))
      expect(await load()).toEqual(shown(10))
      const altered = Buffer.from(whole)
      altered[length]! ^= 0x40
      await writeFile(file(0), altered)
      expect(await load()).toEqual(shown(10))
    }
    await writeFile(file(0), whole)
    expect(await load()).toEqual(shown(20))
  })

  it('goes on from the one that is whole, and never over it', async () => {
    await save(10, 20)
    await writeFile(file(0), 'torn')
    await save(30)
    expect(await load()).toEqual(shown(30))
    await copyFile(file(0), file(1))
    expect(await load()).toEqual(shown(30))
  })

  it('does not care what a longer save left behind a shorter one', async () => {
    const log = openProgressLog(directory)
    const many = new Map(
      Array.from({ length: 50 }, (_, index) => [`task ${index}`, { progress: index, lastEventId: index }])
    )
    await log.save(many)
    await log.save(many)
    await log.save(shown(7))
    await log.close()
    expect(await load()).toEqual(shown(7))
  })

  it('takes no more room after thousands of saves than after two', async () => {
    await save(1_000, 1_001)
    const before = (await stat(file(0))).size + (await stat(file(1))).size
    await save(...Array.from({ length: 2_000 }, (_, index) => 2_000 + index))
    expect((await stat(file(0))).size + (await stat(file(1))).size).toBe(before)
  })
})
