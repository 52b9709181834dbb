/** Runs of the simulator: that a seed decides them, and that moves do what the threat model says. */
import { describe, expect, it } from 'vitest'
import { MOVES } from '../../../sim/moves/index.ts'
import { run, type RunOptions } from '../../../sim/figures/run.ts'

const moveOf = (id: string): NonNullable<RunOptions['move']> => MOVES.find((move) => move.id === id)!
const SMALL = { nodes: 30, days: 5, names: 1 }

describe('a simulated network', () => {
  it('does the same again with the same seed, and other things with another', async () => {
    const options = { nodes: 24, days: 2, names: 1 }
    const [first, again, other] = [
      await run({ ...options, seed: '7' }),
      await run({ ...options, seed: '7' }),
      await run({ ...options, seed: '8' })
    ]
    expect(again).toEqual(first)
    expect(other.honest).not.toEqual(first.honest)
    expect(first).toMatchObject({ harm: 'harmless', violations: [], names: { registered: 2, lost: 0 } })
  })

  it('shows another owner to resolvers without a pin while eleven ids lie, and to none with a firm one or a code', async () => {
    const result = await run({ ...SMALL, seed: '1', move: moveOf('eclipse-settled') })
    expect(result).toMatchObject({ harm: 'unpinned', pinned: { wrong: 0 }, holders: { wrong: 0 }, violations: [] })
    expect(result.unpinned).toMatchObject({ right: 0 })
    expect(result.coded).toEqual({ right: result.unpinned.wrong, older: 0, wrong: 0, contested: 0, missing: 0 })
    expect(result.attacker).toMatchObject({ ids: 11, prefixes: 6, widePrefixes: 3 })
  })

  it('lets five ids that come for a name have no holder, at the reveal or before', async () => {
    for (const id of ['five-lying-neighbours', 'claim-sent-ahead'])
      expect(await run({ nodes: 60, days: 3, names: 0, seed: '1', move: moveOf(id) })).toMatchObject({
        attacker: { ids: 5 },
        harm: 'harmless',
        holders: { wrong: 0 },
        unpinned: { wrong: 0, contested: 0, missing: 0 },
        violations: []
      })
  })

  it('shows the owner while eight ids lie, and while twenty of one address do', async () => {
    for (const options of [{ move: moveOf('eclipse-settled'), ids: 8 }, { move: moveOf('one-address-around-a-key') }])
      expect(await run({ ...SMALL, seed: '1', ...options })).toMatchObject({ unpinned: { wrong: 0 }, violations: [] })
  })
})
