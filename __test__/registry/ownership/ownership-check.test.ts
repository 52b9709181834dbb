import { decode, encode } from 'cborg'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keys, prefixes } from '../../../src/store/keys.ts'
import { StoreError } from '../../../src/store/types.ts'
import { until } from '../claims/fakes.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, SECOND, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

it('no name that is stored here for others stays in memory', () => {
  const set = vi.spyOn(Map.prototype, 'set')
  node.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: 'other.chronym', state: 'settled' } })
  const keeping = (set.mock.contexts as Map<unknown, unknown>[]).filter((map) => map.has('other.chronym'))
  set.mockRestore()
  expect(keeping).toEqual([])
})

describe('a name of ours that peers give to another key', () => {
  /** Another daemon's claim replaces ours at `count` peers, as an earlier claim does in a contest. */
  async function replaceAt(count: number, state: 'fresh' | 'settled'): Promise<void> {
    const other = await start({ seed: 2, self: 'peer-1' })
    bench.holdEverywhere(undefined)
    node.network.mode = 'offline'
    await registered(other)
    node.network.mode = 'full'
    const theirs = held()
    const ours = node.network.own.get(ALICE)!
    for (const [index, peer] of bench.world.peers.entries())
      peer.reveals.set(ALICE, index <= count ? { state, reveal: theirs } : { state, reveal: ours })
  }

  /** At the next look. */
  async function becomes(state: string): Promise<void> {
    await bench.clock.advance(40 * SECOND)
    await until(() => node.registry.ownedNames()[0]!.state === state)
  }

  let events: string[]
  beforeEach(async () => {
    await registered()
    events = []
    node.registry.subscribe(({ type, detail }) => events.push(`${type} ${detail.name}`))
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'live' }])
  })

  it('is lost once they have settled on it, and says so', async () => {
    await replaceAt(5, 'settled')
    await becomes('lost')
    expect(events).toEqual([`name:lost ${ALICE}`])
    await expect(node.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
  })

  it('uses the finished proof of its second registration once it is free, not the claim that lost', async () => {
    const kept = node.store.get(keys.proof('register', ALICE))!
    await replaceAt(5, 'settled')
    await becomes('lost')
    bench.holdEverywhere(undefined)
    // As if the first one was cancelled just after it was sent.
    node.store.put(keys.proof('register', ALICE), encode({ ...(decode(kept) as object), spent: false }))
    expect(await node.registry.estimate(ALICE)).toMatchObject({ kind: 'register', proof_kept: false })
    node.network.fail('reveal')
    const { task_id } = await node.registry.register(ALICE, {})
    expect(await bench.finish(node, task_id)).toMatchObject({ status: 'failed' })
    node.network.before = () => undefined
    expect(await node.registry.estimate(ALICE)).toMatchObject({ kind: 'register', proof_kept: true })
    const evaluations = node.pool.evaluations.length
    await registered()
    expect(node.pool.evaluations).toHaveLength(evaluations)
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'live' }])
  })

  it('is still lost after a restart', async () => {
    await replaceAt(5, 'settled')
    await becomes('lost')
    const again = await start({ store: node.store })
    expect(again.registry.ownedNames()).toMatchObject([{ name: ALICE, state: 'lost' }])
  })

  it('is contested while they have not, and held again when they come back', async () => {
    await replaceAt(5, 'fresh')
    await becomes('contested')
    bench.holdEverywhere(node.network.own.get(ALICE))
    await becomes('live')
    expect(events).toEqual([`name:contested ${ALICE}`, `name:held ${ALICE}`])
  })

  it('is only contested when seen settled as ours; another record in our own store triggers a look', async () => {
    await bench.clock.advance(40 * SECOND)
    await replaceAt(5, 'settled')
    node.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })
    await until(() => node.registry.ownedNames()[0]!.state === 'contested')
  })

  it('is only contested where most of those who should hold it are silent', async () => {
    await replaceAt(2, 'settled')
    for (const peer of bench.world.peers.slice(3)) peer.silent = 'no-answer'
    await becomes('contested')
    expect(events).toEqual([`name:contested ${ALICE}`])
  })

  it('is found out about though the disk failed at the look before', async () => {
    await replaceAt(5, 'settled')
    const list = node.store.list.bind(node.store)
    let failures = 0
    node.store.list = (prefix) => {
      if (prefix !== prefixes.ownedNames) return list(prefix)
      failures++
      throw new StoreError('failing', 'no disk')
    }
    await bench.clock.advance(40 * SECOND)
    await until(() => failures > 0)
    node.store.list = list
    await becomes('lost')
  })

  it('stays live while nobody answers', async () => {
    await replaceAt(5, 'settled')
    for (const peer of bench.world.peers) peer.away = true
    await bench.clock.advance(40 * SECOND)
    expect(node.registry.ownedNames()).toMatchObject([{ state: 'live' }])
    expect(events).toEqual([])
  })
})
