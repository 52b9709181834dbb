/**
 * npm run bench:wan -- [--json] [--nodes 8] [--seed 1] [--delay published] [--jitter 5] [--loss 10] [--rate 2000000]
 * npm run bench:wan -- --round-trips [--json]
 *
 * Real daemons on an emulated wide area (bench/wan): whether a home behind each kind of NAT ends in the right mode, how
 * soon, and how long names take to register and resolve from there. `--round-trips`: how many round trips each path
 * takes, one after the other, between nodes that are all as far apart. Linux, as root. Delays are those of
 * wan/regions.json, or drawn for each pair: `--delay 20,120`, milliseconds one way. Loss is per mille; the rate is that
 * of a home's line in each direction, bits a second.
 */
import { parseArgs } from 'node:util'
import { eventually, Scene } from '../__test__/e2e/processes.ts'
import { say } from './network/scratch.ts'
import { measureRoundTrips } from './wan/round-trips.ts'
import { isDecided, register, startWideNetwork, statusOf } from './wan/network.ts'
import { HOMES, type Weather } from './wan/places.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    'round-trips': { type: 'boolean', default: false },
    nodes: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    delay: { type: 'string', default: 'published' },
    jitter: { type: 'string', default: '5' },
    loss: { type: 'string', default: '10' },
    rate: { type: 'string', default: '2000000' }
  }
})
const [least = 0, most = least] = values.delay.split(',').map(Number)
const weather: Weather = {
  seed: Number(values.seed),
  delayMs: values.delay === 'published' ? 'published' : [least, most],
  jitterMs: Number(values.jitter),
  lossPerMille: Number(values.loss),
  homeRate: Number(values.rate)
}
/** From the start of a home to its role, by docs/network.md. */
const PROMISED_SECONDS = 60

const scene = new Scene()
if (values['round-trips']) {
  try {
    const paths = await measureRoundTrips(scene)
    if (values.json) console.log(JSON.stringify(paths))
    else
      for (const { path, samples, median, least } of paths)
        console.log(`${path.padEnd(34)} ${median.toFixed(1)} round trips, at least ${least.toFixed(1)} (of ${samples})`)
  } finally {
    await scene.end()
  }
  process.exit()
}
const secondsSince = (beginMs: number): number => Math.round((performance.now() - beginMs) / 100) / 10
try {
  say(`${values.nodes} nodes and ${HOMES.length} homes are started`)
  const begun = HOMES.map(() => 0)
  const decided = HOMES.map(() => Promise.resolve({ mode: '', seconds: 0 }))
  const network = await startWideNetwork(scene, {
    count: Number(values.nodes),
    homes: HOMES,
    weather,
    // A home with IPv6 needs peers that can try to dial it.
    versions: (at) => (at % 2 === 0 ? 'both' : 'ipv4'),
    onHome: (daemon, at) => {
      begun[at] = performance.now()
      decided[at] = eventually(() => statusOf(daemon), isDecided).then(({ mode }) => ({
        mode,
        seconds: secondsSince(begun[at]!)
      }))
    }
  })
  const homes = []
  for (const [at, { title, mode }] of HOMES.entries()) {
    const role = await decided[at]!
    homes.push({ title, mode: role.mode, isRight: role.mode === mode, seconds: role.seconds })
  }
  const at = HOMES.findIndex(({ title }) => title === 'symmetric')
  const registering = performance.now()
  await register(network.homes[at]!, 'cabin.chronym')
  const registered = secondsSince(registering)
  const resolved = []
  for (const daemon of [...network.nodes, ...network.homes]) {
    const asked = performance.now()
    const { status } = await daemon.request('GET', '/api/resolve/cabin.chronym')
    resolved.push({ status, milliseconds: Math.round(performance.now() - asked) })
  }
  const result = {
    weather,
    homes,
    registered_seconds: registered,
    resolved,
    emulator: JSON.parse(await network.end()) as unknown
  }
  const isRight =
    homes.every(({ isRight: right, seconds }) => right && seconds <= PROMISED_SECONDS) &&
    resolved.every(({ status }) => status === 200)
  if (values.json) console.log(JSON.stringify(result))
  else {
    for (const home of homes)
      console.log(
        `${home.isRight ? 'right' : 'WRONG'}  ${home.mode.padEnd(6)} ${String(home.seconds).padStart(5)} s  ${home.title}`
      )
    const times = resolved.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right)
    console.log(`registered behind a symmetric NAT in ${registered} s`)
    console.log(`resolved by ${times.length}: median ${times[times.length >> 1]} ms, slowest ${times.at(-1)} ms`)
    console.log(JSON.stringify(result.emulator))
  }
  if (!isRight) process.exitCode = 1
} finally {
  await scene.end()
}
