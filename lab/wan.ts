/**
 * npm run lab:wan -- [--json] [--seed 1] [--delay published] [--jitter 5] [--loss 10] [--rate 2000000]
 * npm run lab:wan -- --round-trips [--json]
 * npm run lab:wan -- --nodes 60 [--names 24] [--quiet 300] [--phases 60,180,600,240] [--stretch 1] [--plot wide-area.svg]
 *     [--json]
 * npm run lab:wan -- --hours 8 [--nodes 60] [--names 24] [--from COMMIT] [--plot wide-area.svg] [--json]
 *
 * Real daemons on an emulated wide area (lab/wan): whether a home behind each kind of NAT ends in the right mode, how
 * soon, and how long names take to register and resolve from there. `--round-trips`: how many round trips each path
 * takes, one after the other, between nodes that are all as far apart. `--nodes`: the figures of many nodes, and names
 * asked for while a third leaves, the rest is parted in two, and heals; seconds of each. `--stretch 2` doubles all
 * delays, which tells round trips from what this machine computes. `--hours`: the same with leases of eight minutes,
 * nodes that leave and come back all the time, and one restart of each; `--from`: an upgrade of each, from that build.
 * It fails where a name is lost, or a code of an error has no known reason.
 *
 * Linux, as root. Delays are those of wan/regions.json, or drawn for each pair: `--delay 20,120`, milliseconds one way.
 * Loss is per mille; the rate is that of a home's line in each direction, bits a second.
 */
import { parseArgs } from 'node:util'
import { Scene } from '../__test__/e2e/processes.ts'
import { endFirst } from '../bench/network/scratch.ts'
import { areRight, linesOf, measureHomes } from './wan/homes.ts'
import { measureMany, soakMany } from './wan/many.ts'
import { linesOverTime } from './wan/many/soak.ts'
import type { Weather } from './wan/places.ts'
import { measureRoundTrips } from './wan/round-trips.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    'round-trips': { type: 'boolean', default: false },
    nodes: { type: 'string' },
    hours: { type: 'string' },
    from: { type: 'string' },
    names: { type: 'string', default: '24' },
    quiet: { type: 'string', default: '300' },
    phases: { type: 'string', default: '60,180,600,240' },
    plot: { type: 'string', default: 'wide-area.svg' },
    seed: { type: 'string', default: '1' },
    delay: { type: 'string', default: 'published' },
    jitter: { type: 'string', default: '5' },
    loss: { type: 'string', default: '10' },
    rate: { type: 'string', default: '2000000' },
    stretch: { type: 'string', default: '1' }
  }
})
const NODES_BESIDE_HOMES = 8

const scene = new Scene()
endFirst(() => scene.end())
const print = (result: unknown, lines: readonly string[]): void => {
  console.log(values.json ? JSON.stringify(result) : lines.join('\n'))
}

async function roundTrips(): Promise<void> {
  const paths = await measureRoundTrips(scene)
  print(
    paths,
    paths.map(
      ({ path, samples, median, least }) =>
        `${path.padEnd(34)} ${median.toFixed(1)} round trips, at least ${least.toFixed(1)} (of ${samples})`
    )
  )
}

async function many(nodes: number): Promise<void> {
  const result = await measureMany(scene, {
    nodes,
    names: Number(values.names),
    quiet: Number(values.quiet),
    stretch: Number(values.stretch),
    phases: values.phases.split(',').map(Number),
    plot: values.plot
  })
  print(result, [
    ...result.phases.map((each) => JSON.stringify(each)),
    JSON.stringify(result.emulator),
    `delays: ${result.source}; load before the figures: ${result.load.toFixed(1)}`
  ])
}

async function soak(hours: number): Promise<void> {
  const result = await soakMany(scene, {
    nodes: Number(values.nodes ?? '60'),
    names: Number(values.names),
    hours,
    plot: values.plot,
    from: values.from
  })
  const { over_time: samples, ...others } = result
  print(result, [...linesOverTime(samples), JSON.stringify(others)])
  if (result.lost.length > 0 || result.unexplained.length > 0) process.exitCode = 1
}

async function homes(): Promise<void> {
  const [least = 0, most = least] = values.delay.split(',').map(Number)
  const weather: Weather = {
    seed: Number(values.seed),
    delayMs: values.delay === 'published' ? 'published' : [least, most],
    jitterMs: Number(values.jitter),
    lossPerMille: Number(values.loss),
    homeRate: Number(values.rate)
  }
  const result = await measureHomes(scene, NODES_BESIDE_HOMES, weather)
  print(result, linesOf(result))
  if (!areRight(result)) process.exitCode = 1
}

try {
  if (values['round-trips']) await roundTrips()
  else if (values.hours !== undefined) await soak(Number(values.hours))
  else if (values.nodes !== undefined) await many(Number(values.nodes))
  else await homes()
} finally {
  await scene.end()
}
