/**
 * Bytes that names cost owners and holders. All nodes are in this process, so every byte passes through one of its
 * sockets; timers and clocks are the bench's. The bench moves the clock an hour and a half ahead, so that each node's
 * republishing and replication are due. It counts what crosses the wire until it is quiet again, without names and with
 * some. The difference is the cost of the names.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { systemClock, type Clock } from '../../src/time/clock.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { startNodes, type BenchNode, type NodeParts } from './node.ts'
import { claim, namesOf, publish } from './owner.ts'
import { PROFILE } from './profile.ts'
import { say } from './scratch.ts'

/** One round lasts an hour on the average. */
const ROUNDS_PER_DAY = 24
const HOUR_AND_HALF_MS = 90 * 60_000
/** The round is over when next to nothing passes for this long. */
const QUIET_MS = 4_000
/** The pings of some three hundred connections and what their owners look for meanwhile: about 5 KB. */
const QUIET_BYTES = 20_000
/** Rounds to measure: the one with the fewest bytes counts, since other traffic, such as a table refresh, only adds. */
const ROUNDS_COUNTED = 2

export interface Traffic {
  readonly nodes: number
  readonly names: number
  readonly record_bytes: number
  /** Sent and received by the owner of a name for republishing it: what crosses its line. */
  readonly owner_bytes_per_name_and_day: number
  /**
   * Sent and received by one that holds a name: its own rounds, those of its neighbours, and its share of the owner's.
   */
  readonly holder_bytes_per_name_and_day: number
  /** What a node without names sends and receives for its own rounds and those of its neighbours. */
  readonly rounds_bytes_per_node_and_day: number
}

/** A clock and timers that can be called while it is ahead. */
interface Time {
  readonly clock: () => number
  readonly timers: Pick<Clock, 'every'>
  /** Moves the clock an hour and a half ahead of the time before. */
  pass(): void
}

export async function measureTraffic(count: number, names: number, seed: string): Promise<Traffic> {
  const beaconServer = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: PROFILE.beacon })
  const pool = createNativePool({ evaluationThreads: 1 })
  const beacon = createBeaconClient({ chain: PROFILE.beacon, urls: [beaconServer.url], pool })
  // Nodes hear of no pulse: what they ask each other until a name is settled is part of registering it, not of keeping
  // it.
  const stillBeacon: NodeParts['beacon'] = {
    latest: () => beacon.latest(),
    verify: (pulse, options) => beacon.verify(pulse, options),
    on: () => () => undefined
  }
  const wire = createWire(beaconServer.port)
  const nodes: BenchNode[] = []
  const times = Array.from({ length: count }, createTime)
  const [holdersTimes, ownersTime] = [times.slice(0, -1), times.at(-1)!]
  try {
    beacon.start()
    await startNodes(
      times.map(({ clock, timers }, index) => ({
        seed: `${seed} ${index}`,
        beacon: stillBeacon,
        pool,
        mode: index === count - 1 ? 'light' : 'full',
        clock,
        timers
      })),
      nodes
    )
    const owner = nodes.at(-1)!.network
    const hour = async (of: readonly Time[]): Promise<number> => {
      const before = wire.bytes()
      for (const time of of) time.pass()
      await wire.quiet()
      return wire.bytes() - before
    }
    const counted = async (of: readonly Time[]): Promise<number> => {
      const rounds: number[] = []
      while (rounds.length < ROUNDS_COUNTED) rounds.push(await hour(of))
      return Math.min(...rounds)
    }
    const both = async (what: string): Promise<{ owner: number; holders: number }> => {
      say(`counting rounds ${what}`)
      await wire.quiet()
      // The first round moves what belongs elsewhere.
      await hour(times)
      return { owner: await counted([ownersTime]), holders: await counted(holdersTimes) }
    }
    // Commitments are listed too, but not for as long as a name lives: they count on both sides.
    const reveals = await claim(owner, beacon, namesOf(names, 'moved'), seed)
    const without = await both('without names')
    await publish(owner, reveals)
    const withNames = await both(`with ${names} names`)
    const held = nodes.reduce((sum, { network }) => sum + network.status().records, 0)
    const ownersRound = (withNames.owner - without.owner) / names
    // Every byte crosses the lines of two holders.
    const holdersRound = (2 * (withNames.holders - without.holders)) / held
    return {
      nodes: count,
      names,
      record_bytes: Math.round(reveals.reduce((sum, reveal) => sum + encodeReveal(reveal).length, 0) / names),
      owner_bytes_per_name_and_day: Math.round(ownersRound * ROUNDS_PER_DAY),
      holder_bytes_per_name_and_day: Math.round(
        (holdersRound + ownersRound / Math.min(PROFILE.k, count - 1)) * ROUNDS_PER_DAY
      ),
      rounds_bytes_per_node_and_day: Math.round((2 * without.holders * ROUNDS_PER_DAY) / holdersTimes.length)
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    beacon.stop()
    await pool.close()
    await beaconServer.close()
  }
}

function createTime(): Time {
  let ahead = 0
  let passed = 0
  const actions = new Map<() => void, number>()
  return {
    clock: () => Date.now() + ahead,
    timers: {
      every(milliseconds, action) {
        actions.set(action, milliseconds)
        const end = systemClock.every(milliseconds, action)
        return () => {
          actions.delete(action)
          end()
        }
      }
    },
    pass() {
      ahead = ++passed * HOUR_AND_HALF_MS
      // What happens a few times a day is left out.
      for (const [action, milliseconds] of actions) if (milliseconds <= HOUR_AND_HALF_MS) action()
      ahead = 0
    }
  }
}

interface Wire {
  /** That have passed since the beginning, both ways. */
  bytes(): number
  /** Resolves when next to nothing passes any more. */
  quiet(): Promise<void>
}

/** Every connection has one end that called; what the beacon serves does not count. */
function createWire(beaconPort: number): Wire {
  const sockets = new Set<Socket>()
  let ofClosed = 0
  const passed = (socket: Socket): number =>
    socket.remotePort === beaconPort ? 0 : socket.bytesRead + socket.bytesWritten
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket }
    sockets.add(socket)
    let port: number | undefined
    socket.once('connect', () => (port = socket.remotePort))
    socket.once('close', () => {
      sockets.delete(socket)
      if (port !== beaconPort) ofClosed += socket.bytesRead + socket.bytesWritten
    })
  })
  const bytes = (): number => [...sockets].reduce((sum, socket) => sum + passed(socket), ofClosed)
  return {
    bytes,
    async quiet() {
      for (let before = -Infinity, now = bytes(); now - before > QUIET_BYTES; now = bytes()) {
        before = now
        await delay(QUIET_MS)
      }
    }
  }
}
