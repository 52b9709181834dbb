/** Results as a table of text. */
import { OTHER_RULES } from './other-rules.ts'
import type { CodedSights, Sights } from './harm.ts'
import type { RunResult } from './run.ts'

const COLUMNS: readonly (readonly [string, (result: RunResult) => string])[] = [
  ['move', ({ move }) => move],
  ['nodes', ({ nodes }) => `${nodes}`],
  ['seed', ({ seed }) => seed],
  ['ids', ({ attacker }) => `${attacker.ids}`],
  ['/24', ({ attacker }) => `${attacker.prefixes}`],
  ['€/day', ({ attacker }) => attacker.eurosADay.toFixed(2)],
  ['keys', ({ attacker }) => `${attacker.triedKeys}`],
  ['keys at code', ({ attacker }) => `${attacker.triedKeysAtCode}`],
  ['Msq', ({ attacker }) => `${attacker.squarings / 1e6}`],
  ['CPU s', ({ attacker }) => (attacker.cpuMs / 1000).toFixed(0)],
  ['unpinned', ({ unpinned }) => sights(unpinned)],
  ['pinned', ({ pinned }) => sights(pinned)],
  ['coded', ({ coded }) => sightsByCode(coded)],
  ['holders wrong', ({ holders }) => `${holders.wrong}/${holders.of}`],
  ['node-hours', ({ wrongNodeHours }) => `${wrongNodeHours}`],
  ['lost', ({ names }) => `${names.lost}/${names.of}`],
  ['honest MB', ({ honest }) => (honest.bytes / 1e6).toFixed(1)],
  ['harm', ({ harm, isAllowed }) => (isAllowed ? harm : `${harm}: MORE THAN PROMISED`)]
]

/** right/wrong/contested/missing */
function sights({ right, wrong, contested, missing }: Sights): string {
  return `${right}/${wrong}/${contested}/${missing}`
}

/** right/wrong/contested/missing, and how many of the owner's records were older ones. */
function sightsByCode({ older, ...rest }: CodedSights): string {
  return older === 0 ? sights(rest) : `${sights(rest)} older ${older}`
}

/** The same answers by rules used elsewhere. */
export function comparison(results: readonly RunResult[]): string {
  const rows = [
    ['move', 'ids', 'this protocol', ...OTHER_RULES],
    ...results.map(({ move, attacker, unpinned, otherRules }) => [
      move,
      `${attacker.ids}`,
      sights(unpinned),
      ...OTHER_RULES.map((rule) => sights(otherRules[rule]))
    ])
  ]
  return aligned(rows)
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

export function table(results: readonly RunResult[]): string {
  const rows = [COLUMNS.map(([title]) => title), ...results.map((result) => COLUMNS.map(([, cell]) => cell(result)))]
  const found = results.flatMap(({ move, seed, violations, breaches, remark }) => [
    ...(remark === undefined ? [] : [`${move}: ${remark}`]),
    ...breaches.map((detail) => `${move} with --seed ${seed}: ${detail}`),
    ...violations.map(
      ({ rule, detail, day }) => `${rule} broken by ${move} with --seed ${seed}, day ${day.toFixed(1)}: ${detail}`
    )
  ])
  return [
    aligned(rows),
    '',
    'Looks of resolvers: right/wrong/contested/missing; older: records of the owner that are not its newest.',
    ...found
  ].join('\n')
}
