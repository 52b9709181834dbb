import { readdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { describe, expect, it } from 'vitest'
import { createNativePool } from '../../src/native/pool/pool.ts'

const SLICE_NS = 5_000_000
/** Older schedulers know no slices of single threads. */
const [major = 0, minor = 0] = release().split('.').map(Number)
const hasSlices = process.platform === 'linux' && (major > 6 || (major === 6 && minor >= 12))

/** Of all threads of this process, nanoseconds. */
const slices = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    try {
      const shown = readFileSync(`/proc/self/task/${thread}/sched`, 'utf8')
      return Number(/^se\.slice\s*:\s*(\d+)$/mu.exec(shown)?.[1])
    } catch {
      // A thread that ended meanwhile.
      return 0
    }
  })

describe.runIf(hasSlices)('a thread that squares', () => {
  it('gives way at once to threads that wake up, and no other thread does', async () => {
    const pool = createNativePool({ evaluationThreads: 1 })
    const squarings = {
      seed: new Uint8Array(32),
      discriminantBits: 1024,
      iterations: 10 ** 10,
      split: null
    }
    expect(slices()).not.toContain(SLICE_NS)
    const evaluation = pool.evaluate(squarings, { memoryBytes: 2 ** 20, checkpointSeconds: 3600 }, () => undefined)
    await expect.poll(() => evaluation.progress().squarings).toBeGreaterThan(0)
    expect(slices().filter((slice) => slice === SLICE_NS)).toHaveLength(1)
    evaluation.stop()
    await evaluation.outcome
    await pool.close()
  })
})
