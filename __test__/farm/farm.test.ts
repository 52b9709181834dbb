/** Where evaluations go, by what a daemon hears of the workers of its farm. */
import { setTimeout as delay } from 'node:timers/promises'
import { Bucket } from '@nats-io/kv'
import { encode } from 'cborg'
import { describe, expect, it, vi } from 'vitest'
import type { Evaluation } from '../../src/native/types.ts'
import { MAX_WORKERS } from '../../src/farm/farm.ts'
import { type Link, openLink } from '../../src/farm/link.ts'
import { encodeAlive, FARM_VERSION, jobOf } from '../../src/farm/messages.ts'
import { RECORD_BYTES, SEGMENT_RECORDS, StateWriter } from '../../src/farm/saved-state.ts'
import { Turns } from '../../src/util/concurrency.ts'
import { waitFor } from '../wait-for.ts'
import { monotonicMs, planOf } from './processes.ts'
import {
  address,
  bad,
  ENDLESS,
  ends,
  farm,
  hasRoom,
  linked,
  onlyWorker,
  PATIENT,
  restartFarm,
  savedOf,
  Task,
  TIMES,
  worker
} from './scene.ts'

/** Squarings of a checkpoint with one segment of records. */
const SEGMENT_SQUARINGS = 10 ** 7

/** A checkpoint of a worker that no daemon has. */
async function saveSegment(link: Link, plan: Evaluation): Promise<void> {
  const appended = new Uint8Array(SEGMENT_RECORDS * RECORD_BYTES)
  await new StateWriter(link, jobOf(plan), 'w1', undefined).save([
    { state: new Uint8Array(1), squarings: SEGMENT_SQUARINGS, appended, appendedFrom: 0 }
  ])
}

/** Has something happen before each segment comes from the server. */
function beforeSegments(happen: () => Promise<unknown>) {
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { get } = Bucket.prototype
  return vi.spyOn(Bucket.prototype, 'get').mockImplementation(async function (this: Bucket, key) {
    if (/\.\d+$/u.test(key)) await happen()
    return get.call(this, key)
  })
}

describe('a farm', () => {
  it('goes where threads are idle, not to workers of another version', async () => {
    const link = await openLink(address(), TIMES)
    const alive = { threads: 8, squaringsPerSecond: 0, leaving: false }
    const telling = setInterval(() => {
      link.connection.publish(link.names.alive, encodeAlive({ ...alive, worker: 'w1', busy: 5 }))
      link.connection.publish(link.names.alive, encode({ ...alive, worker: 'w2', busy: 0, version: FARM_VERSION + 1 }))
      // The first ones did not say it.
      link.connection.publish(link.names.alive, encode({ ...alive, worker: 'w3', busy: 0 }))
    }, TIMES.reportMs)
    ends.push(() => {
      clearInterval(telling)
      return link.close()
    })
    await waitFor(() => expect([farm.room(), farm.view().outdated]).toEqual([3, ['w2', 'w3']]))
  })

  it('has a bounded number of workers, whatever a crowd calls itself', async () => {
    await restartFarm({ ...TIMES, reportMs: 60_000 })
    const link = await openLink(address(), TIMES)
    const alive = { threads: 1, busy: 0, squaringsPerSecond: 0, leaving: false }
    for (let number = 0; number <= MAX_WORKERS; number++)
      link.connection.publish(link.names.alive, encodeAlive({ ...alive, worker: `w${number}` }))
    await link.connection.flush()
    await link.close()
    await waitFor(() => expect(farm.view().workers.at(-1)?.worker).toBe(`w${MAX_WORKERS}`))
    expect(farm.view().workers).toHaveLength(MAX_WORKERS)
  })

  it('keeps its room while its worker is silent', async () => {
    const sleeper = await onlyWorker()
    const task = new Task(24, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.reaches(0)
    sleeper.signal('SIGSTOP')
    await waitFor(() => expect(farm.view().workers).toEqual([]))
    expect(farm.room()).toBe(1)
    sleeper.signal('SIGCONT')
    task.stop(true)
    await running
  })

  it('is not held by a farm that lost it and was told to forget it', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const computation = planOf(26)
    const handle = farm.evaluate(computation, { checkpointSeconds: 10 }, () => undefined)
    const link = await linked()
    await waitFor(async () => expect(await link.hasWork(jobOf(computation))).toBe(true))
    await link.discard(jobOf(computation))
    expect(await handle.outcome).toMatchObject({ reason: 'the farm lost it' })
    // A worker may have more of it than this daemon, however often somebody asks.
    for (let asked = 0; asked < 2; asked++) expect(await farm.holds(computation)).toBe(true)
    farm.forget(computation)
    await waitFor(() => expect(farm.hasForgotten(computation)).toBe(true))
    expect(await farm.holds(computation)).toBe(false)
  })

  it('is not sent by a daemon that ends', async () => {
    worker('w1')
    await hasRoom()
    farm.leave()
    const task = new Task(19)
    const handle = farm.evaluate(task.plan, { checkpointSeconds: 10 }, () => undefined)
    expect(await handle.outcome).toEqual({ kind: 'stopped' })
    expect(await savedOf(task)).toBeUndefined()
  })

  it('hears which evaluations its workers have from before, and counts them as room once they are taken up', async () => {
    const only = await onlyWorker()
    const before = new Task(31, { iterations: ENDLESS })
    const running = before.run().catch((error: unknown) => error)
    await before.isSaved()
    farm.leave()
    before.stop()
    await running
    await restartFarm(PATIENT)
    const computation = before.plan
    await waitFor(() => expect([farm.isAtWork(computation), farm.room()]).toEqual([true, 0]))
    expect(farm.isAtWork(planOf(32))).toBe(false)
    const handle = farm.evaluate(computation, { checkpointSeconds: 10 }, () => undefined)
    // Before its worker reports.
    expect(farm.room()).toBe(1)
    handle.stop(true)
    await handle.outcome
    await waitFor(() => expect(farm.isAtWork(computation)).toBe(false))
    await only.kill()
  })

  it('has taken what it resumes from once that is at the server', async () => {
    await hasRoom(0)
    const task = new Task(27)
    const resume = { state: new Uint8Array(1), intermediates: new Uint8Array(RECORD_BYTES), squarings: 9 }
    const handle = farm.evaluate(task.plan, { checkpointSeconds: 10, resume }, () => undefined)
    await handle.taken
    expect(await savedOf(task)).toBe(9)
    handle.stop(true)
    await handle.outcome
  })

  describe('of which many checkpoints are ahead of this daemon', () => {
    const plans = Array.from({ length: 12 }, (_, index) => planOf(100 + index, ENDLESS))

    /** `fetch`: what happens before a checkpoint comes. */
    async function fetching(fetch: () => Promise<unknown>) {
      const link = await linked()
      for (const plan of plans) await saveSegment(link, plan)
      await restartFarm()
      const gate = beforeSegments(fetch)
      const here: number[] = []
      const handles = plans.map((plan) =>
        farm.evaluate(plan, { checkpointSeconds: 10 }, ({ squarings }) => here.push(squarings))
      )
      return { gate, here, handles }
    }

    it('fetches a few at once', async () => {
      let fetched = 0
      let most = 0
      const { gate, here, handles } = await fetching(async () => {
        most = Math.max(most, ++fetched)
        await delay(50)
        fetched--
      })
      await Promise.all(handles.map(async ({ taken }) => await taken))
      gate.mockRestore()
      expect(here).toEqual(plans.map(() => SEGMENT_SQUARINGS))
      expect(most).toBe(4)
    })

    it.each(['are cancelled', 'go on without it'])('does not fetch those that %s', async (how) => {
      let fetched = 0
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const { gate, handles } = await fetching(() => {
        fetched++
        return promise
      })
      await waitFor(() => expect(fetched).toBe(4))
      if (how === 'go on without it') farm.leave()
      for (const handle of handles) handle.stop(how === 'are cancelled')
      resolve(undefined)
      await Promise.all(handles.map(({ outcome }) => outcome))
      gate.mockRestore()
      expect(fetched).toBe(4)
    })
  })

  it('is patient with a fetch that fails once, however long it waited for its turn', async () => {
    const link = await linked()
    const alive = encodeAlive({ worker: 'w1', threads: 9, busy: 0, squaringsPerSecond: 0, leaving: false })
    const telling = setInterval(() => link.connection.publish(link.names.alive, alive), TIMES.reportMs)
    ends.push(async () => {
      clearInterval(telling)
    })
    const plans = Array.from({ length: 5 }, (_, index) => planOf(120 + index, ENDLESS))
    for (const plan of plans) await saveSegment(link, plan)
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    let fetched = 0
    await restartFarm({ ...PATIENT, silentMs: 600_000 })
    const gate = beforeSegments(() => {
      if (++fetched === 5) throw new Error('once')
      return released
    })
    const asks = vi.spyOn(Turns.prototype, 'run')
    const begun = plans.map((plan) => farm.evaluate(plan, { checkpointSeconds: 10 }, () => undefined))
    let hasEnded = false
    void begun.at(-1)!.outcome.then(() => (hasEnded = true))
    await waitFor(() => expect(asks.mock.calls.length).toBe(5))
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs() + 2 * PATIENT.homeMs)
    release(undefined)
    await waitFor(() => expect(fetched).toBe(6)).finally(() => {
      clock.mockRestore()
      asks.mockRestore()
      gate.mockRestore()
    })
    expect(hasEnded).toBe(false)
  })

  it('stays in the queue when another one is taken back', async () => {
    const link = await openLink(address(), TIMES)
    for (const job of ['a', 'b', 'c', 'd']) await link.addWork(job, new Uint8Array(1))
    const consumer = await link.consumer()
    const next = async () => (await consumer.next({ expires: 30_000 }))?.subject.at(-1)
    expect(await next()).toBe('a')
    await link.forget('a')
    await link.forget('c')
    expect([await next(), await next()]).toEqual(['b', 'd'])
    await link.close()
  })
})
