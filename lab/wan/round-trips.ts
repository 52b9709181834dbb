/**
 * How many round trips each path takes, one after the other: every pair of places is as far apart, nothing is lost, so a
 * path's time divided by that of a round trip is their number, and what this machine computes meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { eventually, type Scene } from '../../__test__/e2e/processes.ts'
import type { PeerView } from '../../src/views/network.ts'
import { register, startWideNetwork, statusOf } from './network.ts'

/** Long beside what this machine computes in between. */
const ONE_WAY_MS = 100
const ROUND_TRIP_MS = 2 * ONE_WAY_MS
const NODES = 10
const NAMES = 6
/** Longer than a stream that does not rest. */
const QUIET_MS = 61_000

export interface Path {
  readonly path: string
  readonly samples: number
  /** Round trips. */
  readonly median: number
  readonly least: number
}

export async function measureRoundTrips(scene: Scene): Promise<Path[]> {
  const weather = { seed: 1, delayMs: [ONE_WAY_MS, ONE_WAY_MS], jitterMs: 0, lossPerMille: 0, homeRate: 0 } as const
  const { nodes, startSpare, addresses } = await startWideNetwork(scene, { count: NODES, weather, spare: 2 })
  // A node that is light yet holds no name, and one that knows few looks elsewhere: with k = 4 it need not meet all.
  for (const node of nodes)
    await Promise.all(addresses.map((address) => node.request('POST', '/api/peers', { address })))
  for (const node of nodes)
    await eventually(
      async () => [await statusOf(node), (await node.request('GET', '/api/peers')).body as PeerView[]] as const,
      ([{ mode }, peers]) =>
        mode === 'full' && peers.filter(({ in_table: isInTable }) => isInTable).length === NODES - 1
    )
  const owner = nodes[1]!
  const names = Array.from({ length: NAMES }, (_, index) => `far-${index}.chronym`)
  const askedLater = 'later.chronym'
  for (const name of [...names, askedLater]) await register(owner, name)

  const stranger = await startSpare(0, [])
  // The first alone: after it the others are found and dialled.
  const dialled = await timed(() => stranger.request('POST', '/api/peers', { address: addresses[0]! }))
  const newcomer = await startSpare(1, ['--bootstrap', addresses[0]!])
  const joined = await timed(() => eventually(() => newcomer.request('GET', `/api/resolve/${names[0]!}`), isThere))
  const resolves: number[] = []
  for (const name of names)
    for (const node of nodes.slice(2)) resolves.push(await timed(() => node.request('GET', `/api/resolve/${name}`)))
  await delay(QUIET_MS)
  const afterQuiet: number[] = []
  for (const node of nodes.slice(2))
    afterQuiet.push(await timed(() => node.request('GET', `/api/resolve/${askedLater}`)))
  const publications: number[] = []
  for (const name of names) {
    await owner.request('POST', `/api/zone/${name}`, { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } })
    publications.push(await timed(() => owner.request('POST', `/api/zone/${name}/publish`)))
  }
  const nowhere = async (what: string): Promise<number[]> => {
    const took: number[] = []
    for (let index = 0; index < NAMES; index++)
      took.push(await timed(() => nodes[2]!.request('GET', `/api/resolve/${what}-${index}.chronym`)))
    return took
  }
  const unheld = await nowhere('nowhere')
  // Its system takes connections and questions, and nobody answers: as behind a line that stalls.
  process.kill(nodes[3]!.pid, 'SIGSTOP')
  const stalled = await nowhere('stalled')
  return [
    pathOf('open a connection', [dialled]),
    pathOf('join, to the first answer', [joined]),
    pathOf('resolve, known peers', resolves),
    pathOf('the same after a quiet minute', afterQuiet),
    pathOf('resolve what nobody holds', unheld),
    pathOf('the same, one peer stalled: at first', stalled.slice(0, 1)),
    pathOf('the same, one peer stalled: later', stalled.slice(1)),
    pathOf('publish, to a majority read back', publications)
  ]
}

const isThere = ({ status }: { status: number }): boolean => status === 200

/** Milliseconds. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const beginMs = performance.now()
  await run()
  return performance.now() - beginMs
}

function pathOf(path: string, milliseconds: readonly number[]): Path {
  const sorted = milliseconds.map((each) => each / ROUND_TRIP_MS).sort((left, right) => left - right)
  const rounded = (value: number): number => Math.round(value * 10) / 10
  return { path, samples: sorted.length, median: rounded(sorted[sorted.length >> 1]!), least: rounded(sorted[0]!) }
}
