/** When peers that connected are dialled back, and how many, with modelled connections and a clock of the test's. */
import type { Connection, PeerId } from '@libp2p/interface'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { confirmWhereabouts, type Whereabouts } from '../../../src/network/routing/whereabouts.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'

const SECOND_MS = 1_000
const idOf = (text: string): PeerId => peerIdFromPublicKey(publicKeyFromRaw(sha256(utf8(text))))
const at = (place: string, port = 1): Multiaddr => multiaddr(`/ip4/${place}/tcp/${port}`)

class ModelledNode extends EventTarget {
  readonly dialled: string[] = []
  readonly connections: Connection[] = []
  /** Who answers at an address; elsewhere dials last until their signal aborts them. */
  readonly answering = new Map<string, PeerId>()

  getConnections(peer: PeerId): Connection[] {
    return this.connections.filter(({ remotePeer }) => remotePeer.equals(peer))
  }

  isDialable(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async dial(address: Multiaddr): Promise<Connection> {
    this.dialled.push(address.toString())
    const peer = this.answering.get(address.toString())
    if (peer !== undefined) return this.open(peer, address, 'outbound')
    await new Promise((resolve) => setTimeout(resolve, 5 * SECOND_MS))
    throw new Error('nobody answers')
  }

  open(remotePeer: PeerId, remoteAddr: Multiaddr, direction: Connection['direction']): Connection {
    const connection = { remotePeer, remoteAddr, direction, status: 'open' } as Connection
    connection.close = () => {
      this.connections.splice(this.connections.indexOf(connection), 1)
      this.dispatchEvent(new CustomEvent('connection:close', { detail: connection }))
      return Promise.resolve()
    }
    this.connections.push(connection)
    this.dispatchEvent(new CustomEvent('connection:open', { detail: connection }))
    return connection
  }

  /** A peer dials this node, and says where it listens. */
  connects(text: string, from: string, says: readonly Multiaddr[] = [at(from)]): Connection {
    const connection = this.open(idOf(text), at(from, 50_000), 'inbound')
    this.says(connection, says)
    return connection
  }

  says(connection: Connection, listenAddrs: readonly Multiaddr[]): void {
    this.dispatchEvent(new CustomEvent('peer:identify', { detail: { connection, listenAddrs } }))
  }
}

let node: ModelledNode
let whereabouts: Whereabouts

beforeEach(() => {
  vi.useFakeTimers()
  node = new ModelledNode()
  whereabouts = confirmWhereabouts(
    node as unknown as Node,
    () => undefined,
    () => Date.now()
  )
})

afterEach(() => {
  vi.useRealTimers()
})

it('reaches a peer that connects at once, and leaves it the connection that it opened', async () => {
  node.answering.set(at('192.0.2.1').toString(), idOf('peer'))
  const connection = node.connects('peer', '192.0.2.1')
  expect(whereabouts.isReached(connection)).toBe(false)
  await whereabouts.settled(idOf('peer'))
  expect(whereabouts.isReached(connection)).toBe(true)
  expect(node.connections).toEqual([connection])
  const again = node.connects('peer', '192.0.2.1')
  expect(whereabouts.isReached(again)).toBe(true)
  expect(node.dialled).toHaveLength(1)
})

it('tries a peer that does not answer again, later each time, until it does or hangs up', async () => {
  const connection = node.connects('peer', '192.0.2.1')
  await vi.advanceTimersByTimeAsync(5 * SECOND_MS)
  expect(node.dialled).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2 * SECOND_MS)
  expect(node.dialled).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(8 * SECOND_MS)
  expect(node.dialled).toHaveLength(2)
  node.answering.set(at('192.0.2.1').toString(), idOf('peer'))
  await vi.advanceTimersByTimeAsync(SECOND_MS)
  expect(whereabouts.isReached(connection)).toBe(true)

  const gone = node.connects('gone', '198.51.100.1')
  await vi.advanceTimersByTimeAsync(5 * SECOND_MS)
  await gone.close()
  const dialled = node.dialled.length
  await vi.advanceTimersByTimeAsync(3_600 * SECOND_MS)
  expect(node.dialled).toHaveLength(dialled)
})

it('dials a peer again that names its address while a dial to another is under way', async () => {
  node.answering.set(at('192.0.2.1', 2).toString(), idOf('peer'))
  const connection = node.connects('peer', '192.0.2.1')
  await vi.advanceTimersByTimeAsync(SECOND_MS)
  node.says(connection, [at('192.0.2.1', 2)])
  await vi.advanceTimersByTimeAsync(6 * SECOND_MS)
  expect(whereabouts.isReached(connection)).toBe(true)
})

it('counts no peer for having been somewhere else before', async () => {
  node.answering.set(at('192.0.2.1').toString(), idOf('peer'))
  await node.connects('peer', '192.0.2.1').close()
  await vi.advanceTimersByTimeAsync(SECOND_MS)
  node.answering.clear()
  const elsewhere = node.connects('peer', '198.51.100.1')
  await vi.advanceTimersByTimeAsync(60 * SECOND_MS)
  expect(whereabouts.isReached(elsewhere)).toBe(false)
})

it('[connections to third parties] a prefix that connects has twelve dials at once, and so has one that it names', async () => {
  for (let index = 0; index < 40; index++) node.connects(`peer ${index}`, '192.0.2.1', [at('203.0.113.1', index + 1)])
  await vi.advanceTimersByTimeAsync(SECOND_MS)
  expect(node.dialled).toHaveLength(12)
  for (let index = 0; index < 40; index++)
    node.connects(`other ${index}`, `198.51.${index}.1`, [at('203.0.113.1', index + 100)])
  await vi.advanceTimersByTimeAsync(4 * SECOND_MS)
  expect(node.dialled.length).toBeLessThanOrEqual(14)
})

it('[ids that nobody can dial] do not keep a peer of another prefix from its turn', async () => {
  for (let index = 0; index < 200; index++) node.connects(`silent ${index}`, `198.51.${index % 20}.1`)
  node.answering.set(at('192.0.2.1').toString(), idOf('peer'))
  const connection = node.connects('peer', '192.0.2.1')
  await vi.advanceTimersByTimeAsync(6 * SECOND_MS)
  expect(whereabouts.isReached(connection)).toBe(true)
})
