import { describe, expect, it } from 'vitest'
import { compare } from './compare.ts'
import type { Report } from './scenarios.ts'

const report = (figures: Record<string, number>): Report => ({ outcomes: {}, figures })

/** Figures that are too far apart. */
function apart(
  simulated: Record<string, number>,
  real: Record<string, number>,
  routing: 'real' | 'modelled'
): string[] {
  return compare(report(simulated), report(real), routing)
    .filter(({ isWithin }) => !isWithin)
    .map(({ figure }) => figure)
}

describe('two sides', () => {
  it('are of the same size within a factor of two, either way', () => {
    expect(apart({ 'look: asked': 10 }, { 'look: asked': 20 }, 'real')).toEqual([])
    expect(apart({ 'look: asked': 10 }, { 'look: asked': 21 }, 'real')).toEqual(['look: asked'])
    expect(apart({ 'look: asked': 21 }, { 'look: asked': 10 }, 'real')).toEqual(['look: asked'])
  })

  it('differ where one of them lacks a figure, or has none of what the other has', () => {
    expect(apart({}, { 'settled: holders of the thief': 3 }, 'real')).toEqual(['settled: holders of the thief'])
    expect(apart({ 'put: store': 8 }, { 'put: store': 0 }, 'real')).toEqual(['put: store'])
    expect(apart({ 'put: store': 0 }, { 'put: store': 0 }, 'real')).toEqual([])
  })

  it('are held to messages of look-ups only where these have any', () => {
    const figure = 'look: questions of look-ups'
    expect(apart({ [figure]: 0 }, { [figure]: 40 }, 'modelled')).toEqual([])
    expect(apart({ [figure]: 0 }, { [figure]: 40 }, 'real')).toEqual([figure])
  })
})
