/** How long publishing and resolving wait for peers that take every question and answer none, modelled: until enough others have answered, and a second. */
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commit } from '../../src/network/client/commit.ts'
import { getDocuments } from '../../src/network/client/documents.ts'
import { enough, GRACE_MS } from '../../src/network/enough.ts'
import type { ClientParts } from '../../src/network/client/parts.ts'
import { put } from '../../src/network/client/put.ts'
import type { Peer, Peers } from '../../src/network/peers.ts'
import { AskError } from '../../src/network/protocol/ask.ts'
import type { Request } from '../../src/network/protocol/messages.ts'
import { utf8 } from '../../src/protocol/bytes.ts'
import { keyPairFromSeed } from '../../src/protocol/ed25519.ts'
import { profileHash, type NetworkProfile } from '../../src/protocol/profile.ts'
import { encodeReceipt, signReceipt } from '../../src/protocol/receipt.ts'
import { Lab } from './lab.ts'

const OTHERS = 5
/** As long as a question may take. */
const SILENCE_MS = 10_000

const lab = new Lab()
const PROFILE: NetworkProfile = { ...lab.profile, scope: 'test' }
const RECORD = utf8('the record')

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** Of five peers the first so many are silent; the others do as they are asked. */
function network(silent: number): { parts: ClientParts; asked: Request[] } {
  const keys = Array.from({ length: OTHERS }, (_, index) => keyPairFromSeed(new Uint8Array(32).fill(index + 1)))
  const all = keys.map(({ publicKey }, index): Peer => {
    const id = peerIdFromPublicKey(publicKeyFromRaw(publicKey))
    return { id, peer: id.toString(), prefix: String(index) }
  })
  const held = new Map<string, Uint8Array>()
  const asked: Request[] = []
  const answer = (peer: Peer, request: Request): unknown => {
    switch (request.type) {
      case 'put':
        held.set(peer.peer, request.record)
        return { type: 'stored' }
      case 'get':
        return held.has(peer.peer) ? { type: 'document', record: held.get(peer.peer) } : { type: 'none' }
      case 'commit':
        return { type: 'received', receipt: encodeReceipt(signReceipt(request.commitment, 77, keys[all.indexOf(peer)]!, profileHash(PROFILE))) }
      case 'commitments':
      case 'list':
        throw new Error(`nobody asks for ${request.type} here`)
    }
  }
  const ask = (peer: Peer, request: Request): Promise<unknown> => {
    asked.push(request)
    if (all.indexOf(peer) >= silent) return Promise.resolve(answer(peer, request))
    return new Promise((_resolve, reject) => setTimeout(() => reject(new AskError('no answer')), SILENCE_MS))
  }
  const peers: Peers = {
    ownPosition: new Uint8Array(32),
    known: () => OTHERS,
    networkSize: () => OTHERS + 1,
    nearest: () => [...all],
    within: () => [...all],
    closest: () => Promise.resolve([...all]),
    neighbourhood: () => Promise.resolve({ peers: [...all], bits: 0 }),
    ask: ask as Peers['ask'],
    diverse: (list) => [...list],
    penalise: () => undefined
  }
  const parts: ClientParts = { profile: PROFILE, peers: () => peers, holder: () => undefined, ownPeerId: 'self', verifier: { validate: () => Promise.reject(new Error('nothing to verify')) }, judge: lab.pool }
  return { parts, asked }
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
  ['a put', 2 * GRACE_MS, (parts: ClientParts) => put(parts, { kind: 'kid', id: 'did:x', bytes: RECORD, isSatisfiedBy: () => false }), { storedBy: OTHERS - 2, of: OTHERS, refusals: [{ code: 'no-answer' }, { code: 'no-answer' }] }],
  ['a commitment', GRACE_MS, (parts: ClientParts) => commit(parts, 'alice.chronym', commitment, lab.stamp(commitment)), { of: OTHERS, receipts: [{}, {}, {}] }],
  ['a document', GRACE_MS, (parts: ClientParts) => getDocuments(parts, 'kid', 'did:x'), { records: [], isAnswered: true }]
] as const

describe.each(USES)('%s', (_what, graceMs, use, expected) => {
  it('waits a second for a silent minority', async () => {
    const { result, tookMs } = await timed<unknown>(use(network(2).parts))
    expect(result).toMatchObject(expected)
    expect(tookMs).toBe(graceMs)
  })

  it('waits for nobody where all answer', async () => {
    expect((await timed<unknown>(use(network(0).parts))).tookMs).toBe(0)
  })

  it('gives up on a silent majority when the questions end', async () => {
    expect((await timed<unknown>(use(network(3).parts))).tookMs).toBeGreaterThanOrEqual(SILENCE_MS)
  })
})

describe('enough', () => {
  const after = <T>(milliseconds: number, value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))

  it('takes in who comes within the second, and shows who does not as undefined', async () => {
    const { result, tookMs } = await timed(enough([after(10, 'a'), after(500, 'b'), after(5000, 'c')], (some) => some.includes('a')))
    expect(result).toEqual(['a', 'b', undefined])
    expect(tookMs).toBe(10 + GRACE_MS)
  })

  it('rejects with what is rejected before, not after', async () => {
    const fails = async (milliseconds: number): Promise<string> => after(milliseconds, '').then(() => Promise.reject(new Error('broken')))
    const failed = expect(enough([after(10, 'a'), fails(20)], () => true)).rejects.toThrow('broken')
    expect((await timed(enough([after(10, 'a'), fails(5000)], () => true))).result).toEqual(['a', undefined])
    await failed
  })

  it('of nobody is nothing', async () => {
    expect(await enough([], () => false)).toEqual([])
  })
})
