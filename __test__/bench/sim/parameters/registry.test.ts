/** Each field of the profile has a run, or is listed as one that has none; and a run answers to its value. */
import { describe, expect, it } from 'vitest'
import { MOVES } from '../../../../bench/sim/moves/index.ts'
import { changedProfile, runParameter } from '../../../../bench/sim/parameters/command.ts'
import { NAMING, RUNS, WITHOUT_A_RUN } from '../../../../bench/sim/parameters/registry.ts'
import { SIM_PROFILE } from '../../../../bench/sim/world.ts'

describe('the parameters of the profile', () => {
  it('have a run, or are listed without one', () => {
    expect([...Object.keys(RUNS), ...WITHOUT_A_RUN, ...NAMING].sort()).toEqual(Object.keys(SIM_PROFILE).sort())
  })

  it('run by moves that exist, at values of a profile, the chosen one among them', () => {
    const moves = ['none', ...MOVES.map(({ id }) => id)]
    for (const [name, { moves: own, values }] of Object.entries(RUNS)) {
      for (const move of own) expect(moves).toContain(move)
      for (const value of values) expect(changedProfile(name, value)).toMatchObject({ [name]: value })
      expect(values).toContain((SIM_PROFILE as unknown as Record<string, unknown>)[name])
    }
  })

  it('change what a run shows', async () => {
    const rows = await runParameter('answers_per_wide_prefix', [2, 4], { nodes: 40, days: 5, names: 0, seed: '1' })
    expect(rows.map(({ isChosen }) => isChosen)).toEqual([false, true])
    expect(rows.map(({ result }) => result.harm)).toEqual(['harmless', 'unpinned'])
  })
})
