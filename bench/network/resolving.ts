/** How long a node without the name takes to resolve it for the first time, and to put one. */
import { setTimeout as delay } from 'node:timers/promises'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { positionOf } from '../../src/network/table.ts'
import { peerIdFromString } from '@libp2p/peer-id'
import { distance, recordKey } from '../../src/protocol/neighbourhood/key-space.ts'
import { checkCodeOf, formatCodedName, SHORT_CODE } from '../../src/protocol/claim/check-code.ts'
import { parseName } from '../../src/protocol/name/names.ts'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import { startNode, startNodes, type BenchNode } from './node.ts'
import { claim, namesOf, outOfContest, publish, type Published } from './owner.ts'
import { startFleet } from './processes.ts'
import { PROFILE, PROFILE_HASH } from './profile.ts'
import { say } from './scratch.ts'
import { latencies, timed, until, type Latencies } from './waiting.ts'

/** Names asked first and not counted: connections are opened and code is compiled. */
const WARM_UP = 10
/** Between two questions, so that what one leaves to be done does not weigh on the next. */
const PAUSE_MS = 50

export interface Resolving {
  readonly nodes: number
  readonly asker: string
  /** Of every second name. */
  readonly resolve: Latencies
  /** Of the others, by check code. */
  readonly coded: Latencies
  readonly put: Latencies
  /** Puts that no majority had at once. */
  readonly puts_again: number
}

/**
 * Daemons as processes. One is light and joins when the names are out of contest, so it holds neither records nor
 * pulses nor answers.
 */
export async function resolveAmongProcesses(count: number, names: number, seed: string): Promise<Resolving> {
  const fleet = await startFleet()
  const pool = createNativePool({ evaluationThreads: 1 })
  const beacon = createBeaconClient({ chain: PROFILE.beacon, urls: [fleet.beaconUrl], pool })
  let owner: BenchNode | undefined
  try {
    beacon.start()
    say(`starting ${count - 1} daemons`)
    await fleet.add(count - 1, 'full')
    owner = await startNode({
      seed: `${seed} owner`,
      beacon,
      pool,
      bootstrap: [fleet.daemons[0]!.address],
      mode: 'light'
    })
    const { network } = owner
    await until('the owner knows every daemon', () => network.knownPeers() >= count - 1)
    const reveals = await claim(network, beacon, namesOf(names + WARM_UP, 'resolved'), seed)
    const published = await publish(network, reveals)
    await outOfContest(network, reveals)
    await owner.stop()
    owner = undefined

    const [asker] = await fleet.add(1, 'light')
    const resolve = async ({ name }: Reveal, code?: string): Promise<void> => {
      const wanted = code === undefined ? name : formatCodedName(parseName(name, PROFILE), code)!
      const response = await fetch(`${asker!.url}/api/resolve/${wanted}`)
      const body = await response.text()
      const confidence = code === undefined ? 'provisional' : 'proven'
      if (response.status !== 200 || response.headers.get('x-confidence') !== confidence)
        throw new Error(`${wanted}: ${response.status} ${body}`)
    }
    return { nodes: count, asker: 'a light daemon, over HTTP', ...(await measure(reveals, published, resolve)) }
  } finally {
    await owner?.stop()
    beacon.stop()
    await pool.close()
    await fleet.stop()
  }
}

/**
 * Nodes in one process, all `full`, one event loop for all of them. Asked is the one farthest from the name's key,
 * which does not hold it; its pool has verified nothing yet.
 */
export async function resolveInOneProcess(count: number, names: number, seed: string): Promise<Resolving> {
  const beaconServer = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: PROFILE.beacon })
  const [holders, askers] = [createNativePool({ evaluationThreads: 1 }), createNativePool({ evaluationThreads: 1 })]
  const beacon = createBeaconClient({ chain: PROFILE.beacon, urls: [beaconServer.url], pool: holders })
  const nodes: BenchNode[] = []
  try {
    beacon.start()
    await startNodes(
      Array.from({ length: count }, (_, index) => ({
        seed: `${seed} ${index}`,
        beacon,
        pool: isAsker(index) ? askers : holders
      })),
      nodes
    )
    const owner = nodes[0]!.network
    const reveals = await claim(owner, beacon, namesOf(names + WARM_UP, 'resolved'), seed)
    const published = await publish(owner, reveals)
    await outOfContest(owner, reveals)
    const possible = nodes.filter((_, index) => isAsker(index))
    const resolve = async ({ name }: Reveal, code?: string): Promise<void> => {
      const { network } = farthest(possible, name)
      if (code !== undefined) {
        const { answers } = await network.getByCode(name, code)
        if (!answers.some(({ reveal }) => reveal?.name === name))
          throw new Error(`${name}: nobody shows it by its code`)
        return
      }
      const { answers, asked } = await network.getReveals(name)
      const own = answers.find(({ self }) => self)
      const agreeing = answers.filter(({ reveal, state }) => reveal !== undefined && state === 'settling').length
      if (own?.state !== 'none' || agreeing * 2 <= asked)
        throw new Error(
          `${name}: ${agreeing} of ${asked} hold it out of contest; the asker: ${own?.state ?? 'nothing'}`
        )
    }
    return {
      nodes: count,
      asker: 'the full node farthest from the name, in the process of all the others',
      ...(await measure(reveals, published, resolve))
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    beacon.stop()
    await Promise.all([holders.close(), askers.close()])
    await beaconServer.close()
  }
}

/** Asks for one name after the other, by turns as it is and with its check code. */
async function measure(
  reveals: readonly Reveal[],
  { putMs, again }: Published,
  resolve: (reveal: Reveal, code?: string) => Promise<void>
): Promise<Pick<Resolving, 'resolve' | 'coded' | 'put' | 'puts_again'>> {
  say(`resolving ${reveals.length} names`)
  const times: { bare: number[]; coded: number[] } = { bare: [], coded: [] }
  for (const [index, reveal] of reveals.entries()) {
    const code = index % 2 === 0 ? undefined : checkCodeOf(reveal, PROFILE).slice(0, SHORT_CODE)
    const { ms } = await timed(() => resolve(reveal, code))
    if (index >= WARM_UP) times[code === undefined ? 'bare' : 'coded'].push(ms)
    await delay(PAUSE_MS)
  }
  return {
    resolve: latencies(times.bare),
    coded: latencies(times.coded),
    put: latencies(putMs.slice(WARM_UP)),
    puts_again: again
  }
}

/** One in five may ask. */
function isAsker(index: number): boolean {
  return index % 5 === 4
}

function farthest(nodes: readonly BenchNode[], name: string): BenchNode {
  const key = recordKey('reveal', name, PROFILE_HASH)
  const away = (node: BenchNode): number => distance(key, positionOf(peerIdFromString(node.network.status().peer_id)))
  return nodes.reduce((best, node) => (away(node) > away(best) ? node : best))
}
