/** Peers that say where others are, with real nodes on addresses of their own of 127.0.0.0/8. */
import { CODE_P2P, multiaddr } from '@multiformats/multiaddr'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createBudget } from '../../src/network/budget.ts'
import type { Node } from '../../src/network/node.ts'
import { BUSY } from '../../src/network/protocol/answers.ts'
import { serve } from '../../src/network/protocol/serve.ts'
import { tableSize } from '../../src/network/routing.ts'
import { sha256 } from '../../src/protocol/bytes.ts'
import { startBareNode } from '../network/bare-node.ts'
import { findingOn } from '../network/finding-node.ts'
import { labProfile } from '../network/lab.ts'
import { waitFor } from '../wait-for.ts'

const PROFILE = labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 })

const nodes: Node[] = []
const servers: Server[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function start(place: string): Promise<Node> {
  const node = await startBareNode(nodes.length, PROFILE, place)
  nodes.push(node)
  return node
}

/** A machine that accepts connections, and does with each what the test says. */
async function listen(place: string, onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    onConnection(socket)
  }).listen(0, place)
  servers.push(server)
  await once(server, 'listening')
  return `/ip4/${place}/tcp/${(server.address() as AddressInfo).port}`
}

/** Answers `find` with a node at an address of the test's, be it a false one. Its own table says nothing of that node, so that nobody meets it through kad-dht. */
async function says(liar: Node, about: Node, address: string): Promise<void> {
  const found = { type: 'found' as const, peers: [{ peer: about.peerId.toMultihash().bytes, addresses: [multiaddr(address).decapsulateCode(CODE_P2P).bytes] }] }
  const handlers = { commit: () => BUSY, put: () => BUSY, get: () => BUSY, list: () => BUSY, commitments: () => BUSY, find: () => found }
  await serve({ node: liar, profile: PROFILE, handlers, budget: createBudget(false), penalise: () => undefined, onFault: () => undefined })
}

it('[false addresses of honest peers] that take every connection and say nothing hold nobody up who has the true ones from others', async () => {
  const [victim, liar, teller, hidden] = [await start('127.1.0.1'), await start('127.66.0.1'), await start('127.2.0.1'), await start('127.3.0.1')]
  await findingOn(hidden, PROFILE)
  const { finder } = await findingOn(victim, PROFILE)
  await says(liar, hidden, await listen('127.66.0.1', () => undefined))
  await says(teller, hidden, hidden.getMultiaddrs()[0]!.toString())
  for (const other of [liar, teller]) await victim.dial(other.getMultiaddrs())
  await waitFor(() => expect(tableSize(victim)).toBe(2))
  const { peers } = await finder.find(sha256(hidden.peerId.toMultihash().bytes))
  expect(peers.map(String)).toContain(hidden.peerId.toString())
})
