/**
 * Connections as a budget, with real nodes: each dials from an address of its own of 127.0.0.0/8. 127.2.x.x and
 * 127.3.x.x are of different /16s.
 */
import type { Connection } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OfflineError } from '../../../src/network/types.ts'
import { CONNECTION_PLACES } from '../../../src/network/routing/keep-places.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { registryProtocol } from '../../../src/network/wire/messages.ts'
import { answering, findingOn, startBareNode } from '../../network/bare-node.ts'
import { Lab, labProfile, type LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'

const NEWCOMERS = 10
/** More than three times what their prefix may have. */
const IDLE = 100
/** Of one prefix, see budget.ts. */
const PER_SECOND = 5
const HALF_OPEN = 120
/** libp2p may need another look at what a connection carries, and peers each other's identity. */
const LOOKS = 1_000

const bare: Node[] = []
let lab: Lab

function start(overrides: Partial<NetworkProfile> = {}): void {
  lab = new Lab(labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4, ...overrides }))
}

beforeEach(() => {
  start()
})

afterEach(async () => {
  for (const node of bare.splice(0)) await node.stop()
  await lab.close()
})

async function startBare(place: string): Promise<Node> {
  const node = await startBareNode(bare.length, lab.profile, place)
  bare.push(node)
  return node
}

/** The connections of a node of the lab with a bare one, as that one sees them. */
const between = (node: Node, { network }: LabNode): Connection[] =>
  node.getConnections(peerIdFromString(network.status().peer_id))

/**
 * Dials the victim `count` times in turn, also after it hangs up. Time passes for its budget meanwhile, so that the
 * rate of connecting is no help.
 */
async function dialAgain(count: number, dialler: (index: number) => Node, victim: LabNode): Promise<void> {
  const elapsed = lab.elapsedMs
  for (let index = 0; index < count; index++) {
    const passed = ((index + 1) / PER_SECOND) * 1_000
    lab.elapsedMs = () => elapsed() + passed
    // Refused or closed at once is what is looked for.
    await dialler(index)
      .dial(multiaddr(victim.address), { force: true })
      .catch(() => undefined)
  }
}

it('[idle connections of one address] displace nobody: newcomers of ten prefixes join and stay', async () => {
  const victim = await lab.addNode({ place: '127.1.0.1' })
  const owner = await lab.addNode({ place: '127.2.0.1' })
  await lab.connected()
  const key = lab.owner('owner')
  const claim = await lab.claim(owner, 'wanted.chronym', key)
  await owner.network.putReveal(claim)

  // A few keys first, then one for every two places.
  const attackers: Node[] = []
  for (let index = 0; index < CONNECTION_PLACES.prefix; index++)
    attackers.push(await startBare(`127.66.0.${1 + (index % 3)}`))
  const dialler = (index: number): Node => attackers[index < IDLE / 2 ? index % 3 : index % attackers.length]!
  await dialAgain(IDLE, dialler, victim)
  await waitFor(() =>
    expect(attackers.flatMap((node) => between(node, victim)).length).toBeLessThanOrEqual(CONNECTION_PLACES.prefix)
  )
  for (const node of attackers) expect(between(node, victim).length).toBeLessThanOrEqual(CONNECTION_PLACES.peer)

  const newcomers: LabNode[] = []
  for (let index = 0; index < NEWCOMERS; index++)
    newcomers.push(await lab.addNode({ place: `127.${100 + index}.0.1`, bootstrap: [victim.address] }))
  for (const { network } of newcomers) {
    await waitFor(() => {
      // A dial that a busy machine was too slow for is made again.
      lab.advance(2)
      expect(network.knownPeers()).toBeGreaterThan(1)
    })
    const { answers } = await network.getReveals('wanted.chronym')
    expect(
      answers.some(({ reveal }) => reveal !== undefined && Buffer.compare(reveal.pubkey, key.publicKey) === 0)
    ).toBe(true)
  }
  await dialAgain(NEWCOMERS, dialler, victim)
  for (const { network } of newcomers) expect(network.status()).toMatchObject({ status: 'online' })
  expect(victim.network.knownPeers()).toBeGreaterThanOrEqual(1 + NEWCOMERS)
})

it('[idle connections of one address] that are never set up leave room for others to be', async () => {
  const victim = await lab.addNode({ place: '127.1.0.1' })
  const [, , host, , port] = victim.address.split('/')
  const sockets: Socket[] = []
  for (let index = 0; index < HALF_OPEN; index++) {
    const socket = connect({ host: host!, port: Number(port), localAddress: `127.66.${index % 2}.1` })
    sockets.push(socket)
    // Those beyond are cut off, be it at once.
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
    socket.on('error', () => undefined)
  }
  const newcomer = await startBare('127.100.0.1')
  await newcomer.dial(multiaddr(victim.address))
  expect(between(newcomer, victim).length).toBe(1)
  for (const socket of sockets) socket.destroy()
})

it('[a peer that turns light and is dialled again] has one connection, and re-enters the table when full', async () => {
  const light = await startBare('127.2.0.1')
  const opened: Connection[] = []
  light.addEventListener('connection:open', ({ detail }) => opened.push(detail))
  const { network } = await lab.addNode({ place: '127.1.0.1', bootstrap: [light.getMultiaddrs()[0]!.toString()] })
  await waitFor(() => expect(network.knownPeers()).toBe(1))
  await light.unhandle(registryProtocol(lab.profile))
  await waitFor(() => expect(network.knownPeers()).toBe(0))
  let most = 0
  for (let look = 0; look < LOOKS; look++) {
    lab.advance(2)
    const before = opened.length
    // What a look brings about has come to its end before the next one.
    await new Promise((resolve) => setImmediate(resolve))
    if (opened.length > before) await waitFor(() => expect(light.getConnections().length).toBe(1), 5)
    most = Math.max(most, light.getConnections().length)
  }
  await waitFor(() => expect(light.getConnections().length).toBe(1))
  // At 2, 4, 8 .. seconds, then once an hour: half an hour has ten of these.
  expect(opened.length).toBeLessThanOrEqual(14)
  expect(most).toBeLessThanOrEqual(CONNECTION_PLACES.peer)
  await answering(light, lab.profile, {})
  await waitFor(() => expect(network.knownPeers()).toBe(1))
})

it('[private addresses that a peer tells] are dialled on a public network only near its bootstrap peers', async () => {
  await lab.close()
  // No vote is counted here, and a claim has to be dear where names are public.
  start({ scope: 'public', difficulty: { base: 10_000_000, by_length: [{ from: 1, factor: 1 }] } })
  const hidden = await startBare('127.3.0.1')
  const teller = await startBare('127.2.0.1')
  await findingOn(teller, lab.profile)
  await teller.dial(multiaddr(hidden.getMultiaddrs()[0]!.toString()))
  await waitFor(() => expect(teller.services.table.size).toBe(1))
  // It listens on every address, which names none.
  const victim = await lab.addNode({ listen: '/ip4/0.0.0.0/tcp/0', bootstrap: [] })
  const port = /\/tcp\/(\d+)/.exec(victim.address)![1]!
  await teller.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}`))
  await waitFor(() => expect(victim.network.knownPeers()).toBeGreaterThan(0))
  // Look-ups hear of the hidden one from the teller.
  await victim.network.getReveals('wanted.chronym')
  await teller.hangUp(peerIdFromString(victim.network.status().peer_id))
  // Nobody is left to ask where a look-up that goes on has found the teller gone.
  await victim.network
    .getReveals('wanted.chronym')
    .catch((error: unknown) => expect(error).toBeInstanceOf(OfflineError))
  // They themselves are at private addresses, and so may dial others there.
  const dialledBy = (node: Node): number =>
    between(node, victim).filter(({ direction }) => direction === 'inbound').length
  expect(dialledBy(hidden)).toBe(0)
  expect(dialledBy(teller), 'nor is the one that told where it is itself').toBe(0)

  const neighbour = await lab.addNode({ place: '127.4.0.1', bootstrap: [teller.getMultiaddrs()[0]!.toString()] })
  await waitFor(() => expect(between(hidden, neighbour).length).toBeGreaterThan(0))
})
