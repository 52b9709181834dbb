/** What a peer may ask of kad-dht, over real connections: look-ups and pings, within the budget of all requests. */
import type { Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAX_STREAM_BYTES } from '../../../src/network/kad/requests.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { dhtProtocol } from '../../../src/network/node.ts'
import { concatBytes, sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { Lab } from '../../network/lab.ts'

/** The numbers of dht.proto. */
const TYPES = { PUT_VALUE: 0, GET_VALUE: 1, ADD_PROVIDER: 2, GET_PROVIDERS: 3, FIND_NODE: 4, PING: 5 }
const REFUSED = ['PUT_VALUE', 'GET_VALUE', 'ADD_PROVIDER', 'GET_PROVIDERS'] as const

/** More than a peer saves up: 320 requests of 8 KiB (budget.ts). */
const FLOOD = 400

let lab: Lab
let stranger: Node

beforeEach(async () => {
  lab = new Lab()
  await lab.addNode()
  stranger = await lab.addStranger()
  const stopped = lab.elapsedMs()
  lab.elapsedMs = () => stopped
})

afterEach(() => lab.close())

/** A CIDv1 of raw bytes with SHA-256, as providers are named. */
const KEY = concatBytes(Uint8Array.of(1, 0x55, 0x12, 32), sha256(utf8('a key')))

/** A message with its length before it: type, key, and the sender as a provider. */
function message(type: number): Uint8Array {
  const id = stranger.peerId.toMultihash().bytes
  const field = (tag: number, value: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(tag, value.length), value)
  const body = concatBytes(
    Uint8Array.of(0x08, type),
    field(0x12, KEY),
    ...(type === TYPES.ADD_PROVIDER ? [field(0x4a, field(0x0a, id))] : [])
  )
  return concatBytes(Uint8Array.of(body.length), body)
}

/** Whether the victim answers these bytes, or takes them and ends the stream as it should. Resolves with its end. */
async function ask(bytes: Uint8Array): Promise<'answered' | 'refused'> {
  const victim = peerIdFromString(lab.nodes[0]!.network.status().peer_id)
  const stream: Stream = await stranger.dialProtocol(victim, dhtProtocol(lab.profile))
  const { promise, resolve } = Promise.withResolvers<'answered' | 'refused'>()
  stream.addEventListener('message', () => resolve('answered'))
  stream.addEventListener('close', () => resolve('refused'))
  stream.addEventListener('remoteCloseWrite', () => resolve('refused'))
  stream.send(bytes)
  const outcome = await promise
  stream.abort(new Error('seen enough'))
  return outcome
}

it('[providers that nobody keeps a count of] are refused, as all records of kad-dht', async () => {
  for (const type of REFUSED) expect([type, await ask(message(TYPES[type]))]).toEqual([type, 'refused'])
  expect(await ask(message(TYPES.FIND_NODE))).toBe('answered')
  expect(await ask(message(TYPES.PING))).toBe('answered')
})

it('ends a stream whose request is longer than any can be, before it is whole', async () => {
  // Announces 2^20 bytes, which kad-dht would collect.
  const endless = concatBytes(Uint8Array.of(0x80, 0x80, 0x40), new Uint8Array(MAX_STREAM_BYTES))
  expect(await ask(endless)).toBe('refused')
})

it('answers no more look-ups than the budget of all requests allows', async () => {
  let answered = 0
  for (let index = 0; index < FLOOD; index++) if ((await ask(message(TYPES.FIND_NODE))) === 'answered') answered++
  expect(answered).toBeGreaterThan(FLOOD / 2)
  expect(answered).toBeLessThan(FLOOD)
})
