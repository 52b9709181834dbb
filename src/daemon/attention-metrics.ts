/** What /metrics shows for alerts: the checks of readiness, each lease, the beacon's age, the disk. */
import { isStillOurs } from '../views/own.ts'
import { statfsSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'
import type { ReadinessCheck } from '../views/readiness.ts'
import type { BeaconClient } from '../beacon/types.ts'
import type { Registry as NameRegistry } from '../registry/use-cases.ts'

export interface AttentionSources {
  readonly readiness: () => readonly ReadinessCheck[]
  readonly beacon: Pick<BeaconClient, 'latest' | 'now'>
  readonly registry: Pick<NameRegistry, 'ownedNames'>
  readonly dataDir: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Adds the gauges; they read their values when they are scraped. */
export function observeAttention(
  registry: Registry,
  { readiness, beacon, registry: names, dataDir, now }: AttentionSources
): void {
  const registers = [registry]
  observeChecks(registers, readiness)
  new Gauge({
    name: 'chronym_lease_end_seconds',
    help: 'Until the lease of a name of this daemon ends; below zero in its grace, absent for lost and lapsed names',
    labelNames: ['name'],
    registers,
    collect() {
      this.reset()
      for (const { name, state, lease_end: end } of names.ownedNames())
        if (isStillOurs(state)) this.set({ name }, Math.round((Date.parse(end) - now()) / 1000))
    }
  })
  new Gauge({
    name: 'chronym_beacon_rounds_behind',
    help: 'Rounds of the beacon since the highest verified one; absent before the first',
    registers,
    collect() {
      const latest = beacon.latest()
      this.remove()
      if (latest !== undefined) this.set(Math.max(0, beacon.now() - latest.round))
    }
  })
  new Gauge({
    name: 'chronym_disk_free_bytes',
    help: 'Free for this user on the disk of the data directory',
    registers,
    collect() {
      const { bavail, bsize } = statfsSync(dataDir)
      this.set(bavail * bsize)
    }
  })
}

function observeChecks(registers: Registry[], readiness: () => readonly ReadinessCheck[]): void {
  const gauge = (name: string, help: string, holds: (check: ReadinessCheck) => boolean): void => {
    new Gauge({
      name,
      help,
      labelNames: ['check'],
      registers,
      collect() {
        this.reset()
        for (const check of readiness()) this.set({ check: check.name }, holds(check) ? 1 : 0)
      }
    })
  }
  gauge('chronym_check_ok', 'Whether a check of /readyz is met', ({ ok }) => ok)
  gauge('chronym_check_warning', 'Whether a check of /readyz needs attention', ({ warning }) => warning === true)
}
