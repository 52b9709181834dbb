/** `npm run sim -- --trial places`: each attack on a name in two places, and what each rule of a resolver shows. */
import type { Sights } from '../../run.ts'
import { ATTACKS } from './attacks.ts'
import { PLACE_RULES } from './rules.ts'
import { runPlaces, type PlacesOptions, type PlacesResult } from './run.ts'

export async function placesTrial(
  options: Omit<PlacesOptions, 'attack'>,
  onProgress: (share: number) => void
): Promise<PlacesResult[]> {
  const results: PlacesResult[] = []
  for (const attack of ATTACKS) {
    results.push(await runPlaces({ ...options, attack }))
    onProgress(results.length / ATTACKS.length)
  }
  return results
}

const COLUMNS = ['attack', 'ids', '/24', '€/day', 'keys', ...PLACE_RULES, 'holders wrong', 'honest MB']

export function placesTable(results: readonly PlacesResult[]): string {
  const rows = results.map(({ attack, attacker, seen, holdersWrong, honestBytes }) => [
    attack,
    `${attacker.ids}`,
    `${attacker.prefixes}`,
    attacker.eurosADay.toFixed(2),
    `${attacker.triedKeys}`,
    ...PLACE_RULES.map((rule) => sights(seen[rule])),
    holdersWrong.join(' '),
    (honestBytes / 1e6).toFixed(2)
  ])
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  return [...lines, '', 'looks: right/wrong/contested/missing, by a resolver without a pin'].join('\n')
}

function sights({ right, wrong, contested, missing }: Sights): string {
  return `${right}/${wrong}/${contested}/${missing}`
}
