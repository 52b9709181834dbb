import { beforeEach, describe, expect, it } from 'vitest'
import { clockRound } from '../../../src/protocol/time.ts'
import { MemoryStore } from './fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, publish, useWorkbench, withZone, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

describe('the manual flow', () => {
  it('sends a commitment and says who stored it', async () => {
    const now = clockRound(bench.clock.now(), profile.beacon)
    expect(await node.registry.commit(ALICE, new Uint8Array(32))).toEqual({
      stored_by: 5,
      of: 5,
      pulse_round: now + profile.min_commit
    })
    await expect(node.registry.commit(ALICE, new Uint8Array(31))).rejects.toThrow(code('SVC-REQ-001'))
    await expect(node.registry.commit('x', new Uint8Array(32))).rejects.toThrow(code('SVC-NAM-001'))
    bench.refuseEverywhere('busy')
    await expect(node.registry.commit(ALICE, new Uint8Array(32))).rejects.toThrow(code('SVC-PUB-002'))
    await node.registry.setMode('offline')
    await expect(node.registry.commit(ALICE, new Uint8Array(32))).rejects.toThrow(code('SVC-RES-001'))
  })

  it('publishes a Reveal that is valid, and names the rule that another breaks', async () => {
    await registered()
    const reveal = held()
    const other = await start({ self: 'peer-1', seed: 2 })
    expect(await other.registry.publish(reveal)).toEqual({ stored_by: 5, of: 5 })
    expect(other.registry.ownedNames()).toEqual([])
    const forged = { ...reveal, signature: reveal.signature.map((byte) => byte ^ 1) }
    await expect(other.registry.publish(forged)).rejects.toThrow(
      code('SVC-PUB-001', { extensions: { rule: 'signature' } })
    )
  })

  it('owns a name whose Reveal too few peers have stored so far: it is sent again by itself', async () => {
    const other = await start({ self: 'peer-1', store: new MemoryStore() })
    await registered()
    const reveal = held()
    expect(other.registry.ownedNames()).toEqual([])
    bench.refuseEverywhere('busy')
    await expect(other.registry.publish(reveal)).rejects.toThrow(code('SVC-PUB-002'))
    expect(other.registry.ownedNames()).toMatchObject([{ name: ALICE, published_serial: 0 }])
  })

  it('refuses a second claim of a name that this daemon owns, whose place it must not take', async () => {
    const other = await start({ self: 'peer-1', store: new MemoryStore() })
    await registered(other)
    const second = held()
    bench.holdEverywhere(undefined)
    await registered()
    const first = held()
    expect(first.pubkey).toEqual(second.pubkey)
    await expect(node.registry.publish(second)).rejects.toThrow(
      code('SVC-REG-001', { message: expect.stringContaining('chronym renew') as string })
    )
    expect(node.network.own.get(ALICE)).toEqual(first)
    // The peers report the conflict to a daemon that knows of none.
    const unaware = await start({ self: 'peer-2', store: new MemoryStore() })
    await expect(unaware.registry.publish(second)).rejects.toThrow(code('SVC-REG-001'))
  })

  it('refuses a Reveal older than the published one, also at a daemon that never saw the newer', async () => {
    await registered()
    const older = held()
    await publish(node, ZONE)
    const other = await start({ self: 'peer-1', seed: 2 })
    const stale = code('SVC-PUB-001', { extensions: { rule: 'stale' } })
    await expect(node.registry.publish(older)).rejects.toThrow(stale)
    await expect(other.registry.publish(older)).rejects.toThrow(stale)
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
    expect(await node.registry.publish(held())).toEqual({ stored_by: 5, of: 5 })
  })

  it('refuses a serial ahead of time, above which there would be none for later changes', async () => {
    await registered()
    const ahead = withZone(held(), Number.MAX_SAFE_INTEGER)
    const refused = code('SVC-PUB-001', {
      message: expect.stringContaining('Sign the record again with a lower serial') as string,
      extensions: { rule: 'serial' }
    })
    await expect(node.registry.publish(ahead)).rejects.toThrow(refused)
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 2 })
  })

  it('says SVC-REG-001 when the name is another key’s', async () => {
    const other = await start({ self: 'peer-1', seed: 2 })
    await registered(other)
    const theirs = held()
    for (const peer of bench.world.peers) peer.reveals.clear()
    await registered()
    await expect(other.registry.publish(theirs)).rejects.toThrow(code('SVC-REG-001'))
  })
})
