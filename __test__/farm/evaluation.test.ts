/** An evaluation on a farm, whatever its workers and its daemon do. */
import { setTimeout as delay } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, it } from 'vitest'
import { openLink } from '../../src/farm/link.ts'
import { jobOf } from '../../src/farm/messages.ts'
import { saveProof, SEGMENT_RECORDS } from '../../src/farm/saved-state.ts'
import { FakePool } from '../registry/claims/fakes.ts'
import { waitFor } from '../wait-for.ts'
import { planOf } from './processes.ts'
import {
  address,
  bad,
  begun,
  ENDLESS,
  farm,
  hasRoom,
  linked,
  restartFarm,
  savedOf,
  Task,
  TIMES,
  worker,
  workerProcess
} from './scene.ts'
import { FEW, HALF, SteppedPool } from './stepped-pool.ts'

describe('an evaluation on a farm', () => {
  it('is proved by a worker, which is named, and is there until it is forgotten', async () => {
    const held = new SteppedPool(HALF)
    worker('w1', held)
    await hasRoom()
    const task = new Task(1)
    const running = task.run()
    expect(await task.reaches(0)).toMatchObject({ worker: 'w1', phase: 'squaring' })
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    expect(await farm.holds(task.plan)).toBe(true)
    farm.forget(task.plan)
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
    expect(await farm.holds(task.plan)).toBe(false)
  })

  it('goes on at another worker from what was saved last, when one is killed', async () => {
    const first = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(5)
    const running = task.run()
    await task.isSaved()
    await first.kill()
    const saved = await savedOf(task)
    const second = worker('w2')
    expect(await task.verifies(await running)).toBe(true)
    expect([first.stretches.map(({ from }) => from), second.begun]).toEqual([[0], [saved]])
  })

  it('loses nothing when its worker is told to end', async () => {
    const first = worker('w1', new SteppedPool(HALF))
    await hasRoom()
    const task = new Task(6)
    const running = task.run()
    const { squarings } = await task.reaches(0)
    const second = worker('w2')
    await hasRoom(2)
    await first.drain()
    expect(await savedOf(task)).toBeGreaterThanOrEqual(squarings)
    expect(await task.verifies(await running)).toBe(true)
    expect(second.begun[0]).toBeGreaterThanOrEqual(squarings)
  })

  it('leaves nothing of a cancelled task at the server, where its worker was away and saves once more', async () => {
    const fake = new FakePool()
    const { said } = worker('w1', fake)
    await hasRoom()
    const computation = planOf(27)
    const handle = farm.evaluate(computation, { checkpointSeconds: 10 }, () => undefined)
    const evaluation = await begun(fake)
    farm.leave()
    handle.stop()
    await handle.outcome
    const link = await linked()
    await link.takeBack(jobOf(computation))
    await link.discard(jobOf(computation))
    // A fake has a record for each ten squarings: whole segments.
    for (let squarings = 10 * SEGMENT_RECORDS; !said.includes('stopped'); squarings += 10 * SEGMENT_RECORDS) {
      evaluation.checkpoint(squarings)
      await delay(TIMES.reportMs)
    }
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    const { streams } = await jetstreamManager(link.connection)
    expect((await streams.info(`KV_${link.names.bucket}`)).state.messages).toBe(0)
  })

  it('gets one result of two workers, where one slept while the other went on', async () => {
    const sleeper = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(10)
    const running = task.run()
    await task.reaches(0)
    sleeper.signal('SIGSTOP')
    const held = new SteppedPool(FEW - 1)
    const other = worker('w2', held)
    await waitFor(() => expect(task.evaluation.progress()?.worker).toBe('w2'))
    await waitFor(async () => expect(await savedOf(task)).toBeGreaterThan(HALF + HALF / 2))
    sleeper.signal('SIGCONT')
    sleeper.signal('SIGUSR2')
    // Who is further goes on; the other one notices.
    await waitFor(() => expect(sleeper.said).toContain('stopped'))
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    // The proof is there before its worker says so.
    await waitFor(() => expect(other.said).toContain('proved'))
    expect([...sleeper.said, ...other.said].filter((said) => said === 'proved')).toEqual(['proved'])
  })

  it('is taken up by the next life of its daemon, with the proof that was finished meanwhile', async () => {
    const held = new SteppedPool(HALF)
    const first = worker('w1', held)
    await hasRoom()
    const task = new Task(13)
    const running = task.run()
    await task.reaches(0)
    farm.leave()
    task.stop()
    await expect(running).rejects.toThrow('stopped')
    await restartFarm()
    held.release()
    const again = new Task(13, { directory: task.directory })
    // Done while nobody asked, or still under way: no squaring is lost.
    expect(await again.verifies(await again.run())).toBe(true)
    expect(first.begun).toEqual([0])
  })

  it('leaves what was reached here when it is paused, and nothing at the farm', async () => {
    worker('w1', new SteppedPool(HALF))
    await hasRoom()
    const task = new Task(14)
    const running = task.run().catch((error: unknown) => error)
    const { squarings } = await task.reaches(0)
    task.stop()
    expect(await running).toMatchObject({ message: 'stopped' })
    expect(await task.kept()).toBeGreaterThanOrEqual(squarings)
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
  })

  it('is proved by the proof that waits when it is paused', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const task = new Task(18)
    const alone = new SteppedPool().evaluate(task.plan, { checkpointSeconds: 10 }, () => undefined)
    const outcome = await alone.outcome
    const { proof } = outcome as { proof: Uint8Array }
    const running = task.run()
    await waitFor(async () => expect(await savedOf(task)).toBe(0))
    const link = await openLink(address(), TIMES)
    await saveProof(link, jobOf(task.plan), { proof, worker: 'mute' })
    task.stop()
    expect(await running).toEqual(proof)
    await link.close()
  })

  it('stops everywhere when it is cancelled', async () => {
    worker('w1')
    await hasRoom()
    const task = new Task(15, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.reaches(0)
    task.stop(true)
    expect(await running).toMatchObject({ message: 'stopped' })
    await waitFor(() => expect(farm.view().workers).toMatchObject([{ busy: 0 }]))
    await waitFor(async () => expect(await savedOf(task)).toBeUndefined())
  })
})
