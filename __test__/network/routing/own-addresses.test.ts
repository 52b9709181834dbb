/** What a node announces of its own addresses, with real nodes on loopback and a router's port forward. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { multiaddr } from '@multiformats/multiaddr'
import { checkNamed, candidatesOf } from '../../../src/network/routing/own-addresses.ts'
import { dialable } from '../../../src/network/transport/gater.ts'
import type { OwnAddress } from '../../../src/network/types.ts'
import { Forward } from '../forward.ts'
import { Lab, type LabNode } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

/** A look of own-addresses.ts, in rounds of the lab. */
const LOOK = 10

let lab: Lab
let forward: Forward
beforeEach(() => {
  lab = new Lab()
  forward = new Forward()
})
afterEach(async () => {
  await lab.close()
  await forward.close()
})

const named = ({ network }: LabNode): OwnAddress => network.addresses().find(({ state }) => state !== 'local')!
const idOf = ({ network }: LabNode): string => network.status().peer_id

/** A node behind the forward, alone at first. */
async function behindForward(): Promise<LabNode> {
  const address = await forward.open()
  const node = await lab.addNode({ announce: [address], bootstrap: [] })
  forward.to = Number(
    node.network
      .addresses()
      .find(({ state }) => state === 'local')!
      .address.split('/')[4]
  )
  expect(node.address).toBe(`${address}/p2p/${idOf(node)}`)
  return node
}

describe('a named address', () => {
  it('is announced once the first peer has dialled it, and others come by it alone', async () => {
    const node = await behindForward()
    expect(named(node)).toMatchObject({ state: 'unconfirmed', message: expect.stringContaining('No peer has dialled') })
    const joiner = await lab.addNode({ bootstrap: [node.address] })
    await waitFor(() =>
      expect(named(node)).toMatchObject({ state: 'announced', confirmedBy: [idOf(joiner)], message: null })
    )
    const late = await lab.addNode({ bootstrap: [joiner.address] })
    await lab.connected()
    expect(late.network.peers().map(({ peer }) => peer)).toContain(idOf(node))
    expect(node.network.addresses().map(({ state }) => state)).toEqual(['announced', 'local'])
  })

  it('that nobody reaches stays unconfirmed, with the reason and the cure', async () => {
    const node = await behindForward()
    await forward.close()
    // It dials the others: they have no way to it.
    for (let index = 0; index < 2; index++) {
      const other = await lab.addNode({ bootstrap: [] })
      await node.network.dial(other.address)
    }
    await waitFor(() => {
      expect(named(node).message).toMatch(/says: .*ECONNREFUSED.* Open TCP port \d+ in the firewall.*--announce/)
    })
    expect(named(node)).toMatchObject({ state: 'unconfirmed', confirmedBy: [] })
  })

  it('is announced no more after three peers in a row failed, and again when one reaches it', async () => {
    const node = await behindForward()
    const others = [await lab.addNode({ bootstrap: [node.address] })]
    await waitFor(() => expect(named(node).state).toBe('announced'))
    for (let index = 0; index < 2; index++) others.push(await lab.addNode({ bootstrap: [others[0]!.address] }))
    await lab.connected()
    await forward.close()
    for (const { address } of others) await node.network.dial(address)
    // Ten minutes pass before it is tried again.
    for (let look = 0; look < 59; look++) lab.advance(LOOK)
    expect(named(node).state).toBe('announced')
    await waitFor(() => {
      lab.advance(LOOK)
      expect(named(node).state).toBe('unconfirmed')
    })
    await forward.open()
    await waitFor(() => {
      lab.advance(LOOK)
      expect(named(node).state).toBe('announced')
    })
  })

  it.each([
    [['/dns4/example.org/tcp/7469'], 'IP address with a TCP port'],
    [['/ip4/127.0.0.1/tcp/0'], 'IP address with a TCP port'],
    [['/ip4/192.0.2.1/tcp/7469'], 'do not dial addresses of that range'],
    [Array.from({ length: 4 }, (_, port) => `/ip4/127.0.0.1/tcp/${port + 1}`), 'at most 3']
  ])('that no peer would dial keeps the node from starting: %s', async (announce, reason) => {
    await expect(lab.addNode({ announce })).rejects.toThrow(reason)
  })
})

describe('an address that a node listens on', () => {
  const judged = (scope: 'public' | 'test', texts: string[]): Record<string, string> => {
    const listening = texts.map((text) => multiaddr(text))
    const profile = { scope, answers_per_prefix: 2, answers_per_wide_prefix: 4 }
    const rules = { named: [], mayDial: dialable({ profile, listen: [], bootstrap: () => [] }) }
    return Object.fromEntries(candidatesOf(rules, listening).map(({ address, use }) => [String(address), use]))
  }
  const PUBLIC = { '/ip4/45.1.0.2/tcp/1': 'confirm', '/ip6/2a00:1::2/tcp/1': 'confirm' }
  const HERE = {
    '/ip4/127.0.0.1/tcp/1': 'local',
    '/ip6/::1/tcp/1': 'local',
    '/ip6zone/eth0/ip6/fe80::1/tcp/1': 'local'
  }

  it.each([
    ['public', { ...PUBLIC, '/ip4/10.0.0.1/tcp/1': 'local', ...HERE }],
    ['test', { ...PUBLIC, '/ip4/10.0.0.1/tcp/1': 'announce', ...HERE }],
    ['test', { '/ip4/127.0.0.1/tcp/1': 'announce', '/ip6/::1/tcp/1': 'announce' }]
  ] as const)('of a network with scope %s: %j', (scope, expected) => {
    expect(judged(scope, Object.keys(expected))).toEqual(expected)
  })

  it('cannot be announced where peers dial nobody', () => {
    const rules = { named: [multiaddr('/ip4/0.0.0.0/tcp/1')], mayDial: () => true }
    expect(() => checkNamed(rules)).toThrow('name one that they reach')
  })
})

it('a node without an address that works is asked over the connections that it opens', async () => {
  const node = await behindForward()
  await forward.close()
  const other = await lab.addNode({ bootstrap: [] })
  await node.network.dial(other.address)
  await waitFor(() => expect(named(node).message).toContain('ECONNREFUSED'))
  await waitFor(() => expect(other.network.peers()).toMatchObject([{ peer: idOf(node), isInTable: true }]))
})
