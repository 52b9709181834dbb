import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBareNode } from '../network/bare-node.ts'
import { FIRST_ROUND, Lab, labProfile } from '../network/lab.ts'
import { createNetwork } from '../../src/network/network.ts'
import { createRoundClock } from '../../src/time/round-clock.ts'
import { ListenError, OfflineError, type NetworkEvent } from '../../src/network/types.ts'
import { registryProtocol } from '../../src/network/wire/messages.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in-profiles.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { keys } from '../../src/store/keys.ts'
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
    expect(node.network.status().records).toBe(1)
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

  it('says which text is no address', async () => {
    const node = await lab.addNode()
    await expect(
      createNetwork({ ...networkOptions(node.store), listen: ['127.0.0.1:7469'], bootstrap: [] }).start()
    ).rejects.toThrow('"127.0.0.1:7469" is not a multiaddr')
  })
})

describe('modes', () => {
  it('light stores nothing for others and answers nobody, but resolves and publishes', async () => {
    const [first, second] = await lab.addNodes(2)
    const light = await lab.addNode({ mode: 'light' })
    await waitFor(() => {
      expect(light.network.knownPeers()).toBe(2)
    })
    expect(first!.network.knownPeers()).toBe(1)

    const owner = lab.owner('alice')
    const reveal = await lab.claim(light, 'light.chronym', owner)
    expect(await light.network.putReveal(reveal)).toEqual({ storedBy: 2, of: 2, refusals: [] })
    const found = await light.network.getReveals('light.chronym')
    expect(found.asked).toBe(2)
    expect(found.answers.every(({ self, state }) => !self && state === 'fresh')).toBe(true)
    expect(light.network.status().records).toBe(0)
    expect((await second!.network.getReveals('light.chronym')).asked).toBe(2)
  })

  it('change while the node runs: full, light, offline and back', async () => {
    const [first, second] = await lab.addNodes(2)
    const events: NetworkEvent[] = []
    second!.network.subscribe((event) => events.push(event))
    await second!.network.setMode('light')
    await waitFor(() => {
      expect(first!.network.knownPeers()).toBe(0)
    })
    const reveal = await lab.claim(first!, 'modes.chronym', lab.owner('alice'))
    expect(await first!.network.putReveal(reveal)).toMatchObject({ storedBy: 1, of: 1 })
    expect(second!.network.status()).toMatchObject({ mode: 'light', records: 0 })

    await second!.network.setMode('full')
    await lab.connected()
    expect(await first!.network.putReveal(reveal)).toMatchObject({ storedBy: 2, of: 2 })

    await second!.network.setMode('offline')
    expect(second!.network.status()).toMatchObject({ status: 'offline', peers: 0 })
    expect(second!.network.listenAddresses()).toEqual([])
    await expect(second!.network.getReveals('modes.chronym')).rejects.toThrow(OfflineError)
    await expect(second!.network.putReveal(reveal)).rejects.toThrow('mode offline')
    await waitFor(() => {
      expect(first!.network.status().peers).toBe(0)
    })

    await second!.network.setMode('full')
    await waitFor(() => {
      expect(second!.network.status()).toMatchObject({ status: 'online', peers: 1 })
    })
    expect(events.filter(({ type }) => type === 'mode').map(({ detail }) => detail['mode'])).toEqual([
      'light',
      'full',
      'offline',
      'full'
    ])
    expect(events.some(({ type }) => type === 'peer:connect')).toBe(true)
  })

  it('find earlier peers again without bootstrap peers: after offline mode and after a restart', async () => {
    const [first] = await lab.addNodes(3)
    await first!.network.setMode('offline')
    await first!.network.setMode('full')
    lab.advance(5)
    await lab.connected()

    const { directory } = first!
    await lab.stopNode(first!)
    await lab.addNode({ directory, bootstrap: [] })
    lab.advance(5)
    await lab.connected()
  })

  it('store new peers within seconds, and so know them after a kill', async () => {
    const [first] = await lab.addNodes(3)
    expect(first!.store.get(keys.contacts())).toBeUndefined()
    lab.advance(2)
    await waitFor(() => {
      const kept = JSON.parse(Buffer.from(first!.store.get(keys.contacts())!).toString()) as string[]
      for (const { address } of lab.nodes.slice(1)) expect(kept).toContain(address)
    })
  })

  it('get what was published while nobody was there, soon after they are there again', async () => {
    const [first, second] = await lab.addNodes(2)
    const owner = lab.owner('alone')
    await second!.network.setMode('offline')
    await waitFor(() => {
      expect(first!.network.status().peers).toBe(0)
    })
    await first!.network.putReveal(await lab.claim(first!, 'alone.chronym', owner))
    await second!.network.setMode('full')
    await lab.connected()
    const soon = FIRST_ROUND + 600
    await waitFor(async () => {
      if (lab.round + 5 < soon) lab.advance(5)
      expect((await second!.network.getReveals('alone.chronym')).answers.find(({ self }) => self)?.state).not.toBe(
        'none'
      )
    })
  })

  it('can be offline from the start', async () => {
    const node = await lab.addNode({ mode: 'offline' })
    expect(node.network.status().status).toBe('offline')
    await node.network.setMode('full')
    expect(node.network.listenAddresses()).toHaveLength(1)
  })
})

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
      expect(second.network.status().records).toBe(1)
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
      expect(second.network.status().records).toBe(1)
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
    await expect(first!.network.putReveal(reveal, abort.signal)).rejects.toThrow('cancelled')
    await expect(
      first!.network.commit('aborted.chronym', new Uint8Array(32), new Uint8Array(8), abort.signal)
    ).rejects.toThrow('cancelled')
    expect(first!.store.get(keys.ownRecord('reveal', 'aborted.chronym'))).toBeUndefined()
    expect([first!.network.status().records, second!.network.status().records]).toEqual([0, 0])
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

describe('finding peers', () => {
  it('goes on until the peer to join through is there', async () => {
    const seed = new Uint8Array(32).fill(7)
    const before = await lab.addNode({ seed })
    const { address } = before
    await lab.stopNode(before)
    const second = await lab.addNode({ bootstrap: [address] })
    expect(second.network.status()).toMatchObject({ status: 'connecting', peers: 0 })
    await expect(second.network.getReveals('nobody.chronym')).resolves.toMatchObject({ asked: 1 })

    await lab.addNode({ seed, bootstrap: [], listen: address.replace(/\/p2p\/.*/, '') })
    await waitFor(() => {
      lab.advance(2)
      expect(second.network.knownPeers()).toBe(1)
    })
  })

  it('continues for missing peers though others are there: a partitioned network rejoins', async () => {
    const seed = new Uint8Array(32).fill(8)
    const others = await lab.addNodes(2)
    const away = await lab.addNode({ seed })
    await lab.connected()
    const { address } = away
    // Long enough for the peers to be written down.
    lab.advance(60)
    await lab.stopNode(away)
    await waitFor(async () => {
      for (const { network } of others) {
        await network.getReveals('nobody.chronym')
        expect(network.knownPeers()).toBe(1)
      }
    })
    // It restarts without memory and bootstrap peers: the others have to look for it.
    const back = await lab.addNode({ seed, bootstrap: [], listen: address.replace(/\/p2p\/.*/, '') })
    await waitFor(() => {
      lab.advance(2)
      expect(back.network.knownPeers()).toBe(2)
    })
  })

  it('are not online among nodes of another profile only, which they cannot ask', async () => {
    const other = new Lab(labProfile({ settle: 31 }))
    try {
      const { address } = await other.addNode({ seed: new Uint8Array(32).fill(1) })
      const node = await lab.addNode({ bootstrap: [address] })
      await waitFor(() => expect(node.network.status().peers).toBe(1))
      expect(node.network.status()).toMatchObject({ status: 'connecting', peers: 1 })
      const third = await lab.addNode({ bootstrap: [node.address, address] })
      await waitFor(() =>
        expect([node, third].map(({ network }) => network.status().status)).toEqual(['online', 'online'])
      )
    } finally {
      await other.close()
    }
  })

  it('ends when it is told to, whatever it waits for', async () => {
    const node = await lab.addNode()
    let asked = 0
    const silent = await startBareNode(0, lab.profile)
    try {
      await silent.handle(registryProtocol(lab.profile), () => {
        asked++
      })
      await silent.dial(multiaddr(node.address))
      await waitFor(() => expect(node.network.knownPeers()).toBe(1))
      // No question ends by itself.
      vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
      const reveal = lab.reveal('ending.chronym', lab.owner('alice'), { p: lab.round })
      const pending = Promise.allSettled([
        node.network.putReveal(reveal),
        node.network.getReveals('ending.chronym'),
        node.network.probe('ending.chronym')
      ])
      await waitFor(() => expect(asked).toBeGreaterThanOrEqual(3))
      await lab.stopNode(node)
      await pending
    } finally {
      vi.restoreAllMocks()
      await silent.stop()
    }
  })

  it('forgets peers that are gone', async () => {
    const [first, second, third] = await lab.addNodes(3)
    await lab.stopNode(third!)
    const reveal = await lab.claim(first!, 'gone.chronym', lab.owner('alice'))
    expect(await first!.network.putReveal(reveal)).toEqual({ storedBy: 2, of: 2, refusals: [] })
    expect((await second!.network.getReveals('gone.chronym')).asked).toBe(2)
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
