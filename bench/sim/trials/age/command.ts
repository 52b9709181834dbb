/** `npm run sim -- --trial age`: what a first-time resolver sees by each rule of ages, and what it costs. */
import { SOURCES } from './ages.ts'
import { attackCosts, evidenceBytes, HEAD_BYTES } from './costs.ts'
import type { Sight } from './rules.ts'
import type { AgeTrial, SceneResult } from './run.ts'

const COLUMNS = (['defence', 'over-votes'] as const).flatMap((rule) => SOURCES.map((source) => ({ rule, source })))

export function ageText({ honest, results, least, waits }: AgeTrial): string {
  const scenes = [...new Set(results.map(({ scene }) => scene))].map((id) =>
    results.filter(({ scene }) => scene === id)
  )
  const prices = scenes[0]!.map(({ ids, eurosADay }) => `${ids} ids ${eurosADay.toFixed(2)}`).join(', ')
  const nameSquarings = attackCosts(4 * 365).nameSquarings
  return [
    markdown([
      ['scene', 'secret core-days', 'today', ...COLUMNS.map(({ rule, source }) => `${rule}, ${source}`)],
      ...scenes.map(row)
    ]),
    '',
    'Least ids of the thief with which a first-time resolver no longer sees the owner / sees the thief; -: none of those',
    `tried. The rent of their addresses in € a day: ${prices}.`,
    '',
    markdown([
      [
        'factor',
        'rule',
        'aim of a hoarder',
        'chain days',
        'days of the fastest chip',
        '€',
        'may begin after the owner'
      ],
      ...least.map(({ much, aim, rule, chainDays, fastDays, euros, isAfterTheOwner }) => [
        `${much}`,
        rule,
        aim,
        `${chainDays}`,
        fastDays.toFixed(0),
        euros.toFixed(0),
        isAfterTheOwner ? 'yes' : 'no'
      ])
    ]),
    '',
    markdown([
      ['factor', 'hoarded before a newcomer', 'days until a newcomer resists one id', 'until eleven'],
      ...waits.map(({ much, hoardedDays, againstOneId, againstEleven }) => [
        `${much}`,
        hoardedDays === 0 ? 'nothing' : `${hoardedDays} days`,
        `${againstOneId}`,
        `${againstEleven}`
      ])
    ]),
    '',
    `a tick: ${(honest.tickSquarings / 1e9).toFixed(1)} * 10^9 squarings, ${honest.tickBytes} bytes, ` +
      `${honest.tickMs.toFixed(1)} ms to verify; the fastest chip makes ${honest.fastTicksADay.toFixed(2)} past ones a day`,
    `a chain-year: ${honest.kBOfAYear.toFixed(0)} KB (${honest.proofKBOfAYear.toFixed(0)} of proofs), ` +
      `${honest.secondsOfAYear.toFixed(1)} s to verify; its operator pays ${honest.operatorEurosAYear.toFixed(0)} €`,
    `a name of a hoarder of four years: ${(nameSquarings / 1e6).toFixed(0)} * 10^6 squarings beside the chain`,
    `evidence of one link in one chain: ${evidenceBytes(1e6 / 365)} bytes with 10^6 new claims a year, ` +
      `${evidenceBytes(1e6)} with 10^6 a day; a named chain's signature: ${HEAD_BYTES}`
  ].join('\n')
}

function row(results: readonly SceneResult[]): string[] {
  const { scene, attacker } = results[0]!
  const leastIds = (of: (result: SceneResult) => Sight): string => {
    const [lost, wrong] = [
      results.find((result) => of(result) !== 'right'),
      results.find((result) => of(result) === 'wrong')
    ]
    return `${lost?.ids ?? '-'}/${wrong?.ids ?? '-'}`
  }
  return [
    scene,
    `${attacker.chainDays}`,
    leastIds(({ seen }) => seen.anybody.today),
    ...COLUMNS.map(({ rule, source }) => leastIds(({ seen }) => seen[source][rule]))
  ]
}

function markdown(rows: readonly (readonly string[])[]): string {
  const [titles, ...rest] = rows
  return [titles!, titles!.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
