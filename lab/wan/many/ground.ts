/** Many daemons on a wide area: full nodes, light ones that only ask, and names that some of the nodes own. */
import type { Daemon, Scene } from '../../../__test__/e2e/processes.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { ROOT } from '../../../scripts/program.ts'
import { say } from '../../../bench/network/scratch.ts'
import { until } from '../../../bench/network/waiting.ts'
import { PATIENCE_MS, register, startWideNetwork, statusOf, type WideNetwork } from '../network.ts'
import type { Home, Weather } from '../places.ts'
import { publishedTripMs, REGIONS } from '../regions.ts'

/** Daemons that start at the same time. More of them keep two hyperthreads too busy to answer each other. */
const TOGETHER = 3
const ASKERS = 4
const NEWCOMERS = 4
const OWNERS = 8

export const WEATHER: Weather = {
  seed: 1,
  delayMs: 'published',
  jitterMs: 5,
  lossPerMille: 10,
  homeRate: 2_000_000
}

export interface Many {
  readonly network: WideNetwork
  readonly names: readonly string[]
  /** Light: they hold nothing. */
  readonly askers: readonly Daemon[]
  readonly ownerOf: (name: string) => Daemon
  /** Starts a further node that knows one other; resolves once it listens. */
  readonly newcomer: (index: number) => Promise<Daemon>
  readonly newcomers: number
  /** A place's median round trip to the nodes. */
  readonly tripMs: (place: number) => number
  readonly placeOfAsker: (index: number) => number
  readonly placeOfOwner: (name: string) => number
}

interface Wanted {
  readonly nodes: number
  readonly names: number
  readonly profile: NetworkProfile
  readonly homes: readonly Home[]
  /** Of the published delays. */
  readonly stretch: number
  /** Another checkout that they run from. */
  readonly root?: string
}

export async function startMany(
  scene: Scene,
  { nodes, names: count, profile, homes, stretch, root = ROOT }: Wanted
): Promise<Many> {
  const begun = performance.now()
  say(`starting ${nodes} daemons, ${TOGETHER} at a time`)
  const network = await startWideNetwork(scene, {
    count: nodes,
    spare: ASKERS + NEWCOMERS,
    homes,
    weather: { ...WEATHER, stretch },
    profile,
    together: TOGETHER,
    built: true,
    root,
    hasDns: true,
    onNode: (_, at) => {
      if (at % 10 === 0) say(`${at + 1} of ${nodes} after ${Math.round((performance.now() - begun) / 1000)} s`)
    }
  })
  await until('all nodes are full, and know enough others', () => areReady(network.nodes), {
    everyMs: 2_000,
    deadlineMs: PATIENCE_MS
  }).catch((error: unknown) => say(String(error)))
  say(`figures begin after ${Math.round((performance.now() - begun) / 1000)} s`)
  const askers: Daemon[] = []
  const known = network.addresses.slice(0, 3).flatMap((address) => ['--bootstrap', address])
  for (let index = 0; index < ASKERS; index++)
    askers.push(await network.startSpare(index, ['--mode', 'light', ...known]))

  const names = Array.from({ length: count }, (_, index) => `wide-${index}.chronym`)
  // One in three leaves later: none of them owns a name.
  const owners = network.nodes.flatMap((_, at) => (leaves(at) ? [] : [at])).slice(0, OWNERS)
  const placeOfOwner = (name: string): number => owners[names.indexOf(name) % owners.length]!
  say(`registering ${count} names`)
  await Promise.all(
    owners.map(async (at) => {
      for (const name of names.filter((each) => placeOfOwner(each) === at)) await register(network.nodes[at]!, name)
    })
  )
  say(`ready after ${Math.round((performance.now() - begun) / 1000)} s`)
  return {
    network,
    names,
    askers,
    ownerOf: (name) => network.nodes[placeOfOwner(name)]!,
    newcomer: (index) =>
      network.startSpare(ASKERS + index, ['--bootstrap', network.addresses[(7 * index + 3) % nodes]!]),
    newcomers: NEWCOMERS,
    tripMs(place) {
      const trips = network.nodes
        .map((_, at) => stretch * publishedTripMs(place, at))
        .sort((left, right) => left - right)
      return trips[trips.length >> 1]!
    },
    placeOfAsker: (index) => nodes + index,
    placeOfOwner
  }
}

/** Asks one after the other, until the first that is not: asking takes them time too. */
async function areReady(nodes: readonly Daemon[]): Promise<boolean> {
  for (const node of nodes) {
    const { mode, diversity } = await statusOf(node)
    if (mode !== 'full' || diversity?.enough === false) return false
  }
  return true
}

/** A third of the nodes, from all regions. */
export function leaves(at: number): boolean {
  return at % 3 === 2
}

/** Places of the Americas are on the one side of a cut, those of Europe and Asia on the other. */
export function isInAmerica(place: number): boolean {
  return place % REGIONS < 6
}
