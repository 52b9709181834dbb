/**
 * Bytes that names cost, owners and holders. All nodes are in this process, so every byte passes through one of its sockets; timers and clocks are those of the
 * bench. One node's hour is made to pass (for the moment in which its timers are called its clock is an hour and a half ahead, so that its round of republishing and
 * replication is due), and what crosses the wire until it is quiet again is counted: once without names, once with some. The difference belongs to the names.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool.ts'
import { systemTimers, type Timers } from '../../src/network/timers.ts'
import { encodeReveal } from '../../src/protocol/reveal.ts'
import { startNodes, type BenchNode } from './node.ts'
import { namesOf, register } from './owner.ts'
import { PROFILE } from './profile.ts'

/** One round lasts an hour on the average. */
const ROUNDS_PER_DAY = 24
const HOUR_AND_HALF_MS = 90 * 60_000
/** Next to nothing passes for so long: the round is over. */
const QUIET_MS = 2_000
/** The pings of some three hundred connections and what their owners look for meanwhile: about 5 KB. */
const QUIET_BYTES = 20_000

export interface Traffic {
  readonly nodes: number
  readonly names: number
  readonly record_bytes: number
  /** Sent and received by the owner of a name for republishing it: what crosses its line. */
  readonly owner_bytes_per_name_and_day: number
  /** Sent and received by one that holds a name: its own rounds, those of its neighbours (as many again), and its share of the owner's. */
  readonly holder_bytes_per_name_and_day: number
  /** What a node without names sends and receives for its own rounds and those of its neighbours. */
  readonly rounds_bytes_per_node_and_day: number
}

/** A clock and timers that can be called while it is ahead. */
interface Time {
  readonly clock: () => number
  readonly timers: Timers
  /** Each time it is an hour and a half later than the time before. */
  pass(): void
}

export async function measureTraffic(count: number, names: number, seed: string): Promise<Traffic> {
  const beaconServer = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: PROFILE.beacon })
  const pool = createNativePool({ evaluationThreads: 1 })
  const beacon = createBeaconClient({ chain: PROFILE.beacon, urls: [beaconServer.url], pool })
  const wire = createWire(beaconServer.port)
  const nodes: BenchNode[] = []
  const times = Array.from({ length: count }, createTime)
  try {
    beacon.start()
    await startNodes(
      times.map(({ clock, timers }, index) => ({ seed: `${seed} ${index}`, beacon, pool, mode: index === count - 1 ? 'light' : 'full', clock, timers })),
      nodes
    )
    const [owner, holder] = [nodes.at(-1)!, nodes[1]!]
    const [ownersTime, holdersTime] = [times.at(-1)!, times[1]!]
    const hour = async (time: Time): Promise<number> => {
      await wire.quiet()
      const before = wire.bytes()
      time.pass()
      await wire.quiet()
      return wire.bytes() - before
    }
    // Each node's first round asks for what later ones know already.
    await hour(ownersTime)
    await hour(holdersTime)
    const without = { owner: await hour(ownersTime), holder: await hour(holdersTime) }
    const { reveals } = await register(owner.network, beacon, namesOf(names, 'moved'), seed)
    const held = holder.network.status().records
    if (held * 2 < names) throw new Error(`the node that is measured holds ${held} of ${names} names`)
    await hour(ownersTime)
    await hour(holdersTime)
    const withNames = { owner: await hour(ownersTime), holder: await hour(holdersTime) }
    const ownersRound = (withNames.owner - without.owner) / names
    const holdersRound = (withNames.holder - without.holder) / held
    return {
      nodes: count,
      names,
      record_bytes: Math.round(reveals.reduce((sum, reveal) => sum + encodeReveal(reveal).length, 0) / names),
      owner_bytes_per_name_and_day: Math.round(ownersRound * ROUNDS_PER_DAY),
      holder_bytes_per_name_and_day: Math.round((2 * holdersRound + ownersRound / Math.min(PROFILE.k, count - 1)) * ROUNDS_PER_DAY),
      rounds_bytes_per_node_and_day: Math.round(2 * without.holder * ROUNDS_PER_DAY)
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
  const actions = new Set<() => void>()
  return {
    clock: () => Date.now() + ahead,
    timers: {
      every(milliseconds, action) {
        actions.add(action)
        const end = systemTimers.every(milliseconds, action)
        return () => {
          actions.delete(action)
          end()
        }
      }
    },
    pass() {
      ahead = ++passed * HOUR_AND_HALF_MS
      for (const action of actions) action()
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
  const passed = (socket: Socket): number => (socket.remotePort === beaconPort ? 0 : socket.bytesRead + socket.bytesWritten)
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
