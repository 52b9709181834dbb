/** What resolvers without a pin see of a settled name, over the attacker's ids: lab/reports/simulator/eclipse.svg. */
import type { Move } from '../moves/move.ts'
import { type RunOptions, run } from './run.ts'

const COLOURS = { right: '#2a7f3f', wrong: '#b3261e', contested: '#d9a406', missing: '#9aa0a6' }
const IDS = [5, 7, 8, 9, 10, 11, 12]

export async function plotEclipse(options: Omit<RunOptions, 'move' | 'ids'>, move: Move): Promise<string> {
  const list = []
  for (const ids of IDS) {
    const { unpinned } = await run({ ...options, move, ids })
    const looks = unpinned.right + unpinned.wrong + unpinned.contested + unpinned.missing
    list.push({
      label: `${ids}`,
      parts: (['right', 'wrong', 'contested', 'missing'] as const).map((kind) => ({
        share: unpinned[kind] / Math.max(1, looks),
        colour: COLOURS[kind]
      }))
    })
  }
  return bars(
    `A settled name at resolvers without a pin, by ids of the attacker (${options.nodes} nodes)`,
    list,
    Object.entries(COLOURS)
  )
}

/** Bars as SVG: a share of 0..1 over each number of ids. Written by hand, since a plot needs no library. */
interface Bar {
  readonly label: string
  /** 0..1 of each kind, stacked; the rest is empty. */
  readonly parts: readonly { readonly share: number; readonly colour: string }[]
}

const BAR = { width: 28, gap: 10, height: 120 }
const MARGIN = 34
const LEGEND_WIDTH = 105

export function bars(title: string, list: readonly Bar[], legend: readonly (readonly [string, string])[]): string {
  const width = 2 * MARGIN + Math.max(420, list.length * (BAR.width + BAR.gap))
  const height = BAR.height + 3 * MARGIN
  const shapes = list.flatMap(({ label, parts }, index) => {
    const x = MARGIN + index * (BAR.width + BAR.gap)
    let top = MARGIN + BAR.height
    const rectangles = parts.map(({ share, colour }) => {
      const tall = Math.round(share * BAR.height)
      top -= tall
      return `<rect x="${x}" y="${top}" width="${BAR.width}" height="${tall}" fill="${colour}"/>`
    })
    return [...rectangles, text(x + BAR.width / 2, MARGIN + BAR.height + 16, label, 'middle')]
  })
  const keys = legend.flatMap(([name, colour], index) => [
    `<rect x="${MARGIN + index * LEGEND_WIDTH}" y="${height - 26}" width="12" height="12" fill="${colour}"/>`,
    text(MARGIN + index * LEGEND_WIDTH + 18, height - 16, name, 'start')
  ])
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(MARGIN, 20, title, 'start'),
    ...shapes,
    ...keys,
    '</svg>',
    ''
  ].join('\n')
}

function text(x: number, y: number, words: string, anchor: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#222">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
}
