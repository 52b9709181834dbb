/** Invariant P12 of docs/protocol/rules.md, 18: owners on network `main` in virtual time (lives.ts). */
import { describe, expect, it } from 'vitest'
import { BEGIN, drawOwnersLife, FOLLOWED, lossOf, YEAR } from './lives.ts'
import { MAIN } from '../protocol/fixtures.ts'
import { randomFrom, RUNS, SEED } from './cases.ts'

/** P12: one owner in a thousand may lose a name; with three standard deviations, so that chance alone fails no run. */
const MAY_LOSE = RUNS / 1000 + 3 * Math.sqrt(RUNS / 1000)

describe('owners that are slow, asleep or offline', () => {
  it(`P12: keep their names in 99.9% of ${RUNS} lives of ${FOLLOWED / YEAR} years`, () => {
    const losses: string[] = []
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(SEED + run * 7919)
      const loss = lossOf(drawOwnersLife(random, MAIN), random, MAIN)
      if (loss !== undefined) losses.push(`run ${run}: ${loss}`)
    }
    process.stdout.write(`P12: ${losses.length} of ${RUNS} lost; ${losses.slice(0, 5).join('; ')}\n`)
    expect(losses.length, losses.slice(0, 20).join('\n')).toBeLessThanOrEqual(MAY_LOSE)
  })

  it('P12: not so where they would have to be awake when the lease ends: the model can lose a name', () => {
    // One fixed life: a slow owner renews months ahead and is not there to lose.
    const random = randomFrom(1)
    const absent = {
      ...drawOwnersLife(random, MAIN),
      absences: [{ from: BEGIN + 0.8 * YEAR, until: BEGIN + 1.1 * YEAR }]
    }
    expect(lossOf(absent, random, MAIN)).toMatch(/grace/)
  })
})
