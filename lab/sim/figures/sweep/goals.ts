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

/** Curves over two logarithmic axes as SVG. */
interface Curve {
  readonly title: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

const SIZE = { width: 560, height: 300, left: 70, right: 190, top: 40, bottom: 40 }
const COLOURS = ['#2a7f3f', '#b3261e', '#1a5fb4', '#d9a406', '#6c4ab6']

export function curves(title: string, list: readonly Curve[]): string {
  const all = list.flatMap(({ points }) => points)
  const xs = axis(all.map(({ x }) => x))
  const ys = axis(all.map(({ y }) => y))
  const place = (value: number, { first, last }: Axis): number => (Math.log10(value) - first) / (last - first)
  const atX = (x: number): number => Math.round(SIZE.left + place(x, xs) * (SIZE.width - SIZE.left - SIZE.right))
  const atY = (y: number): number =>
    Math.round(SIZE.height - SIZE.bottom - place(y, ys) * (SIZE.height - SIZE.top - SIZE.bottom))
  const lines = list.flatMap(({ title: name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length]!
    const path = points.map(({ x, y }) => `${atX(x)},${atY(y)}`).join(' ')
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(({ x, y }) => `<circle cx="${atX(x)}" cy="${atY(y)}" r="3" fill="${colour}"/>`),
      words(SIZE.width - SIZE.right + 15, SIZE.top + 18 * index, name, 'start', colour)
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#fff"/>`,
    words(SIZE.left, 20, title, 'start'),
    ...powers(xs).map((x) => words(atX(x), SIZE.height - SIZE.bottom + 18, x.toLocaleString('en-US'), 'middle')),
    ...powers(ys).flatMap((y) => [
      words(SIZE.left - 8, atY(y) + 4, y.toLocaleString('en-US'), 'end'),
      `<line x1="${SIZE.left}" x2="${SIZE.width - SIZE.right}" y1="${atY(y)}" y2="${atY(y)}" stroke="#ddd"/>`
    ]),
    ...lines,
    '</svg>',
    ''
  ].join('\n')
}

/** Powers of ten below and above all values, which are 1 at least. */
interface Axis {
  readonly first: number
  readonly last: number
}

function axis(values: readonly number[]): Axis {
  const first = Math.floor(Math.log10(values.length === 0 ? 1 : Math.min(...values)))
  return { first, last: Math.max(first + 1, Math.ceil(Math.log10(Math.max(1, ...values)))) }
}

function powers({ first, last }: Axis): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

function words(x: number, y: number, text: string, anchor: string, colour = '#222'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}">${text}</text>`
}
