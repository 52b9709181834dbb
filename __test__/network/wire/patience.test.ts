/** How long is waited for each peer, by a time of the test's. */
import { beforeEach, expect, it } from 'vitest'
import type { PeerId } from '@libp2p/interface'
import { AskError, type ask } from '../../../src/network/wire/exchange.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import type { Request } from '../../../src/network/wire/messages.ts'
import { createPatience, type Patience } from '../../../src/network/wire/patience.ts'
import { labProfile } from '../lab.ts'
import { modelledPeer } from '../modelled-peers.ts'

const PROFILE = labProfile()
const FIND: Request = { type: 'find', key: new Uint8Array(32) }
const [NEAR, FAR, OTHER] = [0, 1, 2].map((index) => modelledPeer(index).id) as [PeerId, PeerId, PeerId]

let nowMs: number
let tookMs: number
let answers: boolean
let connected: boolean
let patience: Patience
/** What is asked of nobody but `exchange`: which peers are connected. */
const node = { getConnections: () => (connected ? [{}] : []) } as unknown as Node
const exchange = (async () => {
  await Promise.resolve()
  nowMs += tookMs
  if (!answers) throw new AskError('no answer')
  return { type: 'found', peers: [] }
}) as typeof ask

beforeEach(() => {
  nowMs = 0
  connected = true
  answers = true
  patience = createPatience(node, exchange, () => nowMs)
})

async function asked(peer: PeerId, took: number, count = 1, isAnswered = true): Promise<void> {
  tookMs = took
  answers = isAnswered
  for (let each = 0; each < count; each++) await patience.ask(node, peer, FIND, PROFILE).catch(() => undefined)
}

it('waits as long as nine of ten answers of the peer took, without history of all peers', async () => {
  expect(patience.waitMs(NEAR)).toBe(500)
  await asked(FAR, 400, 9)
  await asked(FAR, 900)
  expect(patience.waitMs(FAR)).toBe(400)
  expect(patience.waitMs(NEAR)).toBe(400)
  await asked(FAR, 900, 3)
  expect(patience.waitMs(FAR)).toBe(900)
})

it('is held between a third of a second and a second by nobody who answers fast or slowly', async () => {
  await asked(NEAR, 1, 100)
  expect([patience.waitMs(NEAR), patience.waitMs(OTHER)]).toEqual([300, 300])
  await asked(FAR, 9_000, 100)
  expect([patience.waitMs(FAR), patience.waitMs(OTHER)]).toEqual([1_000, 1_000])
  expect(patience.waitMs(NEAR)).toBe(300)
})

it('waits for nobody that is late now, or was twice in a row, until five minutes later or an answer', async () => {
  await asked(NEAR, 10_000, 1, false)
  expect(patience.waitMs(NEAR)).toBeGreaterThan(0)
  await asked(NEAR, 10_000, 1, false)
  expect(patience.waitMs(NEAR)).toBe(0)
  nowMs += 5 * 60_000 + 1
  expect(patience.waitMs(NEAR)).toBeGreaterThan(0)
  await asked(NEAR, 10_000, 1, false)
  expect(patience.waitMs(NEAR)).toBe(0)
  await asked(NEAR, 10)
  expect(patience.waitMs(NEAR)).toBeGreaterThan(0)

  const pending = patience.ask(node, FAR, FIND, PROFILE)
  nowMs += 1_001
  expect(patience.waitMs(FAR)).toBe(0)
  answers = true
  await pending
  expect(patience.waitMs(FAR)).toBeGreaterThan(0)
})

it('takes no refusal for lateness, and no connection for an answer that takes long', async () => {
  await asked(NEAR, 5, 3, false)
  expect(patience.waitMs(NEAR)).toBe(500)
  connected = false
  await asked(NEAR, 900, 20)
  expect(patience.waitMs(NEAR)).toBe(750)
  connected = true
  expect(patience.waitMs(NEAR)).toBe(500)
})

it('knows who is near', async () => {
  await asked(NEAR, 20, 5)
  await asked(FAR, 800, 5)
  expect(patience.roundTripMs(NEAR)).toBeLessThan(patience.roundTripMs(OTHER))
  expect(patience.roundTripMs(OTHER)).toBeLessThan(patience.roundTripMs(FAR))
})
