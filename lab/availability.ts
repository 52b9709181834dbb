/**
 * npm run lab:availability -- [--json] [--nodes 20,50,200] [--prefixes 1,3,20,cloud] [--names 10] [--set
 * FIELD=NUMBER,...] [--seed TEXT]
 *
 * How much of what honest nodes try works, by how many there are and in how many address prefixes: lab/reports/availability.md.
 * Real nodes on addresses of 127.0.0.0/8 of this machine (Linux), with the diversity and the quorums of `main`; `--set
 * answers_per_prefix=0,answers_per_wide_prefix=0` measures another profile.
 */
import { parseArgs } from 'node:util'
import { VERSION } from '../src/version.ts'
import { availabilityProfile } from './availability/profile.ts'
import { measureRow, type Row, type Share } from './availability/row.ts'
import { settingOf } from './availability/settings.ts'
import { machine } from '../bench/machine.ts'
import { say } from '../bench/network/scratch.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '20,50,200' },
    prefixes: { type: 'string', default: '1,3,20,cloud' },
    names: { type: 'string', default: '10' },
    set: { type: 'string', default: '' },
    seed: { type: 'string', default: 'chronym' }
  }
})

const numberFrom = (option: string, text: string, least: number): number => {
  const number = Number(text)
  if (text === '' || !Number.isSafeInteger(number) || number < least)
    throw new Error(`--${option} ${text}: a whole number from ${least}`)
  return number
}
const changes = Object.fromEntries(
  values.set
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [field = '', number = ''] = each.split('=')
      return [field, numberFrom('set', number, 0)] as const
    })
)
const settings = values.prefixes.split(',').map(settingOf)
const sizes = values.nodes.split(',').map((each) => numberFrom('nodes', each, 2))
const names = numberFrom('names', values.names, 1)
const profile = availabilityProfile(changes)

const percent = ({ worked, of }: Share): string => (of === 0 ? '-' : `${Math.round((100 * worked) / of)}%`)
/** At the first attempt, and in brackets at all where that is more. */
const twice = ({ first, last }: Row['put']): string =>
  first.worked === last.worked ? percent(first) : `${percent(first)} (${percent(last)})`
const COLUMNS: readonly (readonly [title: string, of: (row: Row) => string])[] = [
  ['nodes', (row) => String(row.nodes)],
  ['where', (row) => row.where],
  ['joined', (row) => percent(row.joined)],
  ['commit', (row) => twice(row.commit)],
  ['put', (row) => twice(row.put)],
  ['resolve', (row) => percent(row.resolveSoon)],
  ['once settled', (row) => percent(row.resolve)],
  ['not thin', (row) => percent(row.firm)],
  ['names settled', (row) => percent(row.namesSettled)],
  ['may pin', (row) => percent(row.pins)],
  ['newcomers adopt', (row) => percent(row.adopted)],
  ['diverse', (row) => String(row.asked.readBack)],
  ['known', (row) => `${row.known.median} (${row.known.fewest})`],
  ['connections', (row) => `${row.connections.median} (${row.connections.most})`],
  ['estimate', (row) => String(row.estimate)]
]

const rows: Row[] = []
for (const nodes of sizes) {
  for (const setting of settings) {
    const row = await measureRow(nodes, setting, names, profile, values.seed)
    rows.push(row)
    // A row takes minutes: each is printed at once, so that an interrupted run keeps its rows.
    say(COLUMNS.map(([title, of]) => `${title}: ${of(row)}`).join(', '))
  }
}

const { k, answers_per_prefix, answers_per_wide_prefix, witness_quorum, repair_quorum } = profile
const result = {
  machine: machine(),
  version: VERSION,
  seed: values.seed,
  profile: { k, answers_per_prefix, answers_per_wide_prefix, witness_quorum, repair_quorum },
  rows
}

if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
else {
  const { cpu, cores, node } = result.machine
  const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, of]) => of(row)))]
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const text = lines.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd())
  const faults = rows.flatMap((row) => row.faults.map((fault) => `  ${row.nodes} nodes, ${row.where}: ${fault}`))
  process.stdout.write(
    `${cpu}, ${cores} cores, Node ${node}, seed ${values.seed}, ` +
      `profile ${JSON.stringify(result.profile)}, ${names} names\n\n${text.join('\n')}\n`
  )
  if (faults.length > 0) process.stdout.write(`\nWhat was said where something failed:\n${faults.join('\n')}\n`)
}
process.exit(0)
