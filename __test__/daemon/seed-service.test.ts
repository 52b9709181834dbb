/** Locking and unlocking the seed of a running daemon. */
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SeedService } from '../../src/api/services.ts'
import { sealSeed, openSeed } from '../../src/backup/sealed-seed.ts'
import { ServiceError } from '../../src/errors.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import { createSeedService } from '../../src/daemon/seed-service.ts'
import type { TaskView } from '../../src/views/task.ts'
import { writeOwnerSeed } from '../../src/data-directory/seed-files.ts'
import { temporary } from '../temporary.ts'

const SEED = new Uint8Array(32).fill(7)
const RIGHT = Buffer.from('correct horse battery')
const WRONG = Buffer.from('another passphrase')

let paths: DataPaths
let holder: SeedHolder
let nowMs: number
let told: string[]
let admitted: (seed: Uint8Array) => void
let service: SeedService

beforeEach(async () => {
  paths = dataPaths(temporary())
  writeFileSync(paths.sealedSeed, await sealSeed(SEED, String(RIGHT), { workFactor: 8 }), { mode: 0o600 })
  holder = new SeedHolder(undefined)
  nowMs = 1_000_000
  told = []
  admitted = () => undefined
  const tasks = [
    { task_id: 't-1', name: 'alice.chronym', kind: 'register', stalled: { code: 'SVC-KEY-006', message: '' } },
    { task_id: 't-2', name: 'bob.chronym', kind: 'renew', stalled: null }
  ] as TaskView[]
  service = createSeedService({
    holder,
    paths,
    admit: (seed) => admitted(seed),
    tasks: { list: () => tasks },
    registry: { adoptions: () => [{ id: 'carol.chronym', state: 'looking', detail: '', since: '', looked_at: null }] },
    unseal: ({ text, passphrase, path }) => openSeed(text, passphrase, path),
    now: () => nowMs,
    info: (message) => told.push(message),
    warn: (message) => told.push(message)
  })
})

const refusal = (passphrase: Uint8Array): Promise<ServiceError> =>
  service.unlock(passphrase).then(
    () => expect.fail('it was unlocked'),
    (error: unknown) => error as ServiceError
  )

describe('a locked seed', () => {
  it('says what waits, and is unlocked with its passphrase alone', async () => {
    const waiting = [
      { what: 'register', name: 'alice.chronym', task_id: 't-1' },
      { what: 'adopt', name: 'carol.chronym', task_id: null }
    ]
    expect(service.view()).toEqual({ state: 'locked', sealed: true, kept_elsewhere: false, waiting })
    expect(() => holder.require()).toThrow('locked')
    expect((await refusal(WRONG)).code).toBe('SVC-KEY-007')
    expect(holder.isLocked).toBe(true)
    expect(await service.unlock(RIGHT)).toEqual({ state: 'unlocked', sealed: true, kept_elsewhere: false, waiting: [] })
    expect(holder.require()).toEqual(SEED)
    expect(told.join()).not.toMatch(/horse|another/)
  })

  it('stays locked where the seed is not that of the directory', async () => {
    admitted = () => {
      throw new ServiceError('SVC-KEY-002', 'another seed')
    }
    expect((await refusal(RIGHT)).code).toBe('SVC-KEY-002')
    expect(holder.isLocked).toBe(true)
  })

  it('is sealed again by the octets of a passphrase that was read as text', async () => {
    const octets = Buffer.from('eff0eeebfcffeff0eeebfcff', 'hex')
    const former = await sealSeed(SEED, octets.toString(), { workFactor: 8 })
    writeFileSync(paths.sealedSeed, former, { mode: 0o600 })
    expect(await service.unlock(octets)).toMatchObject({ state: 'unlocked' })
    const after = readFileSync(paths.sealedSeed, 'utf8')
    expect(after).not.toBe(former)
    service.lock()
    expect((await refusal(Buffer.from('f1e5eaf0e5f2f1e5eaf0e5f2', 'hex'))).code).toBe('SVC-KEY-007')
    expect(await service.unlock(octets)).toMatchObject({ state: 'unlocked' })
    expect(readFileSync(paths.sealedSeed, 'utf8')).toBe(after)
  })

  it('takes one guess at a time', async () => {
    const first = service.unlock(RIGHT)
    expect(await refusal(RIGHT)).toMatchObject({ code: 'SVC-REQ-005', retryAfter: 2 })
    expect(await first).toMatchObject({ state: 'unlocked' })
  })

  it('makes who guesses wait, longer with each, a minute at most', async () => {
    for (let guess = 0; guess < 3; guess++) expect((await refusal(WRONG)).code).toBe('SVC-KEY-007')
    for (const seconds of [4, 8, 16, 32, 60, 60]) {
      expect(await refusal(RIGHT)).toMatchObject({ code: 'SVC-REQ-005', retryAfter: seconds })
      nowMs += 1000 * seconds
      expect((await refusal(WRONG)).code).toBe('SVC-KEY-007')
    }
    nowMs += 60_000
    expect(await service.unlock(RIGHT)).toMatchObject({ state: 'unlocked' })
    service.lock()
    expect((await refusal(WRONG)).code).toBe('SVC-KEY-007')
    expect(await service.unlock(RIGHT)).toMatchObject({ state: 'unlocked' })
  })
})

describe('locking', () => {
  it('overwrites the seed in memory, and tells waiters when it is back', async () => {
    await service.unlock(RIGHT)
    const inMemory = holder.require()
    expect(service.lock()).toMatchObject({ state: 'locked' })
    expect(inMemory).toEqual(new Uint8Array(32))
    const stopped = new AbortController()
    const ended = expect(holder.unlocked(stopped.signal)).rejects.toThrow('stopped')
    const waiting = holder.unlocked(new AbortController().signal)
    stopped.abort(new Error('stopped'))
    await ended
    await service.unlock(RIGHT)
    await waiting
    await holder.unlocked(new AbortController().signal)
  })

  it('is refused where the words are in clear', async () => {
    writeOwnerSeed(paths.seed, SEED)
    expect(() => service.lock()).toThrow(/no passphrase/)
  })
})
