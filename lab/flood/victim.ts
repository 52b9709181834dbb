/**
 * The flooded node, in its own process: real libp2p, store, pool and beacon client. The parent's messages control it.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import pino from 'pino'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { createNetwork } from '../../src/network/network.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { keys, prefixes } from '../../src/store/keys.ts'
import { FLOOD_PROFILE } from './profile.ts'
import type { VictimFigures, VictimMemory, VictimQuestion, VictimReady, VictimStart } from './messages.ts'

/** Of the timer that measures the loop; the delays are beyond it. */
const RESOLUTION_MS = 1
const NANOSECONDS = 1e6
const HISTORY_MS = 10_000
const SETTLE_MS = 20
/** Between two looks at the processor time that the loop took. */
const LOOK_MS = 5

const rssHistory: number[] = []
setInterval(() => rssHistory.push(process.memoryUsage.rss()), HISTORY_MS).unref()

const penalised = new Set<string>()
const log = pino({ level: 'debug' }, { write: (line: string) => noteLog(line) })

function noteLog(line: string): void {
  const { level, msg, peer, err } = JSON.parse(line) as {
    level: number
    msg: string
    peer?: string
    err?: { message: string }
  }
  if (peer !== undefined) penalised.add(peer)
  if (level >= 40) process.stderr.write(`victim: ${msg} ${err?.message ?? ''}\n`)
}

function memoryInUse(): VictimMemory {
  const { rss } = process.memoryUsage()
  // run.ts always starts this process with a channel.
  globalThis.gc!()
  const { heapUsed: heap, external } = process.memoryUsage()
  return { rss, rss_history: rssHistory, heap, external }
}

process.once('message', (message) => void run(message as VictimStart))

async function run({ directory, beaconUrl, nodeSeed }: VictimStart): Promise<void> {
  const store = openStore(join(directory, 'chronym.db'))
  const pool = createNativePool({ evaluationThreads: 1 })
  const beacon = createBeaconClient({ chain: FLOOD_PROFILE.beacon, urls: [beaconUrl], pool })
  const network = createNetwork({
    profile: FLOOD_PROFILE,
    store,
    nodeSeed: new Uint8Array(Buffer.from(nodeSeed, 'hex')),
    beacon,
    pool,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap: [],
    mode: 'full',
    clock: createRoundClock(beacon, FLOOD_PROFILE, store, Date.now),
    log
  })
  const firstPulse = new Promise((resolve) => beacon.on('pulse', resolve))
  beacon.start()
  await network.start()
  await firstPulse

  const turns = watchTurns()
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let busy = performance.eventLoopUtilization()
  delay.enable()
  process.on('message', (message) => {
    const { commitments, honest } = message as VictimQuestion
    const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS)
    const figures: VictimFigures = {
      loop_delay_ms: { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) },
      loop_turn_cpu_ms: turns.longest(),
      loop_busy: performance.eventLoopUtilization(busy).utilization,
      memory: memoryInUse(),
      disk: readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0),
      held: {
        records: network.status().records,
        commitments: store.count(prefixes.commitments),
        connections: network.status().peers
      },
      kept: commitments.map((hex) => store.get(keys.commitment(new Uint8Array(Buffer.from(hex, 'hex')))) !== undefined),
      penalised: penalised.size,
      honest_penalised: penalised.has(honest)
    }
    // The collection, which is not a part of what is measured, is noted as a delay a moment later.
    setTimeout(() => {
      delay.reset()
      turns.reset()
      busy = performance.eventLoopUtilization()
      process.send!(figures)
    }, SETTLE_MS)
  })
  process.on('disconnect', () => process.exit())
  process.send!({ address: network.addresses()[0]!.address } satisfies VictimReady)
}

/**
 * The most processor time that this thread took without coming back to its timers: of a delay what it made itself. The
 * rest it waited, for a core or for the disk.
 */
function watchTurns(): { longest(): number; reset(): void } {
  let longest = 0
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
  }, LOOK_MS).unref()
  return {
    longest: () => longest,
    reset() {
      longest = 0
      before = process.threadCpuUsage()
    }
  }
}
