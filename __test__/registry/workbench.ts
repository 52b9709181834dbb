/**
 * What most tests of the registry share: a made-up network with its clock, daemons on it, and tasks that are waited
 * for.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import type { TaskView } from '../../src/views/task.ts'
import { until } from './claims/fakes.ts'
import { ManualClock } from '../time/manual-clock.ts'
import { FakeWorld } from './fake-world.ts'
import { startNode, type TestNode, type TestNodeOptions } from './test-node.ts'

export const ALICE = 'alice.chronym'
export const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
export const SECOND = 1000
export const DAY = 24 * 60 * 60 * SECOND

/** An error of the service with that code. */
export const code = (expected: string): Error => expect.objectContaining({ code: expected }) as Error

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

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chronym-registry-'))
    clock = new ManualClock()
    world = new FakeWorld(clock, 5)
    started = 0
  })

  afterEach(async () => {
    await closeAll()
    await rm(dataDir, { recursive: true, force: true })
  })

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
    held: (name = ALICE) => world.peers[1]!.reveals.get(name)!.reveal
  }
}
