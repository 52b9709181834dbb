import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Lab, labProfile } from '../network/lab.ts'
import { createNetwork } from '../../src/network/network.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { ListenError, OfflineError } from '../../src/network/types.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import pino from 'pino'
import { waitFor } from '../wait-for.ts'

let lab: Lab

beforeEach(() => {
  lab = new Lab()
})

afterEach(() => lab.close())

describe('one node', () => {
  it('is enough on a network of this machine: it counts itself as a holder', async () => {
    const node = await lab.addNode()
    expect(node.network.status()).toMatchObject({ status: 'online', peers: 0, mode: 'full', records: 0 })
    const owner = lab.owner('alice')
    const committed = await lab.commit(node, 'alone.chronym', owner)
    expect(committed).toMatchObject({
      of: 1,
      receipts: [{ seenRound: lab.round, peer: node.network.status().peer_id }]
    })
    lab.advance(lab.profile.min_commit)
    const reveal = lab.reveal('alone.chronym', owner, { p: lab.round })
    expect(await node.network.putReveal(reveal)).toEqual({ storedBy: 1, of: 1, refusals: [] })
    const found = await node.network.getReveals('alone.chronym')
    expect(found).toMatchObject({ asked: 1, answers: [{ self: true, state: 'fresh', reveal }] })
    expect((await node.network.probe('alone.chronym')).answers).toMatchObject([{ self: true, state: 'fresh' }])
    expect(node.network.status().records).toBe(2)
  })

  it('cannot ask while it has met none of its bootstrap peers', async () => {
    const first = await lab.addNode()
    expect(first.network.canAsk()).toBe(true)
    const gone = '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5'
    const alone = await lab.addNode({ bootstrap: [gone] })
    expect(alone.network.status()).toMatchObject({ status: 'connecting', peers: 0 })
    expect(alone.network.canAsk()).toBe(false)
    await alone.network.dial(first.address)
    await waitFor(() => expect(alone.network.canAsk()).toBe(true))
  })

  it('is offline on any other network', async () => {
    await lab.close()
    lab = new Lab(labProfile({ scope: 'test' }))
    const node = await lab.addNode()
    expect(node.network.status().status).toBe('connecting')
    const commitment = lab.commitment('alone.chronym', lab.owner('alice'))
    await expect(node.network.commit('alone.chronym', commitment, lab.stamp(commitment))).rejects.toThrow(OfflineError)
    await expect(node.network.getReveals('alone.chronym')).rejects.toThrow('no peer of this network is connected')
  })

  it('refuses to listen, announce or join beyond this machine on a network that is for this machine only', async () => {
    const node = await lab.addNode()
    for (const [listen, bootstrap] of [
      [['/ip4/0.0.0.0/tcp/0'], []],
      [['/ip4/192.0.2.1/tcp/0'], []],
      [['/dns4/localhost/tcp/0'], []],
      [['/ip4/127.0.0.1/tcp/0'], ['/ip4/192.0.2.1/tcp/7469/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5']]
    ] as const) {
      const network = createNetwork({ ...networkOptions(node.store), listen, bootstrap })
      await expect(network.start()).rejects.toThrow(ListenError)
    }
  })

  it('names the address that is taken', async () => {
    const node = await lab.addNode()
    const taken = node.address.replace(/\/p2p\/.*/, '')
    const network = createNetwork({ ...networkOptions(node.store), listen: [taken], bootstrap: [] })
    await expect(network.start()).rejects.toThrow(taken)
  })

  it('says which text is not an address', async () => {
    const node = await lab.addNode()
    await expect(
      createNetwork({ ...networkOptions(node.store), listen: ['127.0.0.1:7469'], bootstrap: [] }).start()
    ).rejects.toThrow('"127.0.0.1:7469" is not a multiaddr')
  })
})

function networkOptions(store: Parameters<typeof createNetwork>[0]['store']) {
  return {
    profile: builtInProfiles.local,
    store,
    nodeSeed: new Uint8Array(32).fill(9),
    beacon: lab.beacon,
    pool: lab.pool,
    clock: createRoundClock(lab.beacon, builtInProfiles.local, store, Date.now),
    mode: 'full' as const,
    log: pino({ level: 'silent' })
  }
}
