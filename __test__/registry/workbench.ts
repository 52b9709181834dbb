/**
 * What most tests of the registry share: a made-up network with its clock, daemons on it, and tasks that are waited
 * for.
 */
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { nameKey } from '../../src/protocol/crypto/keys.ts'
import { signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { serializeZone, type Zone } from '../../src/protocol/zone/zone.ts'
import type { TaskView } from '../../src/views/task.ts'
import { temporary } from '../temporary.ts'
import { MemoryStore, until } from './claims/fakes.ts'
import { ManualClock } from '../time/manual-clock.ts'
import type { RevealAnswer } from '../../src/network/types.ts'
import { FakeWorld } from './fake-world.ts'
import { profile } from './test-profile.ts'
import { startNode, type TestNode, type TestNodeOptions } from './test-node.ts'

export const ALICE = 'alice.chronym'
export const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
export const SECOND = 1000
export const DAY = 24 * 60 * 60 * SECOND

/** An error of the service with that code, and what else it has. */
export const code = (expected: string, more: object = {}): Error =>
  expect.objectContaining({ code: expected, ...more }) as Error

/** A store of the same contents: a backup, or that of another daemon with the same seed. */
export function copyOf(node: TestNode): MemoryStore {
  const store = new MemoryStore()
  store.batch(Array.from(node.store.list(''), ([put, value]) => ({ put, value })))
  return store
}

/** Saves a zone and publishes it. */
export function publish(node: TestNode, zone: unknown, name = ALICE): Promise<{ serial: number }> {
  node.registry.saveZone(name, zone)
  return node.registry.publishZone(name)
}

/** Signed again by the first seed, with another payload. */
export function withPayload(reveal: Reveal, payload: Uint8Array): Reveal {
  const hash = profileHash(profile)
  return signReveal({ ...reveal, payload }, nameKey(new Uint8Array(32).fill(1), hash, ALICE as Name), hash)
}

/** Signed again by the first seed, with another zone. */
export const withZone = (reveal: Reveal, serial: number, zone: Zone = { records: {} }): Reveal =>
  withPayload(reveal, serializeZone(zone, serial, profile))

export interface Workbench {
  readonly clock: ManualClock
  /** Five peers. */
  readonly world: FakeWorld
  /** A daemon, `peer-0` unless it is said otherwise (`self`); closed after the test. */
  readonly start: (options?: Partial<TestNodeOptions>) => Promise<TestNode>
  /** Closes all daemons that were started. */
  readonly closeAll: () => Promise<void>
  /** Runs the clock until the task has ended. The clock stops while the task works: files take real time. */
  readonly finish: (at: TestNode, taskId: string) => Promise<TaskView>
  /** Registers a name, at the first daemon if it is not said where. */
  readonly registered: (at?: TestNode, name?: string) => Promise<void>
  /** Renews a name. */
  readonly renewed: (at: TestNode, options?: { zone?: unknown }) => Promise<void>
  /** Has every peer hold this record, or none. */
  readonly holdEverywhere: (reveal: Reveal | undefined, state?: RevealAnswer['state']) => void
  /** Has every peer refuse what it is sent, with this code; or take it again. */
  readonly refuseEverywhere: (code: string | undefined) => void
  /** What another peer holds. */
  readonly held: (name?: string) => Reveal
}

/** New before each test of the file. */
export function useWorkbench(): Workbench {
  const open: TestNode[] = []
  let dataDir: string
  let clock: ManualClock
  let world: FakeWorld
  let started: number

  const closeAll = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((node) => node.close()))
  }
  const finish = async (at: TestNode, taskId: string): Promise<TaskView> => {
    const view = (): TaskView => at.tasks.get(taskId)!
    while (view().status === 'running') {
      await until(() => view().phase !== 'evaluate' && view().phase !== 'prove')
      if (view().status === 'running') await clock.advance(SECOND)
    }
    return view()
  }

  beforeEach(() => {
    dataDir = temporary()
    clock = new ManualClock()
    world = new FakeWorld(clock, 5)
    started = 0
  })

  afterEach(closeAll)

  return {
    get clock() {
      return clock
    },
    get world() {
      return world
    },
    async start(options = {}) {
      const node = await startNode({
        world,
        clock,
        dataDir: join(dataDir, String(started++)),
        self: 'peer-0',
        ...options
      })
      open.push(node)
      return node
    },
    closeAll,
    finish,
    async registered(at = open[0]!, name = ALICE) {
      const { task_id } = await at.registry.register(name, {})
      expect(await finish(at, task_id)).toMatchObject({ status: 'completed', error: null })
    },
    async renewed(at, options = {}) {
      const { task_id } = await at.registry.renew(ALICE, options)
      expect(await finish(at, task_id)).toMatchObject({ status: 'completed', error: null })
    },
    holdEverywhere(reveal, state = 'settled') {
      for (const peer of world.peers)
        if (reveal === undefined) peer.reveals.delete(ALICE)
        else peer.reveals.set(ALICE, { state, reveal })
    },
    refuseEverywhere(refused) {
      for (const peer of world.peers) peer.refuses = refused
    },
    held: (name = ALICE) => world.peers[1]!.reveals.get(name)!.reveal
  }
}
