/** What an attacker may want of a name, the moves that try it, and the numbers of ids. */
import type { RunResult } from '../run.ts'

export interface Attempt {
  readonly move: string
  /** Ascending. */
  readonly ids: readonly number[]
}

export interface Goal {
  readonly id: string
  readonly title: string
  readonly attempts: readonly Attempt[]
  isReached(result: RunResult): boolean
}

const ECLIPSES: Attempt = { move: 'eclipse-settled', ids: [5, 9, 10, 11, 12, 20] }
const COMES_LATE: Attempt = { move: 'five-lying-neighbours', ids: [5, 9, 10, 11, 12, 20] }
const WAITS: Attempt = { move: 'patient-neighbours', ids: [3, 4, 5, 11] }
const COMES_AND_GOES: Attempt = { move: 'newcomers-among-liars', ids: [8, 9, 10, 11] }
const KEEPS_NOTHING: Attempt = { move: 'keep-nothing-diverse', ids: [5, 9, 10, 11, 12, 20] }
const HIDES: Attempt = { move: 'hide-settled', ids: [9, 11, 15, 20] }

export const GOALS: readonly Goal[] = [
  {
    id: 'eclipse-settled',
    title: 'Eclipse a settled name: resolvers without a firm pin see another owner',
    attempts: [ECLIPSES],
    isReached: isEclipsed
  },
  {
    id: 'eclipse-unsettled',
    title: 'Eclipse a name once its owner works: resolvers without a firm pin see another owner',
    attempts: [COMES_LATE],
    isReached: isEclipsed
  },
  {
    id: 'steal-unsettled',
    title: "Steal a name once its owner works: most honest holders have the thief's claim",
    attempts: [COMES_LATE],
    isReached: isTaken
  },
  {
    id: 'steal-guessed',
    title: 'Steal a name that was guessed and worked for before its owner commits: ids are there for eight days',
    attempts: [WAITS],
    isReached: isTaken
  },
  {
    id: 'steal-settled',
    title: "Steal a settled name: most honest holders have the thief's claim, or a firm pin is crossed",
    attempts: [ECLIPSES],
    isReached: isTaken
  },
  {
    id: 'steal-changing',
    title: 'Steal a settled name whose holders stay three days on average',
    attempts: [COMES_AND_GOES],
    isReached: isTaken
  },
  {
    id: 'censor-unsettled',
    title: 'Censor a name before it settles: no record counts as published, or one look in ten has no owner',
    attempts: [KEEPS_NOTHING, COMES_LATE],
    isReached: isCensored
  },
  {
    id: 'censor-settled',
    title: 'Censor a settled name: one look in ten has no owner',
    attempts: [ECLIPSES, HIDES],
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
