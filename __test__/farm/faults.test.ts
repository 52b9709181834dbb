import { expect, it } from 'vitest'
import { runFaults } from './faults.ts'

it('loses no work and takes no wrong proof, whatever is killed when', async () => {
  const outcome = await runFaults({ kills: 9, seed: 3, checkpointSeconds: 0.1, mostMs: 1500 })
  const { kills, proved, wrong, lost, repeats } = outcome
  expect(kills.worker * kills.server * kills.daemon).toBeGreaterThan(0)
  expect(proved).toBeGreaterThanOrEqual(3)
  expect({ wrong, lost }).toEqual({ wrong: 0, lost: 0 })
  expect(repeats.filter(({ saved }) => saved > 0)).toEqual([])
})
