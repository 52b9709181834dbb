import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** A hundred bytes lost a call would be 1.5 MB in each round of 15,000 calls; what the engine keeps for itself stays below in one round at least. */
const ALLOWED_BYTES = 1_200_000

/** Collections on demand, and a young generation that does not grow by itself. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1']

it('the addon gives back what each call takes', async () => {
  const probe = fileURLToPath(new URL('leak-probe.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, probe])
  const grown = JSON.parse(stdout) as Record<string, number>
  expect(Object.keys(grown).length).toBeGreaterThan(9)
  expect(Object.entries(grown).filter(([, bytes]) => bytes > ALLOWED_BYTES)).toEqual([])
})
