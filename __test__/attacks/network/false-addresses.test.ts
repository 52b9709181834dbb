/** Peers that say where others are, with real nodes on addresses of their own of 127.0.0.0/8. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { CODE_P2P, multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { contactOf } from '../../../src/network/routing/prefixes.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { diverse, UNDIALLED } from '../../../src/protocol/neighbourhood/diversity.ts'
import { answering, findingOn, startBareNode } from '../../network/bare-node.ts'
import { labProfile } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'

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

const addressOf = (node: Node): string => node.getMultiaddrs()[0]!.toString()

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

/** Answers `find` with nodes at addresses of the test's choice, also false ones. */
async function says(liar: Node, about: readonly (readonly [node: Node, address: string])[]): Promise<void> {
  const peers = about.map(([{ peerId }, address]) => ({
    peer: peerId.toMultihash().bytes,
    addresses: [multiaddr(address).decapsulateCode(CODE_P2P).bytes]
  }))
  await answering(liar, PROFILE, { find: () => ({ type: 'found', peers }) })
}

it('[false addresses of honest peers] that stay silent delay nobody who knows the true ones', async () => {
  const [victim, liar, teller, hidden] = [
    await start('127.1.0.1'),
    await start('127.66.0.1'),
    await start('127.2.0.1'),
    await start('127.3.0.1')
  ]
  await findingOn(hidden, PROFILE)
  const { finder } = await findingOn(victim, PROFILE)
  await says(liar, [[hidden, await listen('127.66.0.1', () => undefined)]])
  await says(teller, [[hidden, addressOf(hidden)]])
  for (const other of [liar, teller]) await victim.dial(other.getMultiaddrs())
  await waitFor(() => expect(victim.services.table.size).toBe(2))
  const { peers } = await finder.find(sha256(hidden.peerId.toMultihash().bytes))
  expect(peers.map(String)).toContain(hidden.peerId.toString())
})

/** An address of a liar's machine that passes bytes on to a node: a peer that dials it reaches that node. */
function behind(place: string, node: Node): Promise<string> {
  const [, , host, , port] = addressOf(node).split('/')
  return listen(place, (socket) => {
    const onward = connect({ host: host!, port: Number(port), localAddress: place }).on('error', () => undefined)
    sockets.push(onward)
    socket.pipe(onward).pipe(socket)
  })
}

it('[honest peers behind an address of a liar] count where they are, though they are dialled through it', async () => {
  const [victim, liar] = [await start('127.1.0.1'), await start('127.66.0.1')]
  const { finder, prefixes } = await findingOn(victim, PROFILE)
  const honest: Node[] = []
  for (let index = 0; index < 5; index++) honest.push(await start(`127.${10 + index}.0.1`))
  for (const node of honest) await findingOn(node, PROFILE)
  await says(liar, await Promise.all(honest.map(async (node) => [node, await behind('127.66.0.1', node)] as const)))
  await victim.dial(liar.getMultiaddrs())
  await waitFor(() => expect(victim.services.table.size).toBe(1))
  const { peers } = await finder.find(sha256())
  expect(peers).toHaveLength(honest.length + 1)
  expect(
    diverse(
      peers.map((id) => contactOf(id, prefixes)),
      PROFILE
    )
  ).toHaveLength(honest.length + 1)
})

it('[honest peers behind an address of a liar] count where they are, though they dial through it', async () => {
  const [victim, honest] = [await start('127.1.0.1'), await start('127.10.0.1')]
  const { prefixes } = await findingOn(victim, PROFILE)
  await honest.dial(multiaddr(await behind('127.66.0.1', victim)))
  await waitFor(() => expect(prefixes.known(honest.peerId)).toBe('127.10.0.0/24'))
  for (const connection of victim.getConnections(honest.peerId)) await connection.close()
  expect(prefixes.known(honest.peerId)).toBe('127.10.0.0/24')
})

it('[honest peers behind an address of a liar] count where they announce to be later, as new nodes do', async () => {
  const victim = await start('127.1.0.1')
  const { prefixes } = await findingOn(victim, PROFILE)
  let announced: Multiaddr[] = []
  const honest = await startBareNode(nodes.length, PROFILE, '127.10.0.1', { announced: () => announced })
  nodes.push(honest)
  const identified = new Promise((resolve) => {
    victim.addEventListener('peer:identify', resolve, { once: true })
  })
  await honest.dial(multiaddr(await behind('127.66.0.1', victim)))
  await identified
  expect(prefixes.known(honest.peerId)).toBe('127.66.0.0/24')
  announced = honest.services.listening()
  await honest.peerStore.patch(honest.peerId, { multiaddrs: announced })
  await waitFor(() => expect(prefixes.known(honest.peerId)).toBe('127.10.0.0/24'))
})

/** A node that connects from that place, and announces whatever the test says. It listens nowhere. */
async function announcing(address: string, from: { localAddress: string; localPort?: number }): Promise<Node> {
  const liar = await createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', sha256(utf8('a liar'))),
    addresses: { announce: [address] },
    transports: [tcp({ dialOpts: from as object })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  })
  nodes.push(liar as unknown as Node)
  return liar as unknown as Node
}

it('[honest peers behind an address of a liar] are not where they say until they answer there', async () => {
  const [victim, honest] = [await start('127.1.0.1'), await start('127.10.0.1')]
  const { prefixes } = await findingOn(victim, PROFILE)
  const announced = addressOf(honest).replace(/\/p2p\/.*/, '')
  const liar = await announcing(announced, { localAddress: '127.66.0.1' })
  await liar.dial(victim.getMultiaddrs())
  await waitFor(() => expect(victim.getConnections(liar.peerId)).toHaveLength(1))
  await prefixes.settled(liar.peerId)
  expect(prefixes.known(liar.peerId)).toBe('127.66.0.0/24')
  // It was looked for there.
  await waitFor(() => expect(victim.getConnections(honest.peerId)).toHaveLength(1))
  expect(prefixes.known(liar.peerId)).toBe('127.66.0.0/24')
})

it('[ids that nobody can dial] are not reached by the connection that they opened, from the very port they name', async () => {
  const victim = await start('127.1.0.1')
  const { prefixes } = await findingOn(victim, PROFILE)
  const port = Number((await listen('127.66.0.1', () => undefined)).split('/').at(-1))
  await new Promise((resolve) => servers.pop()!.close(resolve))
  const liar = await announcing(`/ip4/127.66.0.1/tcp/${port}`, { localAddress: '127.66.0.1', localPort: port })
  await liar.dial(victim.getMultiaddrs())
  await waitFor(() => expect(victim.getConnections(liar.peerId)).toHaveLength(1))
  await prefixes.settled(liar.peerId)
  expect(prefixes.known(liar.peerId)).toBe('127.66.0.0/24')
  expect(prefixes.of(liar.peerId)).toBe(UNDIALLED)
})
