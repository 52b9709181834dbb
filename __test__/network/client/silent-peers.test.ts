/**
 * How long publishing and resolving wait for peers that take every question and answer none, modelled: until enough
 * others have answered, and a second.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commit } from '../../../src/network/client/blinded.ts'
import { getDocuments } from '../../../src/network/client/get.ts'
import { GRACE_MS } from '../../../src/util/wait-for-enough.ts'
import type { ClientParts } from '../../../src/network/client/holders.ts'
import { put } from '../../../src/network/client/publish.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeReceipt, signReceipt } from '../../../src/protocol/claim/commitment.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledKey, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const OTHERS = 5
/** As long as a question may take. */
const SILENCE_MS = 10_000

const lab = new Lab()
const RECORD = utf8('the record')

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** The first `silent` of five peers are silent; the others answer. */
function network(silent: number): { parts: ClientParts; asked: Request[] } {
  const all = Array.from({ length: OTHERS }, (_, index) => modelledPeer(index))
  const held = new Map<string, Uint8Array>()
  const asked: Request[] = []
  const answer = (peer: Peer, request: Request): Answer => {
    switch (request.type) {
      case 'put':
        held.set(peer.peer, request.record)
        return { type: 'stored' }
      case 'get':
        return held.has(peer.peer) ? { type: 'document', record: held.get(peer.peer)! } : { type: 'none' }
      case 'commit':
        return {
          type: 'received',
          receipt: encodeReceipt(signReceipt(request.commitment, 77, modelledKey(all.indexOf(peer)), lab.hash))
        }
      case 'commitments':
      case 'find':
      case 'list':
      case 'reach':
      case 'time':
        throw new Error(`nobody asks for ${request.type} here`)
    }
  }
  const peers = modelledPeers(
    () => all,
    async (peer, request) => {
      asked.push(request)
      if (all.indexOf(peer) >= silent) return answer(peer, request)
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS))
      return 'lost'
    }
  )
  return { parts: clientOf(lab, peers), asked }
}

/** What it comes to, and after how many milliseconds of the timers' time. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = Date.now()
  const timing = work.then((result) => ({ result, tookMs: Date.now() - startedAt }))
  await vi.advanceTimersByTimeAsync(10 * SILENCE_MS)
  return timing
}

const owner = lab.owner('alice')
const commitment = lab.commitment('alice.chronym', owner)

const USES = [
  [
    'a put',
    (parts: ClientParts) =>
      put(parts, { kind: 'kid', id: 'did:x', bytes: RECORD, isSatisfiedBy: () => Promise.resolve(false) }),
    { storedBy: OTHERS - 2, of: OTHERS, refusals: [{ code: 'no-answer' }, { code: 'no-answer' }] }
  ],
  [
    'a commitment',
    (parts: ClientParts) => commit(parts, 'alice.chronym', commitment, lab.stamp(commitment)),
    { of: OTHERS, receipts: [{}, {}, {}] }
  ],
  ['a document', (parts: ClientParts) => getDocuments(parts, 'kid', 'did:x'), { records: [], isAnswered: true }]
] as const

describe.each(USES)('%s', (_what, use, expected) => {
  it('waits a second for a silent minority', async () => {
    const { result, tookMs } = await timed<unknown>(use(network(2).parts))
    expect(result).toMatchObject(expected)
    expect(tookMs).toBe(GRACE_MS)
  })

  it('waits for nobody where all answer', async () => {
    expect((await timed<unknown>(use(network(0).parts))).tookMs).toBe(0)
  })

  it('gives up on a silent majority when the questions end', async () => {
    expect((await timed<unknown>(use(network(3).parts))).tookMs).toBeGreaterThanOrEqual(SILENCE_MS)
  })
})
