/** What /metrics shows of the daemon; the HTTP interface adds its own histograms. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { BeaconClient } from './beacon/types.ts'
import type { Network } from './network/types.ts'
import type { TaskManager, TaskView } from './tasks/types.ts'

export interface MetricSources {
  readonly network: Network
  readonly beacon: BeaconClient
  readonly tasks: TaskManager
  readonly version: string
}

const stateOf = (task: TaskView) => (task.status === 'running' ? (task.paused ? 'paused' : task.phase) : task.status)

/** Gauges read their value when they are scraped. Units are in the names, as Prometheus asks. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Adds the daemon's own gauges; returns the function that ends their subscriptions. */
export function observe(registry: Registry, { network, beacon, tasks, version }: MetricSources): () => void {
  const registers = [registry]
  new Gauge({ name: 'chronym_info', help: 'Version of the daemon', labelNames: ['version'], registers }).set({ version }, 1)
  new Gauge({
    name: 'chronym_peers',
    help: 'Connected peers',
    registers,
    collect() {
      this.set(network.status().peers)
    }
  })
  new Gauge({
    name: 'chronym_records',
    help: 'Records held for the network',
    registers,
    collect() {
      this.set(network.status().records)
    }
  })
  new Gauge({
    name: 'chronym_beacon_round',
    help: 'Highest verified round of the beacon',
    registers,
    collect() {
      this.set(beacon.latest()?.round ?? 0)
    }
  })
  new Gauge({
    name: 'chronym_tasks',
    help: 'Tasks by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset()
      for (const task of tasks.list()) this.inc({ state: stateOf(task) })
    }
  })
  new Gauge({
    name: 'chronym_squarings_per_second',
    help: 'Squarings per second of all running evaluations',
    registers,
    collect() {
      this.set(tasks.list().reduce((sum, task) => sum + (task.phase === 'evaluate' ? (task.iterations_per_second ?? 0) : 0), 0))
    }
  })
  const ended = new Counter({ name: 'chronym_tasks_ended_total', help: 'Tasks that ended', labelNames: ['result'], registers })
  return tasks.subscribe(({ type }) => {
    if (type === 'completed' || type === 'failed') ended.inc({ result: type })
  })
}
