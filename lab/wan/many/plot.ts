/** What was asked over time, as SVG: the share that resolved, and how long it took. Written by hand: it needs no library. */
import type { Asked } from './asking.ts'

export interface Mark {
  readonly second: number
  readonly what: string
}

const BIN_SECONDS = 15
const WIDTH = 760
const HEIGHT = 130
const MARGIN = 46
/** The top of the lower plot, milliseconds, in a logarithmic scale from 10. */
const SLOWEST_MS = 30_000

export function plotAsked(title: string, asked: readonly Asked[], marks: readonly Mark[]): string {
  const seconds = Math.max(1, ...asked.map(({ second }) => second))
  const bins = Array.from({ length: Math.ceil(seconds / BIN_SECONDS) }, (_, index) =>
    asked.filter(({ second }) => Math.floor(second / BIN_SECONDS) === index)
  )
  const x = (second: number): number => MARGIN + (second / seconds) * WIDTH
  const top = (row: number): number => 40 + row * (HEIGHT + 40)
  const share = (value: number): number => top(0) + (1 - value) * HEIGHT
  const height = (ms: number): number =>
    top(1) + HEIGHT - (Math.log10(Math.max(10, ms) / 10) / Math.log10(SLOWEST_MS / 10)) * HEIGHT
  const line = (value: (bin: readonly Asked[]) => number, colour: string): string => {
    const points = bins.flatMap((bin, index) =>
      bin.length === 0 ? [] : [`${x((index + 0.5) * BIN_SECONDS).toFixed(1)},${value(bin).toFixed(1)}`]
    )
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`
  }
  const groups = [...new Set(asked.map(({ group }) => group))].sort()
  const colours = ['#2a7f3f', '#b3261e', '#1b62a5']
  const within = (bin: readonly Asked[], group: string): readonly Asked[] => bin.filter((each) => each.group === group)
  const resolvedShare = (bin: readonly Asked[]): number =>
    bin.filter(({ outcome }) => outcome === 'resolved').length / Math.max(1, bin.length)
  const quantile = (bin: readonly Asked[], of: number): number =>
    bin.map(({ ms }) => ms).sort((left, right) => left - right)[Math.max(0, Math.ceil(of * bin.length) - 1)]!
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 2 * MARGIN} ${top(2)}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH + 2 * MARGIN}" height="${top(2)}" fill="#fff"/>`,
    text(MARGIN, 16, title),
    ...groups.map(
      (group, index) =>
        `${line((bin) => share(resolvedShare(within(bin, group))), colours[index]!)}${text(MARGIN + 8 + 200 * index, top(0) + HEIGHT - 6, `resolved: ${group}`, colours[index])}`
    ),
    line((bin) => height(quantile(bin, 0.5)), '#1b62a5'),
    line((bin) => height(quantile(bin, 0.95)), '#d98200'),
    text(MARGIN + 8, top(1) + 12, 'milliseconds: p50', '#1b62a5'),
    text(MARGIN + 138, top(1) + 12, 'p95', '#d98200'),
    ...[0, 0.5, 1].map((value) => text(4, share(value) + 4, `${value * 100}%`)),
    ...[10, 100, 1_000, 10_000].map((ms) => text(4, height(ms) + 4, String(ms))),
    ...marks.flatMap(({ second, what }) => [
      `<line x1="${x(second).toFixed(1)}" x2="${x(second).toFixed(1)}" y1="${top(0)}" y2="${top(1) + HEIGHT}" stroke="#777" stroke-dasharray="4"/>`,
      text(x(second) + 3, top(0) - 6, what)
    ]),
    ...[0, 1].map(
      (row) => `<rect x="${MARGIN}" y="${top(row)}" width="${WIDTH}" height="${HEIGHT}" fill="none" stroke="#bbb"/>`
    ),
    text(MARGIN, top(1) + HEIGHT + 18, `0 to ${Math.round(seconds)} s`),
    '</svg>',
    ''
  ].join('\n')
}

function text(x: number, y: number, words: string, colour = '#222'): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${colour}">${escaped}</text>`
}
