/** The page of figures: what it holds, and what counts as the least number of ids. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, type RunResult } from '../../../sim/figures/run.ts'
import { GOALS, curves } from '../../../sim/figures/sweep/goals.ts'
import { page, writeFigures } from '../../../sim/figures/sweep/page.ts'
import { largerJobs, median, rowOf, sweepJobs } from '../../../sim/figures/sweep/sweep.ts'

const GOAL = GOALS.find(({ id }) => id === 'eclipse-settled')!
const ATTEMPT = GOAL.attempts[0]!
const DOCS = join(import.meta.dirname, '../../../../lab/reports/simulator')

const sampled = (): Promise<RunResult> => run({ nodes: 4, days: 0.1, names: 0, seed: '1' })

/** Cells of all rows of all tables, without their heads. */
function tables(text: string): string[][][] {
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .map((row) => row.split('|').slice(1, -1))
  )
}

describe('the figures', () => {
  it('have a table for each goal and a row for each number of nodes, as the kept page has', async () => {
    const options = { nodes: [4, 6], seeds: ['1', '2'], days: 0.1 }
    const sample = await sampled()
    const results = sweepJobs(options).map(({ nodes, seed, move, ids }) => ({
      ...sample,
      nodes,
      seed,
      move: move!,
      attacker: { ...sample.attacker, ids: ids! }
    }))
    const written = page(options, results)
    for (const [text, rows] of [
      [written, 2],
      [readFileSync(join(DOCS, 'figures.md'), 'utf8'), undefined]
    ] as const) {
      const found = tables(text)
      expect(found).toHaveLength(GOALS.length + 1)
      for (const [head, , ...body] of found) {
        for (const row of body) expect(row).toHaveLength(head!.length)
        if (rows !== undefined) expect(body).toHaveLength(rows)
        expect(body.flat().join()).not.toMatch(/NaN|Infinity|undefined/)
      }
    }
  })

  it('name the least number of ids that most seeds need', async () => {
    const sample = await sampled()
    const result = (ids: number, seed: string, wrong: number): RunResult => ({
      ...sample,
      nodes: 4,
      move: ATTEMPT.move,
      seed,
      attacker: { ...sample.attacker, ids },
      unpinned: { right: 1, wrong, contested: 0, missing: 0 }
    })
    const results = ATTEMPT.ids.flatMap((ids) => [
      result(ids, '1', ids >= 9 ? 2 : 0),
      result(ids, '2', ids >= 11 ? 2 : 0),
      result(ids, '3', ids >= 12 ? 2 : 0)
    ])
    expect(rowOf(GOAL, 4, results)).toMatchObject({ leastIds: 11 })
    expect(rowOf(GOAL, 4, results).results).toHaveLength(3)
    const never = results.map((each) => ({ ...each, unpinned: { ...each.unpinned, wrong: 0 } }))
    expect(rowOf(GOAL, 4, never).leastIds).toBeUndefined()
    expect(rowOf(GOAL, 4, never).results.map(({ attacker }) => attacker.ids)).toEqual([20, 20, 20])
  })

  it('take the move that needs the fewest ids', async () => {
    const sample = await sampled()
    const goal = GOALS.find(({ id }) => id === 'censor-settled')!
    const results = goal.attempts.flatMap(({ move, ids }) =>
      ids.map((count): RunResult => {
        const isEnough = count >= (move === 'hide-settled' ? 20 : 10)
        const attacker = { ...sample.attacker, ids: count }
        return { ...sample, nodes: 4, move, attacker, harm: isEnough ? 'censored' : 'harmless' }
      })
    )
    expect(rowOf(goal, 4, results)).toMatchObject({ move: 'eclipse-settled', leastIds: 10 })
  })

  it('attack large networks with what decided at 10,000 nodes, and with the next lower number', async () => {
    const sample = await sampled()
    const options = { nodes: [10_000, 100_000], seeds: ['1'], days: 6 }
    const swept = sweepJobs(options)
    expect(new Set(swept.map(({ nodes }) => nodes))).toEqual(new Set([10_000]))
    const results = swept.map(({ nodes, move, ids }): RunResult => {
      const wrong = move === ATTEMPT.move && ids! >= 11 ? 2 : 0
      const attacker = { ...sample.attacker, ids: ids! }
      return { ...sample, nodes, move: move!, attacker, unpinned: { right: 1, wrong, contested: 0, missing: 0 } }
    })
    const larger = largerJobs(options, results)
    const idsOf = (wanted: string): unknown[] => larger.filter(({ move }) => move === wanted).map(({ ids }) => ids)
    // Nobody takes the name there, so that twenty ids are tried for that too.
    expect(idsOf(ATTEMPT.move)).toEqual([10, 11, 20])
    expect(idsOf('keep-nothing-diverse')).toEqual([20])
    expect(larger.every(({ nodes }) => nodes === 100_000)).toBe(true)
  })

  it('run a move once for two goals that are read from it', () => {
    const jobs = sweepJobs({ nodes: [10], seeds: ['1', '2'], days: 6 })
    expect(new Set(jobs.map((job) => JSON.stringify(job))).size).toBe(jobs.length)
    expect(jobs.filter(({ move }) => move === 'eclipse-settled')).toHaveLength(2 * ATTEMPT.ids.length)
  })
})

it('are not begun without a directory to write to', async () => {
  const options = { nodes: [4], seeds: ['1'], days: 0.1 }
  await expect(writeFigures('no-such-directory', options, { workers: 1 })).rejects.toThrow('is not a directory')
})

it('a median is one of the values', () => {
  expect([median([3, 1, 2]), median([4, 1])]).toEqual([2, 1])
  expect(() => median([])).toThrow(RangeError)
})

it('a plot without a curve has no number that is none', () => {
  expect(curves('nothing', [])).not.toMatch(/NaN|Infinity/)
})
