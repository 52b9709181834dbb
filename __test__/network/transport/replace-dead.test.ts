/** Connections that look open and carry nothing, between real nodes and through a port forward. */
import { multiaddr } from '@multiformats/multiaddr'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Connection } from '@libp2p/interface'
import type { Node } from '../../../src/network/libp2p.ts'
import { ask } from '../../../src/network/wire/exchange.ts'
import type { Request } from '../../../src/network/wire/messages.ts'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'
import { Forward } from '../forward.ts'
import { labProfile } from '../lab.ts'

const REQUEST: Request = { type: 'get', kind: 'reveal', key: new Uint8Array(32) }
/** Above the time after which a connection is doubted, and its peer has not said who it is. */
const STALL_MS = 4_500

let forward: Forward
let asker: Node
let asked: Node
let connection: Connection

beforeEach(async () => {
  forward = new Forward()
  const outside = await forward.open()
  const announced = [multiaddr(outside)]
  asked = await startBareNode(0, labProfile(), undefined, { announced: () => announced })
  forward.to = Number(asked.services.listening()[0]!.getComponents()[1]!.value)
  asker = await startBareNode(1)
  connection = await asker.dial(multiaddr(`${outside}/p2p/${asked.peerId.toString()}`))
  expect(await question()).toEqual({ type: 'busy' })
})

afterEach(async () => {
  await asker.stop()
  await asked.stop()
  await forward.close()
})

const question = (): Promise<unknown> => ask(asker, asked.peerId, REQUEST, labProfile())

/** As if it had been open for a minute. */
function grown(open: Connection): Connection {
  open.timeline.open -= 60_000
  return open
}

it('a connection that a router forgot is replaced within the question that finds it', async () => {
  grown(connection)
  forward.forget()
  expect(await question()).toEqual({ type: 'busy' })
  expect(connection.status).not.toBe('open')
  expect(asker.getConnections(asked.peerId)).toHaveLength(1)
})

it('a young connection stays, so that busy machines do not dial each other again and again', async () => {
  forward.stall()
  const dial = vi.spyOn(asker, 'dial')
  const answer = question()
  await sleep(STALL_MS)
  expect(dial.mock.calls.filter(([, options]) => options?.force === true)).toEqual([])
  forward.resume()
  expect(await answer).toEqual({ type: 'busy' })
  expect(connection.status).toBe('open')
})

it('a line that stalls keeps its connection, and the question its answer', async () => {
  grown(connection)
  forward.stall()
  const answer = question()
  await sleep(STALL_MS)
  forward.resume()
  expect(await answer).toEqual({ type: 'busy' })
  await waitFor(() => {
    expect(asker.getDialQueue()).toEqual([])
    expect(asker.getConnections(asked.peerId)).toEqual([connection])
  })
  expect(connection.status).toBe('open')
})
