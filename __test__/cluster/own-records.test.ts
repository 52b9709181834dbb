import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Lab, labProfile } from '../network/lab.ts'
import { OfflineError } from '../../src/network/types.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { keys } from '../../src/store/keys.ts'
import { waitFor } from '../wait-for.ts'

let lab: Lab

beforeEach(() => {
  lab = new Lab()
})

afterEach(() => lab.close())

describe('records of our own', () => {
  it('are sent again by themselves until somebody takes them', async () => {
    await lab.close()
    lab = new Lab(labProfile({ scope: 'test', answers_per_prefix: 0 }))
    const first = await lab.addNode()
    const reveal = lab.reveal('again.chronym', lab.owner('alice'), { p: lab.round })
    await expect(first.network.putReveal(reveal)).rejects.toThrow(OfflineError)
    const second = await lab.addNode()
    await lab.connected()
    expect(second.network.status().records).toBe(0)
    lab.advance(5_400)
    await waitFor(() => {
      // At the place of its name and at that of its check code.
      expect(second.network.status().records).toBe(2)
    })
    // On a network of many machines our own store does not count as one of those who hold it.
    expect(await first.network.putReveal(reveal)).toMatchObject({ storedBy: 1, of: 1 })
  })

  it('are not sent again once they are withdrawn, and what stood before is', async () => {
    await lab.close()
    lab = new Lab(labProfile({ scope: 'test', answers_per_prefix: 0 }))
    const first = await lab.addNode()
    const reveal = lab.reveal('again.chronym', lab.owner('alice'), { p: lab.round })
    const other = lab.reveal('other.chronym', lab.owner('alice'), { p: lab.round })
    await expect(first.network.putReveal(reveal)).rejects.toThrow(OfflineError)
    await expect(first.network.putReveal(other)).rejects.toThrow(OfflineError)
    first.network.withdrawReveal('again.chronym', undefined)
    expect(first.store.get(keys.ownRecord('reveal', 'again.chronym'))).toBeUndefined()
    const second = await lab.addNode()
    await lab.connected()
    lab.advance(5_400)
    await waitFor(() => {
      // At the place of its name and at that of its check code.
      expect(second.network.status().records).toBe(2)
    })
    expect((await second.network.getReveals('again.chronym')).answers.every(({ state }) => state === 'none')).toBe(true)
    const newer = lab.updated(reveal, lab.owner('alice'), 9)
    await first.network.putReveal(newer)
    first.network.withdrawReveal('again.chronym', reveal)
    expect(first.store.get(keys.ownRecord('reveal', 'again.chronym'))).toEqual(encodeReveal(reveal))
  })

  it('reach nobody, and are not kept, once their signal is aborted', async () => {
    const [first, second] = await lab.addNodes(2)
    const reveal = await lab.claim(first!, 'aborted.chronym', lab.owner('alice'))
    const abort = new AbortController()
    abort.abort(new Error('cancelled'))
    await expect(first!.network.putReveal(reveal, { signal: abort.signal })).rejects.toThrow('cancelled')
    await expect(
      first!.network.commit('aborted.chronym', new Uint8Array(32), new Uint8Array(8), abort.signal)
    ).rejects.toThrow('cancelled')
    expect(first!.store.get(keys.ownRecord('reveal', 'aborted.chronym'))).toBeUndefined()
    expect([first!.network.status().records, second!.network.status().records]).toEqual([0, 0])
  })

  it('are neither stored nor sent before what must come first, and not at all where that fails', async () => {
    const [first, second] = await lab.addNodes(2)
    const reveal = await lab.claim(first!, 'first.chronym', lab.owner('alice'))
    const [asked, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const putting = first!.network.putReveal(reveal, {
      first: () => {
        asked.resolve(undefined)
        return gate.promise
      }
    })
    await asked.promise
    const held = (): unknown[] => [
      first!.store.get(keys.ownRecord('reveal', 'first.chronym')),
      second!.network.status().records
    ]
    // The holders are known once another question has been answered.
    await first!.network.getReveals('other.chronym')
    expect(held()).toEqual([undefined, 0])
    gate.reject(new Error('published elsewhere'))
    await expect(putting).rejects.toThrow('published elsewhere')
    expect(held()).toEqual([undefined, 0])
    expect(await first!.network.putReveal(reveal, { first: () => Promise.resolve() })).toMatchObject({ storedBy: 2 })
  })

  it('are not replaced by an older one that is published later', async () => {
    const node = await lab.addNode()
    const owner = lab.owner('alice')
    const reveal = await lab.claim(node, 'older.chronym', owner)
    const newer = lab.updated(reveal, owner, 9)
    await node.network.putReveal(newer)
    await node.network.putReveal(reveal)
    expect(node.store.get(keys.ownRecord('reveal', 'older.chronym'))).toEqual(encodeReveal(newer))
  })
})
