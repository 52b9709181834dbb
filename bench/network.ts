/**
 * npm run bench:network -- [--json] [--part processes,nodes,verification,traffic,idle] [--processes 20] [--nodes 50]
 * [--names 100] [--seconds 30] [--seed TEXT]
 *
 * What a network does, each figure beside its target (docs/network.md says how each is taken). Everything is on this
 * machine's loopback interface, so all nodes share its cores and no figure holds the time of a real line.
 */
import { parseArgs } from 'node:util'
import { addon } from '../src/native/addon.ts'
import { VERSION } from '../src/version.ts'
import { machine } from './machine.ts'
import { measureIdle, type Idle } from './network/idle.ts'
import { PROFILE } from './network/profile.ts'
import { resolveAmongProcesses, resolveInOneProcess, type Resolving } from './network/resolving.ts'
import { measureTraffic, type Traffic } from './network/traffic.ts'
import { measureVerification, type Verification } from './network/verification.ts'

const TRAFFIC_NODES = 24
/** At most: what one costs does not depend on how many there are. */
const TRAFFIC_NAMES = 10
const IDLE_DAEMONS = 8

const TARGETS = {
  processes_resolve_p95_ms: 150,
  nodes_resolve_p95_ms: 250,
  ready_seconds: 2,
  resident_mib: 150,
  core_share: 0.01
}

const PARTS = ['processes', 'nodes', 'verification', 'traffic', 'idle'] as const
type Part = (typeof PARTS)[number]

interface Figures {
  processes?: Resolving
  nodes?: Resolving
  verification?: Verification
  traffic?: Traffic
  idle?: Idle | null
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    part: { type: 'string', default: PARTS.join(',') },
    processes: { type: 'string', default: '20' },
    nodes: { type: 'string', default: '50' },
    names: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: 'chronym' }
  }
})
const chosen = new Set<string>(values.part.split(','))
for (const part of chosen)
  if (!PARTS.includes(part as Part)) throw new Error(`no part "${part}"; there are ${PARTS.join(', ')}`)
const count = (option: 'processes' | 'nodes' | 'names' | 'seconds', least: number): number => {
  const number = Number(values[option])
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`--${option} ${values[option]}: a whole number from ${least}`)
  return number
}
const [processes, nodes, names, seconds] = [
  count('processes', 4),
  count('nodes', 30),
  count('names', 1),
  count('seconds', 1)
]
const { seed } = values

const figures: Figures = {}
if (chosen.has('idle')) figures.idle = (await measureIdle(IDLE_DAEMONS, seconds)) ?? null
if (chosen.has('verification')) figures.verification = await measureVerification(2 * names, seed)
if (chosen.has('processes')) figures.processes = await resolveAmongProcesses(processes, names, seed)
if (chosen.has('nodes')) figures.nodes = await resolveInOneProcess(nodes, names, seed)
if (chosen.has('traffic')) figures.traffic = await measureTraffic(TRAFFIC_NODES, Math.min(names, TRAFFIC_NAMES), seed)

const result = {
  machine: machine(),
  version: VERSION,
  backend: addon().backend(),
  seed,
  k: PROFILE.k,
  ...figures,
  targets: TARGETS
}

if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
else {
  const { cpu, cores, node } = result.machine
  const rows = [
    ...resolvingRows(figures.processes, 'processes', TARGETS.processes_resolve_p95_ms),
    ...resolvingRows(figures.nodes, 'nodes in one process', TARGETS.nodes_resolve_p95_ms),
    ...verificationRows(figures.verification),
    ...trafficRows(figures.traffic),
    ...idleRows(figures.idle)
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const text = rows.map(
    ([label, figure, target]) => `  ${label.padEnd(width)}  ${figure}${target === '' ? '' : `   (target: ${target})`}`
  )
  process.stdout.write(
    `${cpu}, ${cores} cores, Node ${node}, backend ${result.backend}, seed ${seed}\n\n${text.join('\n')}\n`
  )
}
// Handles that libraries keep for a while are not waited for.
process.exit(0)

type Row = readonly [label: string, figure: string, target: string]

function resolvingRows(resolving: Resolving | undefined, what: string, target: number): Row[] {
  if (resolving === undefined) return []
  const { nodes: size, asker, resolve, coded, put } = resolving
  return [
    [
      `resolving among ${size} ${what}, by ${asker}`,
      `p50 ${resolve.p50_ms} ms, p95 ${resolve.p95_ms} ms, longest ${resolve.max_ms} ms, of ${resolve.count}`,
      `p95 under ${target} ms`
    ],
    [
      'the same by check code, in turns',
      `p50 ${coded.p50_ms} ms, p95 ${coded.p95_ms} ms, longest ${coded.max_ms} ms, of ${coded.count}`,
      ''
    ],
    [
      `putting a new name among ${size} ${what}, until a majority was read back`,
      `p50 ${put.p50_ms} ms, p95 ${put.p95_ms} ms, of ${put.count}`,
      ''
    ]
  ]
}

function verificationRows(verification: Verification | undefined): Row[] {
  if (verification === undefined) return []
  const { reveals, ...rates } = verification
  return [
    [
      `reveals verified a second and core, each with a new pulse and proof (${reveals})`,
      String(rates.valid_cold_per_core_second),
      ''
    ],
    ['the same ones again', rates.valid_cached_per_core_second.toLocaleString('en'), ''],
    [
      'reveals of one pulse offered, verified, admitted and on disk, a second and core',
      String(rates.admitted_per_core_second),
      ''
    ],
    ['the same ones offered again', rates.offered_again_per_core_second.toLocaleString('en'), '']
  ]
}

function trafficRows(traffic: Traffic | undefined): Row[] {
  if (traffic === undefined) return []
  const kib = (bytes: number): string => `${(bytes / 1024).toLocaleString('en', { maximumFractionDigits: 0 })} KiB`
  return [
    [
      `traffic of an owner, a name and day (records of ${traffic.record_bytes} bytes)`,
      kib(traffic.owner_bytes_per_name_and_day),
      ''
    ],
    ['traffic of a holder, a name and day', kib(traffic.holder_bytes_per_name_and_day), ''],
    ['traffic of the hourly rounds of a node without names, a day', kib(traffic.rounds_bytes_per_node_and_day), '']
  ]
}

function idleRows(idle: Idle | null | undefined): Row[] {
  if (idle === undefined) return []
  if (idle === null) return [['an idle daemon', 'not measured: this system has no /proc', '']]
  const percent = (share: number): string => `${(100 * share).toFixed(2)}%`
  return [
    [
      `an idle daemon of ${idle.daemons}, from its start to ready`,
      `${idle.ready_seconds.median} s, at most ${idle.ready_seconds.most}`,
      `under ${TARGETS.ready_seconds} s`
    ],
    [
      'its memory',
      `${idle.resident_mib.median} MiB, at most ${idle.resident_mib.most}`,
      `under ${TARGETS.resident_mib} MiB`
    ],
    [
      'of that JavaScript heap, and what it holds outside',
      `${idle.heap_mib.median} and ${idle.external_mib.median} MiB`,
      ''
    ],
    [
      `time of a core it takes, at a round of ${idle.round_seconds} s`,
      `${percent(idle.core_share.median)}, at most ${percent(idle.core_share.most)}`,
      `under ${percent(TARGETS.core_share)}`
    ]
  ]
}
