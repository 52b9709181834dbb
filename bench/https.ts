/**
 * npm run bench:https -- [--json] [--rounds 7] [--seconds 3]
 *
 * The proxy for https beside nginx and HAProxy, which lead to the same origin from the same core, by turns; how soon a
 * new connection is there while every core squares; and what idle connections take. docs/reference/performance.md, "The proxy for
 * https".
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { needPackages, programOf } from '../scripts/packages.ts'
import { processorMicroseconds } from './dns/scene.ts'
import { measured, type Figure } from './figure.ts'
import { load, open, waits, type Waits } from './https/load.ts'
import { BIG_BYTES, residentBytes, startScene, type Kind, type Measured } from './https/scene.ts'
import { machine } from './machine.ts'
import { say } from './network/scratch.ts'
import { table } from './report.ts'
import { median, summary } from './statistics.ts'

const TARGET = 0.8
const P99_MS = 5
const IDLE = 1_000
const IDLE_MIB = 50
/** Connections of one turn beside squaring. */
const PROBES = 500
/** Threads start and slices find their length. */
const WARM_UP_MS = 3_000

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: option('7'), seconds: option('3') } })
if (process.platform !== 'linux') {
  process.stderr.write('bench:https reads CPU times from /proc: it runs on Linux only\n')
  process.exit(1)
}
needPackages(['nginx', 'haproxy', 'util-linux'])

const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const here = machine()
const cpu = here.pinned_to?.one ?? null
const scene = await startScene(here.pinned_to?.two?.[0] ?? null)
const { originPort } = scene
const KINDS = ['ours', 'nginx-tls', 'haproxy-tls', 'nginx', 'haproxy'] as const satisfies readonly Kind[]
const servers = new Map<Kind, Measured>()
for (const kind of KINDS) servers.set(kind, await scene.start(kind, cpu))

/** CPU time of one connection and of one MiB, microseconds. */
const LOADS = {
  connection: { path: '/small', atLeast: 1, parallel: 8, units: 1 },
  MiB: { path: '/big', atLeast: BIG_BYTES, parallel: 2, units: BIG_BYTES / 2 ** 20 }
} as const

async function besideOthers(unit: keyof typeof LOADS): Promise<Figure[]> {
  const { units, ...what } = LOADS[unit]
  const taken = Object.fromEntries(KINDS.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
  const turn = async (kind: Kind, length: number): Promise<number> => {
    const server = servers.get(kind)!
    const before = processorMicroseconds(server.pid)
    const count = await load(server, originPort, { ...what, seconds: length })
    return (processorMicroseconds(server.pid) - before) / (count * units)
  }
  for (const kind of KINDS) await turn(kind, 0.5)
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) taken[kind].push(await turn(kind, seconds))
    say(
      `${unit}, round ${round + 1}: ${KINDS.map((kind) => `${kind} ${taken[kind][round]!.toFixed(0)} µs`).join(', ')}`
    )
  }
  const figure = (name: string, nginx: Kind, haproxy: Kind): Figure =>
    measured(
      {
        name: `CPU time a ${unit}, the better's to ours: ${name}`,
        unit: 'ratio',
        target: { at_least: TARGET },
        parts: Object.fromEntries(['ours' as const, nginx, haproxy].map((kind) => [`${kind} µs`, median(taken[kind])]))
      },
      summary(taken.ours.map((time, round) => Math.min(taken[nginx][round]!, taken[haproxy][round]!) / time))
    )
  return [
    figure('TLS to the origin', 'nginx-tls', 'haproxy-tls'),
    figure('plain HTTP to the origin', 'nginx', 'haproxy')
  ]
}

async function besideSquaring(): Promise<Figure> {
  const taken = { ours: [] as Waits[], nginx: [] as Waits[], quiet: [] as Waits[] }
  const at = (share: number, kind: keyof typeof taken, what: keyof Waits): number[] =>
    taken[kind].map(({ [what]: times }) => times[Math.ceil(share * times.length) - 1]!)
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    const [squaring, nginx, quiet] = [
      await scene.start('ours', null, availableParallelism()),
      await scene.start('nginx-tls', null),
      await scene.start('ours', null)
    ]
    await delay(WARM_UP_MS)
    taken.ours.push(await waits(squaring, originPort, PROBES))
    taken.nginx.push(await waits(nginx, originPort, PROBES))
    await squaring.stop()
    taken.quiet.push(await waits(quiet, originPort, PROBES))
    for (const server of [nginx, quiet]) await server.stop()
    const p99 = (kind: keyof typeof taken): string => `${kind} ${at(0.99, kind, 'handshake')[round]!} ms`
    say(`p99 of a new connection, round ${round + 1}: ${p99('ours')}, ${p99('nginx')}, ${p99('quiet')}`)
  }
  return measured(
    {
      name: 'p99 of a new connection while every core squares',
      unit: 'ms',
      target: { at_most: P99_MS },
      parts: {
        'p50 ms': median(at(0.5, 'ours', 'handshake')),
        'p99 without squaring ms': median(at(0.99, 'quiet', 'handshake')),
        'p50 without squaring ms': median(at(0.5, 'quiet', 'handshake')),
        'p99 of the first byte ms': median(at(0.99, 'ours', 'answer')),
        'p99 of the first byte from nginx ms': median(at(0.99, 'nginx', 'answer')),
        'p50 of the first byte ms': median(at(0.5, 'ours', 'answer')),
        'p50 of the first byte from nginx ms': median(at(0.5, 'nginx', 'answer'))
      }
    },
    summary(at(0.99, 'ours', 'handshake'))
  )
}

async function idleMemory(): Promise<Figure> {
  const server = await scene.start('ours', cpu)
  const before = residentBytes(server.pid)
  const held = []
  for (let number = 0; number < IDLE; number++) held.push(await open(server, originPort))
  const mib = (residentBytes(server.pid) - before) / 2 ** 20
  for (const tls of held) tls.destroy()
  await server.stop()
  return measured(
    { name: `memory of ${IDLE} idle connections`, unit: 'MiB', target: { at_most: IDLE_MIB } },
    summary([mib]),
    true
  )
}

const figures = [...(await besideOthers('connection')), ...(await besideOthers('MiB'))]
for (const server of servers.values()) await server.stop()
figures.push(await besideSquaring(), await idleMemory())

const versionOf = (name: 'nginx' | 'haproxy'): string => {
  const { stdout, stderr } = spawnSync(programOf(name), ['-v'], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+/u.exec(stdout + stderr)?.[0] ?? 'unknown'
}
const result = { machine: here, nginx: versionOf('nginx'), haproxy: versionOf('haproxy'), rounds, seconds, figures }
if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
else
  process.stdout
    .write(`${here.cpu}, ${here.cores} cores, Node ${here.node}, nginx ${result.nginx}, HAProxy ${result.haproxy}
Medians of ${rounds} alternated rounds of ${seconds} s, quartiles in brackets

${table(figures)}
`)
process.exit(0)
