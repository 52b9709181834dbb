/**
 * npm run bench:api -- [--json] [--rounds 3] [--seconds 5] [--connections 10] [--only network-status,resolve-owned]
 *
 * What the HTTP interface adds to a bare Hono route with the same body. Real daemons on network `local` take turns with
 * the bare route, under load by autocannon. Targets: 0.7 of the bare route's answers a second, at a p99 no later.
 * docs/reference/performance.md, "The HTTP interface".
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { end, firstLine, passErrorsOn, run, type DaemonSummary } from '../scripts/program.ts'
import { createClient } from '../src/api/client/client.ts'
import { load, type Load } from './api/load.ts'
import { machine } from './machine.ts'
import { endWithUs, say, scratchDirectory } from './network/scratch.ts'
import { until } from './network/waiting.ts'
import { ratios, summary } from './statistics.ts'

const TARGETS = { rate_ratio: 0.7, p99_ratio: 1 }
const NAME = 'alice.chronym'

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    rounds: option('3'),
    seconds: option('5'),
    connections: option('10'),
    only: option('')
  }
})

interface Server<T> {
  readonly ready: T
  readonly pid: number
  stop(): Promise<unknown>
}

async function start<T>(script: string, args: readonly string[]): Promise<Server<T>> {
  const child = run(script, args)
  endWithUs(child)
  passErrorsOn(child)
  return { ready: await firstLine<T>(child), pid: child.pid!, stop: () => end(child, 'SIGTERM') }
}

const directory = scratchDirectory()
const startDaemon = (name: string, more: readonly string[] = []) =>
  start<DaemonSummary & { beacon_urls: readonly string[] }>('scripts/unlimited-daemon.ts', [
    '--data-dir',
    join(directory, name),
    ...more
  ])

const owner = await startDaemon('owner')
const other = await startDaemon('other', [
  '--beacon',
  owner.ready.beacon_urls[0]!,
  '--bootstrap',
  owner.ready.addresses[0]!
])
const client = createClient({
  baseUrl: owner.ready.api_url,
  token: readFileSync(owner.ready.token_file, 'utf8').trim()
})

say(`registering ${NAME}`)
const { task_id: task } = await client.register(NAME)
await until('the name is registered', async () => (await client.task(task)).status === 'completed')
await client.saveZone(NAME, {
  records: { '@': [{ type: 'A', value: '192.0.2.10' }], www: [{ type: 'CNAME', value: `${NAME}.` }] }
})
await client.publishZone(NAME)
await until('another daemon resolves it', async () => (await fetch(`${other.ready.api_url}/api/resolve/${NAME}`)).ok)

const routes = [
  { name: 'network-status', daemon: owner, path: '/api/network-status' },
  { name: 'resolve-owned', daemon: owner, path: `/api/resolve/${NAME}` },
  { name: 'resolve-cached', daemon: other, path: `/api/resolve/${NAME}` }
]
const SIDES = ['bare', 'ours'] as const

/** Alternates one route with the bare one; the first side changes from round to round. */
async function compare({ name, daemon, path }: (typeof routes)[number]) {
  const answer = await fetch(daemon.ready.api_url + path)
  const bare = await start<{ url: string }>('bench/api/bare.ts', [JSON.stringify({ [path]: await answer.json() })])
  const measure = (side: 'bare' | 'ours', seconds: number): Promise<Load> =>
    side === 'bare'
      ? load(bare.ready.url + path, bare.pid, seconds, Number(values.connections))
      : load(daemon.ready.api_url + path, daemon.pid, seconds, Number(values.connections))
  const taken = { bare: [] as Load[], ours: [] as Load[] }
  for (const side of SIDES) await measure(side, 1)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed())
      taken[side].push(await measure(side, Number(values.seconds)))
    say(
      `${name}, round ${round + 1}: bare ${taken.bare.at(-1)!.rate.toFixed(0)}/s, ` +
        `ours ${taken.ours.at(-1)!.rate.toFixed(0)}/s`
    )
  }
  await bare.stop()
  const of = (side: 'bare' | 'ours', figure: keyof Load): number[] => taken[side].map((each) => each[figure])
  const median = (figure: keyof Load) => ({
    bare: summary(of('bare', figure)).median,
    ours: summary(of('ours', figure)).median
  })
  const rateRatio = summary(ratios(of('ours', 'rate'), of('bare', 'rate')))
  const p99 = median('p99_ms')
  return {
    name,
    rate: median('rate'),
    rate_ratio: rateRatio,
    cpu_us: median('cpu_us'),
    cpu_ratio: summary(ratios(of('bare', 'cpu_us'), of('ours', 'cpu_us'))),
    p99_ms: p99,
    met: { rate: rateRatio.median >= TARGETS.rate_ratio, p99: p99.ours <= p99.bare * TARGETS.p99_ratio }
  }
}

const results = []
for (const route of routes)
  if (values.only === '' || values.only.split(',').includes(route.name)) results.push(await compare(route))
await Promise.all([other.stop(), owner.stop()])

if (values.json === true) process.stdout.write(`${JSON.stringify({ machine: machine(), targets: TARGETS, results })}\n`)
else {
  const { cpu, cores, node } = machine()
  process.stdout.write(`${cpu}, ${cores} cores, Node ${node}\n\n`)
  for (const { name, rate, rate_ratio: ratio, cpu_us: cpuUs, cpu_ratio: cpuRatio, p99_ms: p99 } of results) {
    const spread = ratio.spread.map((value) => value.toFixed(2)).join('-')
    process.stdout.write(
      `  ${name.padEnd(16)}${rate.ours.toFixed(0).padStart(6)} of ${rate.bare.toFixed(0)}/s: ` +
        `${ratio.median.toFixed(2)} (${spread}); ` +
        `processor time ${cpuUs.bare.toFixed(0)} of ${cpuUs.ours.toFixed(0)} µs: ${cpuRatio.median.toFixed(2)}; ` +
        `p99 ${p99.ours} beside ${p99.bare} ms\n`
    )
  }
}
