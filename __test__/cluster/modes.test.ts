import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { startBareNode } from '../network/bare-node.ts'
import { FIRST_ROUND, Lab, labProfile } from '../network/lab.ts'
import { OfflineError, type NetworkEvent } from '../../src/network/types.ts'
import { registryProtocol } from '../../src/network/wire/messages.ts'
import { keys } from '../../src/store/keys.ts'
import { waitFor } from '../wait-for.ts'

let lab: Lab

beforeEach(() => {
  lab = new Lab()
})

afterEach(() => lab.close())

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
    expect(second!.network.addresses()).toEqual([])
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

  it('holds soon after a light node has become full what came before', async () => {
    await lab.addNodes(2)
    const newcomer = await lab.addNode({ mode: 'light' })
    await waitFor(() => expect(newcomer.network.knownPeers()).toBe(2))
    const owner = await lab.addNode({ mode: 'light' })
    await waitFor(() => expect(owner.network.knownPeers()).toBe(2))
    await owner.network.putReveal(await lab.claim(owner, 'before.chronym', lab.owner('alice')))
    await lab.stopNode(owner)
    const stateHere = async (): Promise<string | undefined> =>
      (await newcomer.network.getReveals('before.chronym')).answers.find(({ self }) => self)?.state
    // All have ended their first rounds by then, at the start and once peers are there. The next comes after half an hour.
    for (let minute = 0; minute < 8; minute++) {
      lab.advance(60)
      await stateHere()
    }
    await newcomer.network.setMode('full')
    expect(await stateHere()).toBe('none')
    const soon = lab.round + 100
    await waitFor(async () => {
      if (lab.round + 5 < soon) lab.advance(5)
      expect(await stateHere()).not.toBe('none')
    })
  })

  it('can be offline from the start', async () => {
    const node = await lab.addNode({ mode: 'offline' })
    expect(node.network.status().status).toBe('offline')
    await node.network.setMode('full')
    expect(node.network.addresses()).toHaveLength(1)
  })
})

describe('finding peers', () => {
  it('goes on until the peer to join through is there', async () => {
    const seed = new Uint8Array(32).fill(7)
    const before = await lab.addNode({ seed, place: OWN_HOST })
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
    const away = await lab.addNode({ seed, place: OWN_HOST })
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
      await silent.unhandle(registryProtocol(lab.profile))
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
