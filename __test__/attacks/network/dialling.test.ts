/**
 * Peers that dial by the hundred and leave the handshake unfinished, against a real node. Each dials from an address of
 * its own of 127.0.0.0/8.
 */
import { connect, type Socket } from 'node:net'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { HALF_OPEN } from '../../../src/network/transport/half-open.ts'
import { startBareNode } from '../../network/bare-node.ts'
import { Lab, labProfile, type LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'

/** What a dialler says first; a node answers it at the dialler's turn. */
const HELLO = '\x13/multistream/1.0.0\n'

const bare: Node[] = []
const sockets = new Set<Socket>()
let lab: Lab
let victim: LabNode

beforeEach(async () => {
  lab = new Lab(labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 }))
  victim = await lab.addNode({ place: '127.1.0.1' })
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  for (const node of bare.splice(0)) await node.stop()
  await lab.close()
})

async function newcomerAt(place: string): Promise<Node> {
  const node = await startBareNode(bare.length, lab.profile, place)
  bare.push(node)
  return node
}

/** Dials from each place. `underWay` are open and had their turn; `most` is how many of these there ever were. */
function dialFrom(places: readonly string[]) {
  const [, , host, , port] = victim.address.split('/')
  const underWay = new Set<Socket>()
  const waiting = new Set<Socket>()
  const state = { underWay, waiting, refused: 0, most: 0 }
  for (const place of places) {
    const socket = connect({ host: host!, port: Number(port), localAddress: place })
    sockets.add(socket)
    waiting.add(socket)
    socket.on('error', () => undefined)
    socket.write(HELLO)
    socket.once('data', () => {
      waiting.delete(socket)
      underWay.add(socket)
      state.most = Math.max(state.most, underWay.size)
    })
    socket.on('close', () => {
      underWay.delete(socket)
      if (waiting.delete(socket)) state.refused++
    })
  }
  return state
}

it('[peers that dial by the hundred] from one prefix are set up a few at a time, and others meanwhile', async () => {
  const dialled = dialFrom(Array.from({ length: 60 }, (_, index) => `127.66.0.${1 + index}`))
  const newcomer = await newcomerAt('127.100.0.1')
  await newcomer.dial(multiaddr(victim.address))
  await waitFor(() => expect(dialled.refused).toBe(60 - HALF_OPEN.prefix))
  expect(dialled.most).toBeLessThanOrEqual(HALF_OPEN.prefix)

  // A node of that prefix is refused at first, and dials again every two seconds.
  const { network } = await lab.addNode({ place: '127.66.0.100' })
  for (const socket of sockets) socket.destroy()
  await waitFor(() => {
    lab.advance(2)
    expect(network.status()).toMatchObject({ status: 'online' })
  })
})

it('[peers that dial by the hundred] from many prefixes have as many turns as there are places', async () => {
  const wait = 36
  const dialled = dialFrom(Array.from({ length: HALF_OPEN.begun + wait }, (_, index) => `127.${100 + index}.0.1`))
  await waitFor(() => expect(dialled.most).toBeGreaterThanOrEqual(HALF_OPEN.begun))
  const newcomer = await newcomerAt('127.90.0.1')
  const dial = () => newcomer.dial(multiaddr(victim.address))
  // The silent ones are sent away after five seconds, and the newcomer has the first place, or dials again.
  const connected = dial().catch(dial)
  await waitFor(() => expect(dialled.waiting.size).toBe(0))
  expect((await connected).status).toBe('open')
  // That one went may be seen only after the next one is seen to come.
  expect(dialled.most).toBeLessThan(HALF_OPEN.begun + wait / 4)
})
