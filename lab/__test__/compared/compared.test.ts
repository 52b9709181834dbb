/**
 * The simulator beside real nodes: scenarios on both, with the same keys, prefixes and rules. COMPARED_NODES says how
 * many: 12 play the first scenario. `npm run test:long` has 50 play all, with the quorums of network `main`.
 * lab/reports/simulator/reality.md has the figures.
 */
import { describe, expect, it } from 'vitest'
import type { Routing } from '../../sim/ports.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { labProfile } from '../../../__test__/network/lab.ts'
import { compare, tableOf } from './compare.ts'
import { realSide } from './real.ts'
import { played, SCENARIOS, type Report, type Scenario } from './scenarios.ts'
import type { Side, Size } from './side.ts'
import { simulatedSide } from './simulated.ts'

const NODES = Number(process.env['COMPARED_NODES'] ?? 12)
/** One more than must answer are honest and near: a late answer changes nothing. */
const SMALL = { k: 8, witness_quorum: 3, repair_quorum: 4 }
const MAIN = { k: 20, witness_quorum: 5, repair_quorum: 8 }
const isLarge = NODES >= 40
const SIZE: Size = isLarge
  ? { nodes: NODES, k: 20, liars: 5, majority: 11 }
  : { nodes: NODES, k: 8, liars: 3, majority: 5 }

const profile = labProfile({
  scope: 'test',
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4,
  // Real nodes do a step of a scenario while no round passes. Simulated ones take a second.
  beacon: { ...builtInProfiles.local.beacon, period: 30 },
  ...(isLarge ? MAIN : SMALL)
})

const ROUTINGS: readonly Routing[] = ['modelled', 'real']

/** One side after the other: while simulated nodes play, the clock of this process is theirs. */
async function reportOf(scenario: Scenario, side: Side): Promise<Report> {
  try {
    return await played(scenario, side, SIZE, profile)
  } finally {
    await side.close()
  }
}

describe(`${NODES} real nodes and ${NODES} simulated ones`, { timeout: 1_200_000 }, () => {
  it.each(isLarge ? SCENARIOS : SCENARIOS.slice(0, 1))(
    'come to the same outcomes by figures of the same size: $what',
    async (scenario) => {
      const real = await reportOf(scenario, await realSide(profile, SIZE))
      const reports = new Map<Routing, Report>()
      for (const routing of ROUTINGS)
        reports.set(routing, await reportOf(scenario, await simulatedSide(profile, SIZE, routing)))
      process.stdout.write(tableOf(scenario.what, real, reports))
      expect(real.outcomes).toMatchObject(scenario.promised)
      for (const [routing, simulated] of reports) {
        expect({ routing, ...simulated.outcomes }).toEqual({ routing, ...real.outcomes })
        expect(compare(simulated, real, routing).filter(({ isWithin }) => !isWithin)).toEqual([])
      }
    }
  )
})
