/** Raw messages of somebody with a key of the farm, at a real nats-server: to the daemon, and to other workers. */
import { encode } from 'cborg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Farm } from '../../src/farm/farm.ts'
import type { Link } from '../../src/farm/link.ts'
import { decodeJob, encodeJob, jobOf, MAX_THREADS } from '../../src/farm/messages.ts'
import { mostRecords, RECORD_BYTES, readState, SEGMENT_RECORDS, withMemoryFor } from '../../src/farm/saved-state.ts'
import { addon } from '../../src/native/addon.ts'
import { FakePool } from '../registry/claims/fakes.ts'
import { waitFor } from '../wait-for.ts'
import { monotonicMs, planOf } from './processes.ts'
import { address, begun, ENDLESS, ends, farm, linked, pool, TIMES, worker } from './scene.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const ALIVE = { version: 2, threads: 1, busy: 0, squaringsPerSecond: 0, leaving: false }

/** Once all that was sent before is heard. */
async function isHeard(link: Link, name = 'last'): Promise<void> {
  await waitFor(() => {
    link.connection.publish(link.names.alive, encode({ ...ALIVE, worker: name }))
    expect(farm.view().workers.map((heard) => heard.worker)).toContain(name)
  })
}

describe('of what a worker says that it is there, a daemon', () => {
  it.each([
    ['jobs of 139 kB', { jobs: Array.from({ length: 4096 }, () => 'a'.repeat(32)) }],
    ['one job more than a worker has threads', { jobs: Array.from({ length: MAX_THREADS + 1 }, () => 'a') }],
    ['a name of 900 kB', { worker: 'w'.repeat(900_000) }],
    ['a name with a line end', { worker: 'w1\nw2' }],
    ['more threads than there are', { threads: MAX_THREADS + 1 }]
  ])('leaves out %s', async (_what, said) => {
    const link = await linked()
    link.connection.publish(link.names.alive, encode({ ...ALIVE, worker: 'bad', ...said }))
    await link.connection.flush()
    await isHeard(link)
    expect(farm.view().workers.map((heard) => heard.worker)).toEqual(['last'])
  })

  it('takes the jobs of a worker with all threads that there may be', async () => {
    const link = await linked()
    const jobs = Array.from({ length: MAX_THREADS }, (_, index) => index.toString(16).padStart(32, '0'))
    link.connection.publish(link.names.alive, encode({ ...ALIVE, worker: 'a'.repeat(80), threads: MAX_THREADS, jobs }))
    await isHeard(link)
    expect(farm.view().workers.map((heard) => heard.threads)).toContain(MAX_THREADS)
  })

  it('hears so many of one worker, and goes on to hear others', async () => {
    const link = await linked()
    await isHeard(link, 'other')
    vi.spyOn(performance, 'now').mockReturnValue(monotonicMs())
    for (let busy = 1; busy <= 3000; busy++)
      link.connection.publish(link.names.alive, encode({ ...ALIVE, worker: 'loud', busy }))
    await link.connection.flush()
    await isHeard(link, 'last')
    expect(farm.view().workers.find((heard) => heard.worker === 'loud')!.busy).toBe(2000)
  })

  it('decodes so many bytes, whatever names they have', async () => {
    const link = await linked()
    vi.spyOn(performance, 'now').mockReturnValue(monotonicMs())
    const jobs = Array.from({ length: 1000 }, () => 'a'.repeat(32))
    for (let index = 0; index < 300; index++)
      link.connection.publish(link.names.alive, encode({ ...ALIVE, worker: `loud${index}`, jobs }))
    await link.connection.flush()
    // What the server has sent the daemon before this answer is heard by then.
    await farm.holds(planOf(69))
    expect(farm.view().workers.length).toBeGreaterThan(100)
    expect(farm.view().workers.length).toBeLessThan(130)
  })
})

describe('of what a worker saved, a daemon', () => {
  const computation = planOf(70, ENDLESS)
  const terms = { checkpointSeconds: 10, memoryBytes: 2 ** 22 }
  const job = jobOf(computation)
  const most = mostRecords(computation, terms, ENDLESS / 2)
  const tail = (records: number) => new Uint8Array((records % SEGMENT_RECORDS) * RECORD_BYTES)

  /** What becomes of an evaluation that finds this at the farm, what was logged, and how many segments were fetched. */
  async function finds(saved: object, key = 'state') {
    const link = await linked()
    // All that it counts is there.
    const { records = 0 } = saved as { records?: number }
    for (let segment = 0; segment < Math.floor(records / SEGMENT_RECORDS); segment++)
      await link.put(`${job}.${segment}`, new Uint8Array(SEGMENT_RECORDS * RECORD_BYTES))
    await link.put(`${job}.${key}`, encode(saved))
    const logged: string[] = []
    const warn = (fields: object, message: string): void => void logged.push(JSON.stringify([fields, message]))
    const heard = new Farm({ address: address(), pool, log: { info: () => undefined, warn }, times: TIMES })
    ends.push(() => heard.close())
    await heard.start()
    let fetched = 0
    const outcome = await heard.evaluate(computation, terms, () => fetched++).outcome
    return { outcome, logged: logged.join('\n'), fetched, link }
  }

  it.each([
    ['records that no squarings have', { squarings: 10, records: 2000 }],
    ['one record more than its squarings have', { squarings: ENDLESS / 2, records: most + 1 }],
    ['more squarings than there are', { squarings: ENDLESS + 1, records: 1 }],
    ['a state of 200 kB', { squarings: 1000, records: 1, state: new Uint8Array(200_000) }],
    ['a name of 200 kB', { squarings: 1000, records: 1, worker: 'w'.repeat(200_000) }],
    ['a name of 900 kB', { squarings: 1000, records: 1, worker: 'w'.repeat(900_000) }]
  ])('fetches nothing of %s', async (_what, saved) => {
    const whole = { state: new Uint8Array(1000), tail: tail(saved.records), worker: 'w1', ...saved }
    const { outcome, logged, fetched, link } = await finds(whole)
    expect(outcome).toMatchObject({ kind: 'left', isWrong: false })
    expect([JSON.stringify(outcome).length < 300, logged.length < 3000, fetched]).toEqual([true, true, 0])
    await waitFor(async () => expect(await readState(link, job), 'it is taken back').toBeUndefined())
  })

  it('takes no name of 60 kB from a proof', async () => {
    const { outcome, logged } = await finds({ proof: new Uint8Array(300), worker: 'w'.repeat(60_000) }, 'proof')
    expect(JSON.stringify(outcome).length).toBeLessThan(300)
    expect(logged.length).toBeLessThan(3000)
  })

  it('knows that it holds a damaged one, and stays connected', async () => {
    const link = await linked()
    await link.put(`${job}.state`, Uint8Array.of(1))
    expect(await farm.holds(computation)).toBe(true)
    expect(farm.view().connected).toBe(true)
    await link.forget(job)
  })

  it.each([null, 150_000])('takes all that the kernel stores, where the split is %j', (split) => {
    const { Discriminant, Evaluation } = addon()
    const discriminant = Discriminant.fromSeed(new Uint8Array(32), 64)
    for (const memoryBytes of [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 28]) {
      const size = { ...computation, iterations: 200_000, split }
      const evaluation = new Evaluation(discriminant, null, size.iterations, split, memoryBytes)
      const most = (squarings: number): number => mostRecords(size, { ...terms, memoryBytes }, squarings)
      let isClose = false
      while (evaluation.phase() === 'squaring') {
        evaluation.advance(997, new Uint32Array(1))
        const [squarings, records] = [evaluation.squarings(), evaluation.intermediateCount()]
        expect(records, `${memoryBytes} ${squarings}`).toBeLessThanOrEqual(most(squarings))
        isClose ||= records > most(squarings) / 20
      }
      expect(isClose).toBe(true)
    }
  })

  it('lets an evaluation keep the memory that it began with', () => {
    const records = mostRecords(computation, terms, ENDLESS / 2)
    const lower = { ...terms, memoryBytes: 2 ** 20 }
    const mostWith = (given: typeof terms): number => mostRecords(computation, given, ENDLESS / 2)
    expect(mostWith(lower)).toBeLessThan(records)
    const kept = { ...terms, ...withMemoryFor(computation, lower, ENDLESS / 2, records) }
    expect(mostWith(kept) / records).toBeCloseTo(1, 2)
    expect(mostWith(kept)).toBeGreaterThanOrEqual(records)
    expect(withMemoryFor(computation, terms, 0, 0)).toBe(terms)
    expect(withMemoryFor(computation, terms, 10, 0)).toBe(terms)
  })
})

describe('of a job, a worker', () => {
  const computation = planOf(71, ENDLESS)
  const job = jobOf(computation)
  const { discriminantBits: bits, ...others } = computation
  const asked = { version: 2, ...others, bits, checkpointSeconds: 10, isVerified: false }

  it('squares no more between checkpoints than a daemon may ask for', async () => {
    const link = await linked()
    const fake = new FakePool()
    worker('w1', fake)
    await link.put(
      `${job}.state`,
      encode({ squarings: 0, records: 0, state: new Uint8Array(0), tail: new Uint8Array(0), worker: '' })
    )
    await link.addWork(job, encode({ ...asked, checkpointSeconds: 0 }))
    const evaluation = await begun(fake)
    expect(evaluation.request.checkpointSeconds).toBe(0.05)
    evaluation.stop()
    await link.forget(job)
  })

  it.each([
    ['memory that no daemon has', { memoryBytes: 2 ** 37 }],
    ['an endless seed', { seed: new Uint8Array(65) }],
    ['a discriminant of 8,192 bits', { bits: 8192 }],
    ['no squarings', { iterations: 0 }],
    ['a split at its end', { split: ENDLESS }],
    ['a checkpoint each day', { checkpointSeconds: 86_400 }],
    ['more than a job says', { more: 'x'.repeat(1000) }]
  ])('leaves one with %s to others', (_what, changed) => {
    const changedJob = { ...asked, ...changed }
    const name = jobOf({
      seed: changedJob.seed,
      discriminantBits: changedJob.bits,
      iterations: changedJob.iterations,
      split: changedJob.split
    })
    expect(decodeJob(name, encode(changedJob))).toBeUndefined()
    expect(decodeJob(job, encode(asked))).toBeDefined()
  })

  it('leaves one under the name of another to others', () => {
    expect(decodeJob(jobOf(planOf(72)), encodeJob(computation, { checkpointSeconds: 1 }))).toBeUndefined()
  })
})
