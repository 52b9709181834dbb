/** An evaluation on a farm whose server is killed, loses what it has, or is of no use. */
import { setTimeout as delay } from 'node:timers/promises'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { describe, expect, it } from 'vitest'
import { type Link, openLink } from '../../src/farm/link.ts'
import { SEGMENT_RECORDS } from '../../src/farm/saved-state.ts'
import { FakePool } from '../registry/claims/fakes.ts'
import { waitFor } from '../wait-for.ts'
import {
  address,
  bad,
  begun,
  ENDLESS,
  farm,
  hasRoom,
  MOVED,
  network,
  onlyWorker,
  PATIENT,
  restartFarm,
  savedOf,
  server,
  Task,
  TIMES,
  worker,
  workerProcess
} from './scene.ts'
import { HALF, SteppedPool } from './stepped-pool.ts'

describe('an evaluation on a farm', () => {
  it('survives a server that is killed and starts again', async () => {
    await restartFarm(PATIENT)
    const held = new SteppedPool(HALF)
    const only = worker('w1', held)
    await hasRoom()
    const task = new Task(7)
    const running = task.run()
    await task.isSaved()
    await server.kill()
    await server.start()
    held.release()
    expect(await task.verifies(await running)).toBe(true)
    // The server gives the message again once nobody keeps it.
    expect(only.begun.filter((squarings) => squarings === 0)).toEqual([0])
  })

  it('is saved once the server is there again, and not with the next checkpoint alone', async () => {
    await restartFarm(PATIENT)
    const fake = new FakePool()
    worker('w1', fake)
    await hasRoom()
    const task = new Task(28)
    const running = task.run().catch((error: unknown) => error)
    const evaluation = await begun(fake)
    await server.kill()
    evaluation.checkpoint(100)
    await server.start()
    await waitFor(async () => expect(await savedOf(task)).toBe(100), 10)
    task.stop(true)
    await running
  })

  it('is saved by a worker that is told to end while the server is away, once it is back', async () => {
    await restartFarm(PATIENT)
    const fake = new FakePool()
    const { drain } = worker('w1', fake, { ...TIMES, silentMs: 240_000 })
    await hasRoom()
    const task = new Task(29)
    const running = task.run().catch((error: unknown) => error)
    const evaluation = await begun(fake)
    await server.kill()
    evaluation.checkpoint(100)
    const drained = drain()
    await server.start()
    await drained
    expect(await savedOf(task)).toBe(100)
    task.stop(true)
    await running
  })

  it('is left by a worker that is told to end while the server stays away', async () => {
    const fake = new FakePool()
    const { drain } = worker('w1', fake)
    await hasRoom()
    const task = new Task(30)
    const running = task.run().catch((error: unknown) => error)
    const evaluation = await begun(fake)
    await server.kill()
    evaluation.checkpoint(100)
    await drain()
    await server.start()
    expect(await savedOf(task)).toBe(0)
    task.stop(true)
    await running
  })

  it('goes on from what this daemon has, when the server loses its disk and the worker ends', async () => {
    const first = workerProcess('w1', HALF)
    await hasRoom()
    const task = new Task(8)
    const running = task.run()
    await task.isKept()
    await server.kill()
    await first.kill()
    server.wipeDisk()
    await server.start()
    const second = workerProcess('w2')
    expect(await task.verifies(await running)).toBe(true)
    expect(task.said).toContain('the evaluation resumes from a checkpoint')
    expect(second.stretches).toHaveLength(1)
  })

  it('goes on at the worker that leads, when the server loses its disk', async () => {
    const leader = await onlyWorker()
    const task = new Task(23, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.isKept()
    await server.kill()
    server.wipeDisk()
    const { to } = leader.stretches[0]!
    await waitFor(() => expect(leader.stretches[0]!.to).toBeGreaterThan(to))
    worker('w2')
    await server.start()
    await waitFor(async () => expect(await savedOf(task)).toBeGreaterThan(to))
    expect([leader.stretches.length, leader.said.includes('stopped')]).toEqual([1, false])
    task.stop(true)
    await running
  })

  it('goes on at the worker that leads, when the server loses records that no daemon has', async () => {
    await restartFarm(PATIENT)
    const [leading, behind] = [new FakePool(), new FakePool()]
    const { said } = worker('w1', leading)
    await hasRoom()
    // A fake squares beyond the few of others.
    const iterations = 100_000
    const task = new Task(25, { iterations })
    const running = task.run().catch((error: unknown) => error)
    const leader = await begun(leading)
    leader.checkpoint(100)
    await task.isKept()
    farm.leave()
    task.stop()
    await running
    await farm.close()
    // A fake has a record for each ten squarings.
    const twoSegments = 20 * SEGMENT_RECORDS
    leader.checkpoint(twoSegments)
    await waitFor(async () => expect(await savedOf(task)).toBe(twoSegments), 10)
    await server.kill()
    server.wipeDisk()
    await server.start()
    await restartFarm(PATIENT)
    worker('w2', behind)
    const again = new Task(25, { directory: task.directory, iterations })
    const goingOn = again.run().catch((error: unknown) => error)
    expect((await begun(behind)).progress().squarings).toBe(100)
    await waitFor(async () => {
      leader.checkpoint(leader.progress().squarings + 1)
      expect(await again.kept()).toBeGreaterThan(twoSegments)
    }, 100)
    expect(said).not.toContain('stopped')
    again.stop(true)
    await goingOn
  })

  it('comes home from a farm that cannot be reached, and goes on from what was saved', async () => {
    const only = worker('w1', new SteppedPool(HALF))
    await hasRoom()
    let slots = 0
    const task = new Task(9, { slots: () => slots })
    const running = task.run()
    await task.isSaved()
    await only.drain()
    slots = 1
    await waitFor(() => expect(task.evaluation.progress()?.worker).toBeUndefined())
    expect(await task.verifies(await running)).toBe(true)
    expect(task.said).toEqual(['the evaluation goes on at another place', 'the evaluation resumes from a checkpoint'])
  })

  it.each([
    ['has come home', (task: Task) => waitFor(() => expect(task.said).toContain(MOVED), 10)],
    ['was paused', async (task: Task) => task.stop()]
  ])('stays at a farm that cannot be reached when it %s, and is taken up later', async (_what, leave) => {
    worker('w1')
    await hasRoom()
    const task = new Task(17, { iterations: ENDLESS })
    const running = task.run().catch((error: unknown) => error)
    await task.isSaved()
    await server.kill()
    await waitFor(() => expect(farm.view().connected).toBe(false))
    await leave(task)
    await delay(100)
    await server.start()
    await waitFor(() => expect(farm.view().connected).toBe(true), 10)
    // A server that has just started may not read its streams yet, and then the farm rests for a moment.
    await waitFor(async () => expect(await farm.holds(task.plan)).toBe(true))
    expect(await savedOf(task)).toBeGreaterThan(0)
    task.stop(true)
    await running
    farm.forget(task.plan)
  })

  it.each<[string, (link: Link, manager: JetStreamManager) => Promise<unknown>]>([
    ['consumer', ({ names }, { consumers }) => consumers.delete(names.queue, 'workers')],
    ['bucket', ({ names }, { streams }) => streams.delete(`KV_${names.bucket}`)],
    ['queue', ({ names }, { streams }) => streams.delete(names.queue)]
  ])('is proved by a farm whose %s somebody deleted', async (_what, remove) => {
    worker('w1')
    await hasRoom()
    const link = await openLink(address(), TIMES)
    await remove(link, await jetstreamManager(link.connection))
    await link.close()
    const task = new Task(20)
    expect(await task.verifies(await task.run())).toBe(true)
  })

  it('is proved by a farm whose server counts messages of the queue that it has lost', async () => {
    server.loseFilesOf(`chronym-${network}-work`)
    worker('w1')
    await hasRoom()
    const task = new Task(22)
    expect(await task.verifies(await task.run())).toBe(true)
  })

  it('comes home from a server that takes nothing more', async () => {
    await bad('mute', () => Promise.resolve())
    await hasRoom()
    const link = await openLink(address(), TIMES)
    await link.addWork('other', new Uint8Array(1))
    const { streams } = await jetstreamManager(link.connection)
    await streams.update(link.names.queue, { max_msgs: 1 })
    await link.close()
    let slots = 0
    const task = new Task(21, { slots: () => slots })
    const running = task.run()
    await waitFor(() => expect(task.evaluation.progress()).toBeDefined())
    slots = 1
    expect(await task.verifies(await running)).toBe(true)
  })
})
