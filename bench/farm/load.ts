/** What the server does for many workers: real messages of workers that square nothing. */
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import type { FarmView } from '../../src/views/farm.ts'
import { say } from '../network/scratch.ts'
import { latencies } from '../network/waiting.ts'
import { BITS, MEMORY_BYTES } from '../tasks/real-tasks.ts'
import { processorSeconds, RECORD_BYTES, startDaemon, startServer, startSimulated } from './scene.ts'

/** `alice.chronym` on `main`: a day of squaring. */
export const DAY_OF_SQUARING = 28_800_000_000
/** Intermediate records a second of one worker. */
export const RECORDS_PER_SECOND = MEMORY_BYTES / RECORD_BYTES / (24 * 60 * 60)
/** As it is by default. */
const CHECKPOINT_SECONDS = 10
const WORKERS_A_PROCESS = 250
const PROBE_MS = 100

export interface ServerLoad {
  readonly workers: number
  readonly seconds: number
  readonly connections: number
  /** Shares of a core. */
  readonly server_cores: number
  readonly daemon_cores: number
  readonly workers_cores: number
  readonly server_mib: number
  readonly messages_in_per_second: number
  readonly messages_out_per_second: number
  readonly kb_in_per_second: number
  readonly kb_out_per_second: number
  readonly round_trip_p50_ms: number
  readonly round_trip_max_ms: number
  /** Workers that the daemon has heard within the last eight seconds, at the end. */
  readonly heard: number
}

export async function measureLoad(workers: number, seconds: number): Promise<ServerLoad> {
  const server = await startServer()
  const daemon = startDaemon(server.url)
  const processes = Array.from({ length: Math.ceil(workers / WORKERS_A_PROCESS) }, (_, index) => {
    const first = index * WORKERS_A_PROCESS
    return startSimulated(server.url, first, Math.min(WORKERS_A_PROCESS, workers - first), RECORDS_PER_SECOND)
  })
  await daemon.ask({ do: 'room', count: workers })
  say(`${workers} workers are there`)
  const plan = { discriminantBits: BITS, iterations: DAY_OF_SQUARING, split: null, memoryBytes: MEMORY_BYTES }
  await daemon.ask({ do: 'hold', count: workers, plan: { ...plan, checkpointSeconds: CHECKPOINT_SECONDS } })
  say('each has a task')
  // The first checkpoints.
  await delay(2 * CHECKPOINT_SECONDS * 1000)
  const used = () => ({
    server: processorSeconds(server.pid),
    daemon: processorSeconds(daemon.pid),
    workers: processes.reduce((sum, { pid }) => sum + processorSeconds(pid), 0)
  })
  const probe = await connect({ servers: server.url })
  const [seenBefore, before, beganMs] = [await server.seen(), used(), performance.now()]
  const roundTrips: number[] = []
  while (performance.now() - beganMs < seconds * 1000) {
    roundTrips.push(await probe.rtt())
    await delay(PROBE_MS)
  }
  const took = (performance.now() - beganMs) / 1000
  const [seen, after] = [await server.seen(), used()]
  const view = await daemon.ask<FarmView>({ do: 'view' })
  await probe.close()
  for (const each of processes) await each.kill()
  daemon.close()
  await server.stop()
  const { p50_ms, max_ms } = latencies(roundTrips)
  const each = (amount: number): number => Number((amount / took).toPrecision(3))
  return {
    workers,
    seconds,
    connections: seen.connections,
    server_cores: each(after.server - before.server),
    daemon_cores: each(after.daemon - before.daemon),
    workers_cores: each(after.workers - before.workers),
    server_mib: Math.round(seen.mem / 2 ** 20),
    messages_in_per_second: each(seen.in_msgs - seenBefore.in_msgs),
    messages_out_per_second: each(seen.out_msgs - seenBefore.out_msgs),
    kb_in_per_second: each((seen.in_bytes - seenBefore.in_bytes) / 1000),
    kb_out_per_second: each((seen.out_bytes - seenBefore.out_bytes) / 1000),
    round_trip_p50_ms: p50_ms,
    round_trip_max_ms: max_ms,
    heard: view.workers.length
  }
}
