/** A whole node of a test. */
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/registry.ts'
import { createClaimSteps } from '../../src/registry/claims/steps.ts'
import type { Registry } from '../../src/registry/use-cases.ts'
import { createContext, type RegistryParts } from '../../src/registry/context.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { createTaskManager } from '../../src/registry/claims/tasks.ts'
import type { ClaimTasks } from '../../src/registry/tasks.ts'
import { MemoryStore, silentLog } from './claims/fakes.ts'
import type { ManualClock } from '../time/manual-clock.ts'
import { FakeBeacon } from './fake-beacon.ts'
import { FakeWorkers } from './fake-workers.ts'
import { FakeNetwork } from './fake-network.ts'
import { FakeWorld } from './fake-world.ts'
import { profile } from './test-profile.ts'

export interface TestNode {
  readonly registry: Registry
  readonly tasks: ClaimTasks
  readonly network: FakeNetwork
  readonly beacon: FakeBeacon
  readonly pool: FakeWorkers
  readonly store: MemoryStore
  readonly dependencies: RegistryParts
  readonly seed: SeedHolder
  /** With its own seed. */
  unlock(): void
  start(): Promise<void>
  close(): Promise<void>
}

export interface TestNodeOptions {
  readonly world: FakeWorld
  readonly clock: ManualClock
  readonly dataDir: string
  /** Left out, or undefined: a light node. */
  readonly self?: string | undefined
  readonly seed?: number
  /** It starts without its seed. */
  readonly isLocked?: boolean
  readonly store?: MemoryStore
  readonly registry?: RegistryOptions
  readonly profile?: NetworkProfile
  readonly codes?: readonly string[]
  /** 0 <= x < 1; default: always 0. */
  readonly random?: () => number
  /** No beacon answers, from the start on. */
  readonly isBeaconDown?: boolean
}

export async function startNode(options: TestNodeOptions): Promise<TestNode> {
  const node = createNode(options)
  await node.start()
  return node
}

/**
 * A whole node but for network, beacon and kernel: the parts as the daemon puts them together. Before its start it
 * answers, and does nothing by itself: its tasks stay queued.
 */
export function createNode(options: TestNodeOptions): TestNode {
  const { world, clock, dataDir } = options
  const network = new FakeNetwork(world, options.self)
  const beacon = new FakeBeacon(clock, options.isBeaconDown)
  const pool = new FakeWorkers()
  const store = options.store ?? new MemoryStore()
  const seed = new SeedHolder(options.isLocked === true ? undefined : new Uint8Array(32).fill(options.seed ?? 1))
  const rules = options.profile ?? profile
  const roundClock = createRoundClock(beacon, rules, store, () => clock.now())
  const dependencies: RegistryParts = {
    profile: rules,
    store,
    network,
    beacon,
    pool,
    seed,
    clock,
    roundClock,
    log: silentLog,
    random: options.random ?? (() => 0),
    codes: options.codes
  }
  const context = createContext(dependencies)
  const tasks = createTaskManager({
    store,
    dataDir,
    pool,
    seed,
    steps: createClaimSteps(context),
    options: { maxTasks: 1, queue: 10, checkpointSeconds: 10 },
    clock,
    certainMs: () => 0,
    log: silentLog
  })
  const registry = createRegistry(context, tasks, options.registry)
  return {
    registry,
    tasks,
    network,
    beacon,
    pool,
    store,
    dependencies,
    seed,
    unlock: () => seed.unlock(new Uint8Array(32).fill(options.seed ?? 1)),
    async start() {
      await tasks.start()
      await registry.start()
    },
    async close() {
      await registry.stop()
      await tasks.stop()
    }
  }
}
