import { encode } from 'cborg'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { taskDirectory } from '../../../src/evaluations/directories.ts'
import { FakePool, full, until } from './fakes.ts'
import { workbench } from './workbench.ts'

const at = workbench()

describe('progress', () => {
  it('is shown within half a second, whatever the disk does', async () => {
    const { id, run } = await at.running()
    at.store.onWrite = full
    await at.reach(run, 100)
    expect(at.manager.get(id)!.progress).toBe(100)
    await at.reach(run, 200)
    expect(at.manager.get(id)!.progress).toBe(200)
  })

  it('is that of the newest checkpoint after a crash, and more than before it once it is squared', async () => {
    const { id, run } = await at.running()
    run.checkpoint(200)
    await at.stateFiles(1)
    await at.reach(run, 450)
    // A crash: what was not yet written is gone.
    run.stop = () => run.finish({ kind: 'stopped' })
    await at.restart()
    expect(at.manager.get(id)).toMatchObject({ progress: 200, resumed: 1 })
    await at.reach(await at.evaluation(), 300)
    expect(at.manager.get(id)!.progress).toBe(300)
  })

  it('is none of a checkpoint that cannot be read, and the daemon starts', async () => {
    const { id, run } = await at.running()
    run.checkpoint(200)
    await at.stateFiles(1)
    await at.manager.stop()
    for (const name of ['state.0', 'state.1']) {
      const path = join(taskDirectory(at.dataDir, id), name)
      rmSync(path, { force: true })
      mkdirSync(path)
    }
    await at.start()
    expect(at.manager.get(id)).toMatchObject({ progress: 0, status: 'running' })
    expect(at.told).toContain('a checkpoint cannot be read; the progress shown begins before it')
  })

  it('that a version before had shown is shown, and its files go', async () => {
    const id = at.register()
    const run = await at.evaluation()
    await at.manager.stop()
    const body = encode([[id, 700, 50_000]])
    const fields = Buffer.alloc(20)
    fields.write('CHRPROG1', 'latin1')
    fields.writeBigUInt64BE(1n, 8)
    fields.writeUInt32BE(body.length, 16)
    const file = join(at.dataDir, 'progress.1')
    writeFileSync(file, Buffer.concat([fields, createHash('sha256').update(fields).update(body).digest(), body]))
    await at.start()
    expect(at.manager.get(id)!.progress).toBe(700)
    expect([existsSync(file), run.stops]).toEqual([false, 1])
  })
})

describe('the time left', () => {
  /** One second of squaring at 100 a second. */
  async function second(run: FakePool['evaluations'][number]): Promise<void> {
    for (let tick = 0; tick < 2; tick++) {
      await at.reach(run, run.current.squarings + 50)
    }
  }

  it('is unknown while a task is paused or queued, and the same as before once it goes on', async () => {
    const { id, run } = await at.running()
    await second(run)
    await second(run)
    const before = at.manager.get(id)!.eta_seconds!
    at.manager.pause(id)
    expect(at.manager.get(id)!.eta_seconds).toBeNull()
    // The evaluation has stopped: its last checkpoint is on disk.
    await until(() => at.manager.get(id)!.iterations_per_second === null)
    await at.clock.advance(60 * 60 * 1000)
    at.manager.resume(id)
    expect(at.manager.get(id)!.eta_seconds).toBeNull()
    const again = await at.evaluation(1)
    // The kernel has measured nothing yet.
    again.current = { ...again.current, squaringsPerSecond: 0 }
    await at.clock.advance(500)
    expect(at.manager.get(id)!.eta_seconds).toBe(before)
  })

  it('does not take for work what a task that goes on had done before', async () => {
    const { id, run } = await at.running()
    run.checkpoint(500)
    await at.clock.advance(500)
    at.manager.pause(id)
    await until(() => run.stops > 0)
    at.manager.resume(id)
    const again = await at.evaluation(1)
    const begun = again.current
    again.current = { phase: 'squaring', squarings: 0, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 }
    await at.clock.advance(500)
    again.current = { ...begun, squaringsPerSecond: 100 }
    await at.clock.advance(500)
    await second(again)
    // 400 squarings and the proof at 100 a second, not at the 500 that were there after half a second.
    expect(at.manager.get(id)!.eta_seconds).toBeGreaterThanOrEqual(4)
  })

  it('does not jump when the machine slept', async () => {
    const { id, run } = await at.running()
    await second(run)
    await second(run)
    const before = at.manager.get(id)!.eta_seconds!
    at.clock.set(at.clock.now() + 8 * 60 * 60 * 1000)
    await at.clock.advance(500)
    expect(at.manager.get(id)!.eta_seconds).toBe(before)
    await second(run)
    expect(at.manager.get(id)!.eta_seconds).toBe(before - 1)
  })

  it('of a proof taken up in the middle comes of the part that is done from there', async () => {
    const { id, run } = await at.running()
    run.prove(0.8)
    await at.clock.advance(500)
    run.prove(0.81)
    await at.clock.advance(500)
    // 1% in half a second: 19% take 9.5 s.
    expect(at.manager.get(id)).toMatchObject({ phase: 'prove', eta_seconds: 10 })
  })

  it('counts what is squared again for a damage, not what was kept beyond it', async () => {
    const { id, run } = await at.running()
    for (const squarings of [200, 400, 800]) {
      run.checkpoint(squarings)
      await until(() => existsSync(join(taskDirectory(at.dataDir, id), `mark.${Math.floor(squarings * 0.064)}`)))
    }
    await at.clock.advance(500)
    await at.manager.stop()
    const file = join(taskDirectory(at.dataDir, id), 'intermediates')
    const bytes = readFileSync(file)
    bytes[30 * 128] = 0
    writeFileSync(file, bytes)
    await at.start()
    const again = await at.evaluation()
    expect(again.current.squarings).toBe(200)
    for (const squarings of [250, 300]) {
      await at.reach(again, squarings)
    }
    // At 100 a second: 100 to the mark, of what was kept nothing, 200 to the end, 100 for the proof.
    expect(at.manager.get(id)).toMatchObject({ progress: 800, eta_seconds: 4 })
    again.checkpoint(400)
    const onwards = await at.evaluation(1)
    expect(onwards.current.squarings).toBe(800)
    for (const squarings of [800, 850]) {
      await at.reach(onwards, squarings)
    }
    expect(at.manager.get(id)).toMatchObject({ progress: 850, eta_seconds: 3 })
  })
})
