import { encode } from 'cborg'
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readEarlierProgress, removeEarlierProgress } from '../../src/evaluations/earlier-progress.ts'
import { temporary } from '../temporary.ts'
import { diskError } from './faulty-disk.ts'

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
const shown = (progress: number) => new Map([['a task', { progress, lastEventId: progress + 1 }]])

/** As commit 88cfa41c wrote it. */
function bytesOf(sequence: bigint, progress: number): Buffer {
  const body = encode([['a task', progress, progress + 1]])
  const fields = Buffer.alloc(20)
  fields.write('CHRPROG1', 'latin1')
  fields.writeBigUInt64BE(sequence, 8)
  fields.writeUInt32BE(body.length, 16)
  return Buffer.concat([fields, createHash('sha256').update(fields).update(body).digest(), body])
}

function write(sequence: bigint, progress: number): Buffer {
  const bytes = bytesOf(sequence, progress)
  writeFileSync(file(Number(sequence % 2n) as 0 | 1), bytes)
  return bytes
}

it('is nothing where there are no files', async () => {
  expect(await readEarlierProgress(directory)).toEqual(new Map())
})

it('is that of the newest file, whatever a longer body left behind it', async () => {
  write(1n, 10)
  writeFileSync(file(0), Buffer.concat([bytesOf(2n, 20), Buffer.from('left')]))
  expect(await readEarlierProgress(directory)).toEqual(shown(20))
  write(3n, 30)
  expect(await readEarlierProgress(directory)).toEqual(shown(30))
})

it('is that of the other file where the newest is cut at any byte, altered in any, or lost', async () => {
  write(1n, 10)
  const whole = write(2n, 20)
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(file(0), whole.subarray(0, length))
    expect(await readEarlierProgress(directory)).toEqual(shown(10))
    const altered = Buffer.from(whole)
    altered[length]! ^= 0x40
    writeFileSync(file(0), altered)
    expect(await readEarlierProgress(directory)).toEqual(shown(10))
  }
  writeFileSync(file(0), whole)
  lost.add(file(0))
  expect(await readEarlierProgress(directory)).toEqual(shown(10))
})

it('goes once the journal has it', async () => {
  write(1n, 10)
  write(2n, 20)
  await removeEarlierProgress(directory)
  expect([existsSync(file(0)), existsSync(file(1))]).toEqual([false, false])
})
