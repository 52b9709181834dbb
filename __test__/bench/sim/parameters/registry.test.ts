/** Each field of the profile has a run, or is listed as one that has none; and a run answers to its value. */
import { describe, expect, it } from 'vitest'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in-profiles.ts'
import { MOVES } from '../../../../bench/sim/moves/index.ts'
import { parameterText, runParameter } from '../../../../bench/sim/parameters/command.ts'
import { changedProfile, isChosen } from '../../../../bench/sim/parameters/kinds.ts'
import { NAMING, RUNS, WITHOUT_A_RUN } from '../../../../bench/sim/parameters/registry.ts'

const OPTIONS = { nodes: 40, days: 5, names: 0, seed: '1' }

describe('the parameters of the profile', () => {
  it('have a run, or are listed without one', () => {
    const names = [...Object.keys(RUNS), ...Object.keys(WITHOUT_A_RUN), ...NAMING]
    expect(names.sort()).toEqual(Object.keys(builtInProfiles.main).sort())
  })

  it('run by moves that exist, at values of a profile, the chosen one among them', () => {
    const moves = ['none', ...MOVES.map(({ id }) => id)]
    for (const [name, runs] of Object.entries(RUNS)) {
      expect(runs, name).not.toEqual([])
      for (const run of runs) {
        if (run.kind === 'bench') continue
        if (run.kind === 'moves') for (const move of run.moves) expect(moves).toContain(move)
        for (const value of run.values) expect(changedProfile(name, value)).toMatchObject({ [name]: value })
        expect(
          run.values.some((value) => isChosen(name, value)),
          name
        ).toBe(true)
      }
    }
  })

  it('change what a move gains', async () => {
    const [shown] = await runParameter('answers_per_wide_prefix', OPTIONS, [2, 4])
    if (shown?.kind !== 'moves') throw new Error('moves were expected')
    expect(shown.rows.map((row) => row.isChosen)).toEqual([false, true])
    expect(shown.rows.map(({ result }) => result.harm)).toEqual(['harmless', 'unpinned'])
  })

  it('change what a table says, the chosen value in bold', async () => {
    const shown = await runParameter('chain_max', OPTIONS)
    expect(parameterText(shown)).toContain('| **64** | 65 |')
    expect(parameterText(await runParameter('chain_max', OPTIONS, [8]))).not.toContain('**')
  })
})
