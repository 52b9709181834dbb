import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/**
 * A leak of a hundred bytes a call would be 1.7 MB in each round of 17,000 calls. The engine's own growth stays below
 * this in at least one round.
 */
const ALLOWED_BYTES = 1_200_000

/** Collections on demand, and a young generation that does not grow by itself. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1']

/** Half a minute of a free core. */
const TIMEOUT_MS = 600_000

interface Contents {
  exported: string[]
  /** What each probe calls. */
  probes: Record<string, string[]>
}

async function probe<T>(...args: string[]): Promise<T> {
  const file = fileURLToPath(new URL('leak-probe.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, file, ...args])
  return JSON.parse(stdout) as T
}

it('every export of the addon is probed for leaks', async () => {
  const { exported, probes } = await probe<Contents>()
  expect(exported).toContain('Evaluation.advance')
  expect(exported.toSorted()).toEqual([...new Set(Object.values(probes).flat())].toSorted())
})

it('the addon gives back what each call takes', { timeout: TIMEOUT_MS }, async () => {
  const grown: Record<string, number> = {}
  for (const name of Object.keys((await probe<Contents>()).probes)) grown[name] = await probe<number>(name)
  const leaks = Object.keys(grown).filter((name) => grown[name]! > ALLOWED_BYTES)
  // What is kept on purpose shows that a leak would be noticed.
  expect(leaks, JSON.stringify(grown)).toEqual(['control: a hundred bytes kept'])
})
