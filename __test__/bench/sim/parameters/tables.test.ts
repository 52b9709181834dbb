/** Tables answer to the value: rules, lives and networks run with the profile changed. */
import { describe, expect, it } from 'vitest'
import { changedProfile, valueText } from '../../../../bench/sim/parameters/kinds.ts'
import * as costs from '../../../../bench/sim/parameters/tables/costs.ts'
import * as lives from '../../../../bench/sim/parameters/tables/lives.ts'
import * as networks from '../../../../bench/sim/parameters/tables/networks.ts'
import { SIM_PROFILE } from '../../../../bench/sim/world.ts'

const OPTIONS = { nodes: 12, seed: '1' }

describe('tables of parameters', () => {
  it('go by the rules: the least lag at which a known pulse counts, and what a later commitment gains', () => {
    expect(costs.knownPulse.row(changedProfile('min_commit', 1), OPTIONS)).toEqual(['3', '0', '3'])
    expect(costs.knownPulse.row(SIM_PROFILE, OPTIONS)).toEqual(['54', '2', '60'])
  })

  it('go by lives: a floor of a day is too short for slow people, two weeks are not', async () => {
    const slow = async (floor: number): Promise<number> => {
      const profile = changedProfile('reveal_window', { ...SIM_PROFILE.reveal_window, floor })
      return Number((await lives.revealWindows.row(profile, OPTIONS))[0])
    }
    expect(await slow(28_800)).toBeGreaterThan(300)
    expect(await slow(403_200)).toBe(0)
  })

  it('go by networks: without slack an owner gets no pulse where holders are behind', async () => {
    const [, none] = await networks.behind.row(changedProfile('receipt_slack', 0), OPTIONS)
    const [, some] = await networks.behind.row(SIM_PROFILE, OPTIONS)
    expect(Number(none)).toBe(0)
    expect(Number(some)).toBeGreaterThan(3)
  })

  it('name of an object only what differs', () => {
    const values = [{ ...SIM_PROFILE.changes }, { interval: 1, burst: 5 }]
    expect(valueText('changes', values[0]!, values)).toBe('**interval 30**')
    expect(valueText('changes', values[1]!, values)).toBe('interval 1')
  })
})
