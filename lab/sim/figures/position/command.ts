/** `npm run lab:sim -- --position`: the tables of lab/reports/simulator/position.md. */
import { SIM_PROFILE } from '../../world/world.ts'
import { EUROS } from './attacker.ts'
import { atLeast, meanTries, medianTries, prefixesOf, stayed } from './network.ts'
import { eclipsedOf, GOALS, study, type Attack } from './study.ts'

/** One of 100,000 nodes takes half a minute and more. */
const runsFor = (nodes: number): number => (nodes > 10_000 ? 5 : 25)

const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6]
const SHARE_COUNTED = { names: 50, networks: 8 }
const SHARE_NODES = 1000
const WORK_DAYS = [1, 3, 8, 14, 25]
const LIVES = [Infinity, 30, 14, 7]

export function positionStudies(sizes: readonly number[], seed: string, onProgress: (share: number) => void): Attack[] {
  return sizes.map((nodes, index) =>
    study(nodes, runsFor(nodes), seed, (share) => onProgress((index + share) / sizes.length))
  )
}

export function positionText(studies: readonly Attack[], seed: string): string {
  return [
    lotteryTable(studies),
    daysTable(studies),
    sharesTable(studies, seed),
    cloudsTable(studies),
    stayedTable()
  ].join('\n\n')
}

function lotteryTable(studies: readonly Attack[]): string {
  const { k } = SIM_PROFILE
  return table(
    ['N', '11 N / 40', 'eclipse: mean by formula', 'tried', '€', 'kept', 'hide: median by formula', 'tried', '€'],
    studies.map(({ nodes, withoutPlace, lotteries }) => {
      const positions = nodes * (1 - withoutPlace)
      return [
        whole(nodes),
        whole((11 * nodes) / 40),
        whole(meanTries(GOALS.eclipse, k, positions)),
        spread(lotteries.map(({ eclipse }) => eclipse)),
        whole(median(lotteries.map(({ eclipse }) => eclipse)) * EUROS.hour),
        spread(lotteries.map(({ kept }) => kept)),
        whole(medianTries(GOALS.hide, k, positions)),
        spread(lotteries.map(({ hide }) => hide)),
        whole(median(lotteries.map(({ hide }) => hide)) * EUROS.hour)
      ]
    })
  )
}

function daysTable(studies: readonly Attack[]): string {
  const days = [1, 2, 7, 30]
  return table(
    ['N', ...days.map((day) => `€ of an eclipse of ${day} d`)],
    studies.map(({ nodes, euros }) => [
      whole(nodes),
      ...days.map((day) => whole(median(euros.map((untilDay) => untilDay[day - 1]!))))
    ])
  )
}

function sharesTable(studies: readonly Attack[], seed: string): string {
  const { k } = SIM_PROFILE
  return table(
    [
      'share of all positions',
      'names eclipsed',
      `counted, of ${SHARE_COUNTED.names * SHARE_COUNTED.networks}`,
      'names hidden',
      ...studies.map(({ nodes }) => `€ a day, N = ${whole(nodes)}`)
    ],
    SHARES.map((share) => [
      `${share}`,
      percent(atLeast(GOALS.eclipse, k, share)),
      whole(eclipsedOf(share, SHARE_NODES, SHARE_COUNTED, seed)),
      percent(atLeast(GOALS.hide, k, share)),
      ...studies.map(({ nodes, withoutPlace }) => whole(prefixesOf(share, nodes * (1 - withoutPlace)) * EUROS.day))
    ])
  )
}

function cloudsTable(studies: readonly Attack[]): string {
  return table(
    ['N', 'honest nodes without a position', 'tried where the first node keeps a slot', 'where the newest has it'],
    studies.map(({ nodes, withoutPlace, clouds }) => [
      whole(nodes),
      percent(withoutPlace),
      spread(clouds.keep),
      spread(clouds.yield)
    ])
  )
}

/** Of the witnesses of a commitment, those that are still there when the work is done. */
function stayedTable(): string {
  return table(
    [
      'days of work',
      ...LIVES.flatMap((days) => [`${days === Infinity ? 'no node leaves' : `life ${days} d`}: today`, 'by address'])
    ],
    WORK_DAYS.map((work) => [
      `${work}`,
      ...LIVES.flatMap((life) => [percent(stayed(work, life, false)), percent(stayed(work, life, true))])
    ])
  )
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!
}

/** The median, with the least and the most. */
function spread(values: readonly number[]): string {
  return `${whole(median(values))} (${whole(Math.min(...values))} to ${whole(Math.max(...values))})`
}

function whole(value: number): string {
  if (!Number.isFinite(value)) return 'never'
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}

function percent(value: number): string {
  return value > 0 && value < 0.001 ? `${(value * 100).toExponential(0)}%` : `${(value * 100).toFixed(1)}%`
}
