/**
 * A node in this process, as the daemon builds it, without registry and HTTP: for many of them, and for owners of
 * names.
 */
import { join } from 'node:path'
import pino from 'pino'
import type { BeaconClient } from '../../src/beacon/types.ts'
import type { DocumentJudge, NativePool } from '../../src/native/types.ts'
import { createNetwork, type OpenableNetwork } from '../../src/network/network.ts'
import { type Clock, createRoundClock } from '../../src/time/clock.ts'
import type { NetworkMode } from '../../src/network/types.ts'
import { sha256, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { openStore } from '../../src/store/open.ts'
import { PROFILE } from './profile.ts'
import { say, scratchDirectory } from './scratch.ts'
import { until } from './waiting.ts'

export interface BenchNode {
  readonly network: OpenableNetwork
  readonly address: string
  stop(): Promise<void>
}

export interface NodeParts {
  /** Seed of the node's key. */
  readonly seed: string
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge
  readonly bootstrap: readonly string[]
  readonly mode?: NetworkMode
  readonly profile?: NetworkProfile
  /**
   * An IPv4 address of this machine that it listens on and dials from, so that it is of that address's prefixes for all
   * others. Default: listens on 127.0.0.1.
   */
  readonly place?: string
  /** 0 <= x < 1. */
  readonly random?: () => number
  /** Monotonic, milliseconds: what peers may cost is counted by it. */
  readonly elapsed?: () => number
  /** Milliseconds since the epoch; default: the machine's. */
  readonly clock?: () => number
  readonly timers?: Pick<Clock, 'every'>
}

/**
 * Starts nodes one after the other, each joining through the first. Waits until each knows most of a name's number of
 * holders: a node below k looks for the last ones only every five minutes. Started together they would time each
 * other's handshakes out on one event loop.
 */
export async function startNodes(all: readonly Omit<NodeParts, 'bootstrap'>[], nodes: BenchNode[]): Promise<void> {
  say(`starting ${all.length} nodes`)
  for (const parts of all) {
    const node = await startNode({ ...parts, bootstrap: nodes.slice(0, 1).map(({ address }) => address) })
    const isFirst = nodes.push(node) === 1
    await until('a node has joined', () => isFirst || node.network.knownPeers() > 0)
  }
  const serving = all.filter(({ mode }) => mode !== 'light').length
  const most = Math.floor(0.75 * Math.min(serving - 1, PROFILE.k))
  await until(`every node knows ${most} others`, () => nodes.every(({ network }) => network.knownPeers() >= most))
}

export async function startNode({
  seed,
  beacon,
  pool,
  bootstrap,
  mode = 'full',
  profile = PROFILE,
  place,
  random,
  elapsed,
  clock = Date.now,
  timers
}: NodeParts): Promise<BenchNode> {
  const store = openStore(join(scratchDirectory(), 'chronym.db'))
  const network = createNetwork({
    profile,
    store,
    nodeSeed: sha256(utf8(`node ${seed}`)),
    beacon,
    pool,
    listen: [`/ip4/${place ?? '127.0.0.1'}/tcp/0`],
    ...(place !== undefined && { dialFrom: place }),
    bootstrap,
    mode,
    log: pino({ level: 'error' }, pino.destination(2)),
    clock: createRoundClock(beacon, profile, store, clock),
    ...(random !== undefined && { random }),
    ...(elapsed !== undefined && { elapsed }),
    ...(timers !== undefined && { timers })
  })
  await network.start()
  return {
    network,
    address: network.addresses()[0]!.address,
    async stop() {
      await network.stop()
      store.close()
    }
  }
}
