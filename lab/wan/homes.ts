/** Whether a home behind each kind of NAT ends in the right mode, how soon, and how long names take from there. */
import { eventually, type Scene } from '../../__test__/e2e/processes.ts'
import { say } from '../../bench/network/scratch.ts'
import { isDecided, register, startWideNetwork, statusOf } from './network.ts'
import { HOMES, type Weather } from './places.ts'

/** From the start of a home to its role, by docs/network.md. */
const PROMISED_SECONDS = 60

interface Homes {
  readonly weather: Weather
  readonly homes: readonly { title: string; mode: string; isRight: boolean; seconds: number }[]
  readonly registered_seconds: number
  readonly resolved: readonly { status: number; milliseconds: number }[]
  readonly emulator: unknown
}

const secondsSince = (beginMs: number): number => Math.round((performance.now() - beginMs) / 100) / 10

export async function measureHomes(scene: Scene, count: number, weather: Weather): Promise<Homes> {
  say(`${count} nodes and ${HOMES.length} homes are started`)
  const begun = HOMES.map(() => 0)
  const decided = HOMES.map(() => Promise.resolve({ mode: '', seconds: 0 }))
  const network = await startWideNetwork(scene, {
    count,
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
  const emulator = JSON.parse(await network.end()) as unknown
  return { weather, homes, registered_seconds: registered, resolved, emulator }
}

export function areRight({ homes, resolved }: Homes): boolean {
  return (
    homes.every(({ isRight, seconds }) => isRight && seconds <= PROMISED_SECONDS) &&
    resolved.every(({ status }) => status === 200)
  )
}

export function linesOf({ homes, resolved, registered_seconds, emulator }: Homes): string[] {
  const times = resolved.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right)
  return [
    ...homes.map(
      ({ isRight, mode, seconds, title }) =>
        `${isRight ? 'right' : 'WRONG'}  ${mode.padEnd(6)} ${String(seconds).padStart(5)} s  ${title}`
    ),
    `registered behind a symmetric NAT in ${registered_seconds} s`,
    `resolved by ${times.length}: median ${times[times.length >> 1]} ms, slowest ${times.at(-1)} ms`,
    JSON.stringify(emulator)
  ]
}
