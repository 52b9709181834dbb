/**
 * The simulator beside real nodes: one scenario on both, with the same keys, prefixes and rules. COMPARED_NODES says how
 * many (14; `npm run test:long` takes 50, with the quorums of network `main`).
 */
import { afterAll, describe, expect, it } from 'vitest'
import { labProfile } from '../../network/lab.ts'
import { realSide } from './real.ts'
import { playScenario, type Report, type Side, type Size } from './side.ts'
import { simulatedSide } from './simulated.ts'

const NODES = Number(process.env['COMPARED_NODES'] ?? 14)
const SMALL = { k: 8, witness_quorum: 3, repair_quorum: 5 }
const MAIN = { k: 20, witness_quorum: 5, repair_quorum: 8 }
const isLarge = NODES >= 40
const SIZE: Size = isLarge
  ? { nodes: NODES, k: 20, liars: 5, majority: 11 }
  : { nodes: NODES, k: 8, liars: 3, majority: 5 }

const profile = labProfile({
  scope: 'test',
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4,
  ...(isLarge ? MAIN : SMALL)
})

/** Estimates of the network's size are off by a third with k known peers, and decide who is asked. */
const FACTOR = 2

const sides: Side[] = []
afterAll(() => Promise.all(sides.map((side) => side.close())))

async function played(side: Side): Promise<Report> {
  sides.push(side)
  return playScenario(side, SIZE, profile.contest, profile.min_commit)
}

describe(`${NODES} real nodes and ${NODES} simulated ones`, { timeout: 600_000 }, () => {
  it('come to the same outcomes, by figures of the same size', async () => {
    const simulated = await played(simulatedSide(profile, SIZE))
    const real = await played(await realSide(profile, SIZE))
    const keys = [...new Set([...Object.keys(simulated.figures), ...Object.keys(real.figures)])]
    const lines = keys.map((key) => `  ${key}: ${simulated.figures[key]} simulated, ${real.figures[key]} real`)
    process.stdout.write(`${lines.join('\n')}\n`)
    expect(real.outcomes).toEqual(simulated.outcomes)
    expect(Object.keys(real.figures)).toEqual(Object.keys(simulated.figures))
    for (const [what, figure] of Object.entries(simulated.figures)) {
      expect(real.figures[what]! / figure, what).toBeLessThanOrEqual(FACTOR)
      expect(figure / real.figures[what]!, what).toBeLessThanOrEqual(FACTOR)
    }
    expect(simulated.outcomes).toMatchObject({
      'reveal among liars who came for it': { isPublished: true, refusals: [] },
      'look in the contest': 'owner',
      'look, settled': 'owner',
      'look among a majority of liars': 'thief',
      'among a majority of liars': ['owner']
    })
  })
})
