/** What an attacker may want of a name, the move that tries it, and the numbers of ids that are tried. */
import type { RunResult } from '../run.ts'

export interface Goal {
  readonly id: string
  readonly title: string
  readonly move: string
  readonly ids: readonly number[]
  isReached(result: RunResult): boolean
}

export const GOALS: readonly Goal[] = [
  {
    id: 'eclipse-settled',
    title: 'Eclipse a settled name: resolvers without a firm pin see another owner',
    move: 'eclipse-settled',
    ids: [5, 9, 10, 11, 12, 20],
    isReached: isEclipsed
  },
  {
    id: 'eclipse-unsettled',
    title: 'Eclipse a name before it settles: resolvers without a firm pin see another owner',
    move: 'five-lying-neighbours',
    ids: [5, 9, 10, 11, 12, 20],
    isReached: isEclipsed
  },
  {
    id: 'steal-unsettled',
    title: "Steal a name before it settles: most honest holders have the thief's claim",
    move: 'five-lying-neighbours',
    ids: [5, 9, 10, 11, 12, 20],
    isReached: isTaken
  },
  {
    id: 'steal-settled',
    title: "Steal a settled name: most honest holders have the thief's claim, or a firm pin is crossed",
    move: 'eclipse-settled',
    ids: [5, 9, 10, 11, 12, 20],
    isReached: isTaken
  },
  {
    id: 'censor-unsettled',
    title: 'Censor a name before it settles: no record counts as published, or one look in ten has no owner',
    move: 'keep-nothing-diverse',
    ids: [5, 9, 10, 11, 12, 20],
    isReached: isCensored
  },
  {
    id: 'censor-settled',
    title: 'Censor a settled name: one look in ten has no owner',
    move: 'hide-settled',
    ids: [5, 9, 11, 15, 20],
    isReached: isCensored
  }
]

function isEclipsed({ unpinned: { right, wrong, contested, missing } }: RunResult): boolean {
  return wrong > right + contested + missing
}

function isTaken({ harm }: RunResult): boolean {
  return harm === 'taken'
}

function isCensored({ harm }: RunResult): boolean {
  return harm === 'censored'
}
