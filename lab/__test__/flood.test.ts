/**
 * A small flood against a real node in a process of its own, with the real pool: all that is not a matter of time. `npm
 * run lab:flood` measures the rest.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { runFlood, type FloodReport } from '../flood/run.ts'
import { GARBAGE_KINDS } from '../flood/kinds.ts'
import { DEFAULT_COMMITMENT_LIMITS } from '../../src/network/holder/commitments.ts'

const OPTIONS = { identities: 24, together: 6, prefixes: 8, seed: 1, seconds: 6 }

let report: FloodReport

beforeAll(async () => {
  report = await runFlood(OPTIONS)
})

describe('a node that is flooded', () => {
  it('was sent every kind of garbage, by more than one identity', () => {
    expect(Object.keys(report.flood.answers).sort()).toEqual([...GARBAGE_KINDS].sort())
    expect(report.flood.identities).toBeGreaterThan(OPTIONS.together)
  })

  it('stores none of it', () => {
    const answers = Object.entries(report.flood.answers).filter(([kind]) => kind !== 'commitment with work')
    const stored = answers.flatMap(([kind, each]) =>
      Object.keys(each)
        .filter((answer) => answer === 'stored' || answer === 'received')
        .map((answer) => `${kind}: ${answer}`)
    )
    expect(stored).toEqual([])
    // Each name is held at two places.
    expect(report.after.held.records).toBe(2 * report.held.of)
  })

  it('takes honest claims and changes meanwhile, and shows the newest afterwards', () => {
    expect(report.honest.updates).toHaveLength(OPTIONS.seconds)
    expect(report.honest.reveals.length).toBeGreaterThan(0)
    expect(report.held.names).toBe(report.held.of)
  })

  it('keeps honest commitments [a flood that pushes them out], and no more than it may', () => {
    expect(report.commitments.kept).toBe(report.commitments.of)
    expect(report.after.held.commitments).toBeLessThanOrEqual(DEFAULT_COMMITMENT_LIMITS.total)
  })

  it('holds nothing against the honest peer, and something against others', () => {
    expect(report.after.honest_penalised).toBe(false)
    expect(report.after.penalised).toBeGreaterThan(0)
  })
})
