/** A peer with several addresses, some of which nobody answers at. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { knownAddresses } from '../../../src/network/transport/addresses.ts'
import { dialAll } from '../../../src/network/transport/dial.ts'
import { ask } from '../../../src/network/wire/exchange.ts'
import type { Request } from '../../../src/network/wire/messages.ts'
import { waitFor } from '../../wait-for.ts'
import { startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'

const REQUEST: Request = { type: 'get', kind: 'reveal', key: new Uint8Array(32) }
/** Below the six seconds that libp2p gives an address. */
const PATIENT_MS = 5_000

let asker: Node
let asked: Node
let ends: (() => unknown)[]

beforeEach(async () => {
  asker = await startBareNode(1)
  asked = await startBareNode(2, labProfile(), undefined, { listen: ['/ip6/::1/tcp/0'] })
  ends = [() => asked.stop(), () => asker.stop()]
})

afterEach(async () => {
  for (const end of ends.reverse()) await end()
})

const placeOf = (node: Node): Multiaddr =>
  multiaddr(
    node
      .getMultiaddrs()[0]!
      .toString()
      .replace(/\/p2p\/.*/, '')
  )

/** Takes connections and says nothing. */
async function silentPlace(): Promise<Multiaddr> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy())
  )
  return multiaddr(`/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`)
}

/** A port whose process is stopped, and its queue full: the packets that would open a connection vanish. */
async function swallowingPlace(): Promise<Multiaddr> {
  const listen =
    "require('net').createServer().listen({host:'127.0.0.1',port:0,backlog:1},function(){console.log(this.address().port)})"
  const child: ChildProcess = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(() => child.kill('SIGKILL'))
  const port = Number(String((await once(child.stdout!, 'data'))[0]))
  child.kill('SIGSTOP')
  for (let each = 0; each < 8; each++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    ends.push(() => socket.destroy())
    if (
      (await Promise.race([once(socket, 'connect'), new Promise((resolve) => setTimeout(resolve, 300, 'full'))])) ===
      'full'
    )
      break
  }
  return multiaddr(`/ip4/127.0.0.1/tcp/${port}`)
}

it('an address whose packets vanish delays the next one by less than its own time', async () => {
  const addresses = [await swallowingPlace(), placeOf(asked)]
  const connection = await dialAll(asker, asked.peerId, addresses, AbortSignal.timeout(PATIENT_MS))
  expect(connection.remotePeer.equals(asked.peerId)).toBe(true)
})

it('a version of IP that another one overtook is dialled last from then on', async () => {
  const addresses = [await silentPlace(), placeOf(asked)]
  const dial = vi.spyOn(asker, 'dial')
  for (const first of addresses) {
    await asker.peerStore.patch(asked.peerId, { multiaddrs: addresses })
    dial.mockClear()
    expect(await ask(asker, asked.peerId, REQUEST, labProfile(), AbortSignal.timeout(PATIENT_MS))).toEqual({
      type: 'busy'
    })
    // A busy machine dials the other one too.
    expect(String(dial.mock.calls[0]![0])).toBe(String(first))
    await asker.hangUp(asked.peerId)
  }
})

it('another peer that answers there is not taken for it', async () => {
  const other = await startBareNode(3)
  ends.push(() => other.stop())
  const dialled = await dialAll(asker, asked.peerId, [placeOf(other), placeOf(asked)])
  expect(dialled.remotePeer.equals(asked.peerId)).toBe(true)
  await asker.hangUp(asked.peerId)
  await expect(dialAll(asker, asked.peerId, [placeOf(other)])).rejects.toThrow('does not match')
})

it('a peer that names no address of use is dialled again where it was reached', async () => {
  const nowhere = multiaddr('/ip4/127.0.0.1/tcp/1')
  const other = await startBareNode(3, labProfile(), undefined, { announced: () => [nowhere] })
  ends.push(() => other.stop())
  const [place] = other.services.listening()
  const connection = await asker.dial(place!)
  await waitFor(async () => {
    // What is known of others is forgotten with their connection.
    expect(asker.services.table.has(other.peerId)).toBe(true)
    const known = await knownAddresses(asker, other.peerId)
    expect(known.map(({ multiaddr }) => String(multiaddr)).sort()).toEqual([nowhere, place].map(String).sort())
  })
  const { promise: closed, resolve } = Promise.withResolvers()
  asker.addEventListener('connection:close', resolve)
  connection.abort(new Error('the router forgot it'))
  await closed
  expect(await ask(asker, other.peerId, REQUEST, labProfile(), AbortSignal.timeout(PATIENT_MS))).toEqual({
    type: 'busy'
  })
})
