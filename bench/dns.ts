/**
 * npm run bench:dns -- [--json] [--rounds 7] [--seconds 3] [--only udp,udp-signed,tcp,latency,miss]
 *
 * The DNS server beside Knot with the same zone on the same core, by turns, under dnsperf's load from another core; the
 * latency of its answers while every core squares; and what an unknown name costs beside a resolve. docs/reference/performance.md, "The DNS server".
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { knotVersion } from '../scripts/dns/knot.ts'
import { needPackages, programOf } from '../scripts/packages.ts'
import { besideKnot, ROWS } from './dns/beside-knot.ts'
import { latencyWhileSquaring } from './dns/latency.ts'
import { missBesideResolve } from './dns/miss.ts'
import { startScene } from './dns/scene.ts'
import type { Figure } from './figure.ts'
import { machine } from './machine.ts'
import { table } from './report.ts'

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: { json: { type: 'boolean' }, rounds: option('7'), seconds: option('3'), only: option('') }
})
const IDS = [...ROWS.map(({ id }) => id), 'latency', 'miss']
const wanted = values.only === '' ? IDS : values.only.split(',')
const unknown = wanted.find((id) => !IDS.includes(id))
if (unknown !== undefined) {
  process.stderr.write(`--only: there is no row "${unknown}"; there are ${IDS.join(', ')}\n`)
  process.exit(2)
}
if (process.platform !== 'linux') {
  process.stderr.write('bench:dns reads CPU times from /proc: it runs on Linux only\n')
  process.exit(1)
}
needPackages(['knot', 'dnsperf', 'util-linux'])

const times = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const here = machine()
const scene = await startScene(here.pinned_to?.one ?? null)
const figures: Figure[] = []
for (const row of ROWS)
  if (wanted.includes(row.id))
    figures.push(...(await besideKnot(scene, row, { ...times, clientCpu: here.pinned_to?.two?.[0] ?? null })))
await Promise.all([scene.knot.stop(), scene.ours.stop()])
if (wanted.includes('latency')) figures.push(...(await latencyWhileSquaring(scene, times)))
if (wanted.includes('miss')) figures.push(...(await missBesideResolve(times.rounds)))

const result = {
  machine: here,
  knot: knotVersion(),
  dnsperf: /Version (\S+)/.exec(spawnSync(programOf('dnsperf'), ['-h'], { encoding: 'utf8' }).stdout)?.[1] ?? 'unknown',
  ...times,
  figures
}
if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
else
  process.stdout
    .write(`${here.cpu}, ${here.cores} cores, Node ${here.node}, Knot ${result.knot}, dnsperf ${result.dnsperf}
Medians of ${times.rounds} alternated rounds of ${times.seconds} s, quartiles in brackets

${table(figures)}
`)
process.exit(0)
