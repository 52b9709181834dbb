/**
 * npm run lab:flood -- [--json] [--identities 1000] [--seconds 60] [--together 100] [--prefixes 250] [--seed 1]
 * npm run lab:flood -- --idle 300 [--json]
 * npm run lab:flood -- --dialling 500 [--prefixes 250] [--seconds 60] [--after 300] [--json]
 * npm run lab:flood -- --finding 8 [--prefixes 4] [--rate 183] [--known 1500] [--seconds 20] [--json]
 *
 * What a flood of garbage costs a node, and what it leaves to honest peers. With --idle: what that number of idle
 * connections of one prefix leaves to newcomers. With --dialling: what that number of peers that dial again and again
 * costs a daemon. With --finding: what look-ups by that number of ids leave of a node whose table is full. lab/reports/floods.md has results. A node and the flood run in their
 * own processes, on loopback.
 */
import { parseArgs } from 'node:util'
import { runDialling, type DiallingFigures } from './flood/dialling.ts'
import { runFinding, type FindingPhase } from './flood/finding.ts'
import { runIdle } from './flood/idle.ts'
import { runFlood } from './flood/run.ts'
import { machine } from '../bench/machine.ts'

const TARGETS = { loop_delay_p99_ms: 50, honest_put_max_ms: 5_000, newcomer_ms: 10_000 }

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    identities: option('1000'),
    seconds: option('60'),
    together: option('100'),
    prefixes: option('250'),
    seed: option('1'),
    idle: { type: 'string' },
    dialling: { type: 'string' },
    finding: { type: 'string' },
    rate: option('183'),
    known: option('1500'),
    after: option('300')
  }
})

function countOf(name: Exclude<keyof typeof values, 'json'>): number {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--${name} is a whole number from 1, not ${values[name]}`)
  return count
}

function latency(times: readonly number[]): { count: number; p50: number; p95: number; max: number } {
  const sorted = times.toSorted((left, right) => left - right)
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN)
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) }
}

if (values.finding !== undefined) await finding(countOf('finding'))
else if (values.dialling !== undefined) await dialling(countOf('dialling'))
else if (values.idle === undefined) await flood()
else await idle(countOf('idle'))

async function dialling(peers: number): Promise<void> {
  const options = {
    peers,
    prefixes: countOf('prefixes'),
    seconds: countOf('seconds'),
    afterSeconds: countOf('after')
  }
  const report = await runDialling(options)
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ machine: machine(), options, ...report })}\n`)
    return
  }
  const phases = [report.quiet, report.during, report.after]
  const inMib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
  const row = (of: (figures: DiallingFigures) => string): string => phases.map(of).join('; ')
  print([
    ['', 'quiet; dialled; after'],
    ['time of a core', row(({ core_share: share }) => `${(100 * share).toFixed(0)}%`)],
    ["event loop's delay, p99, ms", row(({ loop_delay_p99_ms: p99 }) => p99.toFixed(0))],
    ['/healthz, p50 and max, ms', row(({ health_ms: times }) => `${latency(times).p50} and ${latency(times).max}`)],
    ['memory (RSS) each ten seconds, MiB', row(({ rss }) => rss.map(inMib).join(' '))],
    ['heap in use, buffers, MiB', row(({ heap, external }) => `${inMib(heap)} and ${inMib(external)}`)],
    ['connections held at the end, dials', `${report.idle.held}, ${report.idle.dials}`]
  ])
}

async function finding(identities: number): Promise<void> {
  const options = {
    identities,
    prefixes: Math.min(countOf('prefixes'), 256),
    rate: countOf('rate'),
    known: countOf('known'),
    seconds: countOf('seconds')
  }
  const report = await runFinding(options)
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ machine: machine(), options, ...report })}\n`)
    return
  }
  const row = (of: (phase: FindingPhase) => string): string => `${of(report.quiet)}; ${of(report.during)}`
  print([
    ['', 'quiet; flooded'],
    ["processor time of the event loop's thread", row(({ loop_cpu_share: share }) => `${(100 * share).toFixed(0)}%`)],
    [
      "event loop's delay, p99 and max, ms",
      row(({ loop_delay_ms: { p99, max } }) => `${p99.toFixed(0)} and ${max.toFixed(0)}`)
    ],
    [
      'honest `get`, p50, p95 and max, ms',
      row(({ get_ms: times }) => {
        const { p50, p95, max } = latency(times)
        return `${p50}, ${p95} and ${max}`
      })
    ],
    [
      'answers to the flood',
      Object.entries(report.answers)
        .map(([answer, count]) => `${answer} ${count}`)
        .join(', ')
    ]
  ])
}

async function idle(connections: number): Promise<void> {
  const report = await runIdle(connections)
  const joined = report.newcomers.flatMap(({ joined: at }) => at ?? [])
  const resolved = report.newcomers.flatMap(({ resolved: at }) => at ?? [])
  const met = resolved.length === report.newcomers.length && Math.max(...resolved) < TARGETS.newcomer_ms
  if (values.json === true) {
    process.stdout.write(
      `${JSON.stringify({
        machine: machine(),
        options: { idle: connections },
        targets: TARGETS,
        met: { newcomers: met },
        ...report
      })}\n`
    )
    return
  }
  const times = (each: readonly number[]): string =>
    `${each.length} of ${report.newcomers.length}; p50 ${latency(each).p50}, max ${latency(each).max} ms`
  const { wanted, held, dials } = report.idle
  print([
    ['idle connections of one prefix', `${held} held of ${wanted} wanted, ${dials} dials`],
    ['newcomers that joined', times(joined)],
    [`newcomers that resolved (target: all within ${TARGETS.newcomer_ms / 1000} s)`, times(resolved)],
    [
      'newcomers still there after ten seconds',
      `${report.newcomers.filter(({ stayed }) => stayed).length} of ${report.newcomers.length}`
    ],
    ['peers connected before, after', `${report.before.held.connections}, ${report.after.held.connections}`]
  ])
}

async function flood(): Promise<void> {
  const options = {
    identities: countOf('identities'),
    seconds: countOf('seconds'),
    together: countOf('together'),
    prefixes: countOf('prefixes'),
    seed: countOf('seed')
  }
  const { honest, ...report } = await runFlood(options)
  const puts = latency([...honest.updates, ...honest.reveals])
  const result = {
    machine: machine(),
    options,
    targets: TARGETS,
    met: {
      loop_delay: report.during.loop_delay_ms.p99 < TARGETS.loop_delay_p99_ms,
      honest_puts: puts.max < TARGETS.honest_put_max_ms
    },
    honest_ms: { puts, commitments: latency(honest.commits) },
    ...report
  }

  if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
  else {
    const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
    const loop = ({
      loop_delay_ms: { p50, p99, max },
      loop_turn_cpu_ms: own,
      loop_busy: busy
    }: typeof report.quiet): string =>
      `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms; ` +
      `at most ${own.toFixed(0)} ms of its own at once; busy ${(busy * 100).toFixed(0)}%`
    const rows = [
      ['event loop, quiet', loop(report.quiet)],
      [`event loop, flooded (target: p99 under ${TARGETS.loop_delay_p99_ms} ms)`, loop(report.during)],
      [
        `${puts.count} honest puts (target: under ${TARGETS.honest_put_max_ms / 1000} s)`,
        `p50 ${puts.p50}, p95 ${puts.p95}, max ${puts.max} ms`
      ],
      [
        `${honest.commits.length} honest commitments`,
        `max ${result.honest_ms.commitments.max} ms; ${report.commitments.kept} of ${report.commitments.of} kept`
      ],
      ['honest names held', `${report.held.names} of ${report.held.of}`],
      [
        'memory (RSS) before, after',
        `${mib(report.quiet.memory.rss)}, ${mib(report.after.memory.rss)}; ` +
          `at most ${mib(Math.max(...report.after.memory.rss_history))}`
      ],
      [
        'heap in use, buffers before, after',
        [report.quiet, report.after].map(({ memory }) => `${mib(memory.heap)} and ${mib(memory.external)}`).join(', ')
      ],
      ['disk before, after', `${mib(report.quiet.disk)}, ${mib(report.after.disk)}`],
      ['held after', JSON.stringify(report.after.held)],
      [
        'flood',
        `${report.flood.identities} identities, ${report.flood.sessions} sessions, ` +
          JSON.stringify(report.flood.connections)
      ],
      ...Object.entries(report.flood.answers).map(
        ([kind, answers]) =>
          [
            `  ${kind}`,
            Object.entries(answers)
              .map(([answer, count]) => `${answer} ${count}`)
              .join(', ')
          ] as const
      )
    ] as const
    print(rows)
  }
}

function print(rows: readonly (readonly [string, string])[]): void {
  const { cpu, cores, node } = machine()
  const width = Math.max(...rows.map(([label]) => label.length))
  process.stdout.write(
    `${cpu}, ${cores} cores, Node ${node}\n\n` +
      `${rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')}\n`
  )
}
