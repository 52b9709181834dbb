/** What a look at a name before its reveal may tell: nothing but the first bits of K. */
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { describe, expect, it } from 'vitest'
import { commit } from '../../src/network/client/commit.ts'
import { probe } from '../../src/network/client/probe.ts'
import type { ClientParts } from '../../src/network/client/parts.ts'
import type { Peer, Peers } from '../../src/network/peers.ts'
import { encodeMessage, type Request } from '../../src/network/protocol/messages.ts'
import { equalBytes, toHex } from '../../src/protocol/bytes.ts'
import { keyPairFromSeed } from '../../src/protocol/ed25519.ts'
import { encodeReceipt, signReceipt } from '../../src/protocol/receipt.ts'
import { recordKey, sharesPrefix } from '../../src/protocol/record-key.ts'
import { Lab } from './lab.ts'

const lab = new Lab()
const NAME = 'secret.chronym'
const K = recordKey('reveal', NAME, lab.hash)
const BITS = 3

/** One peer that answers as told; everything that is sent to it is kept. */
function network(answer: (request: Request) => unknown): { parts: ClientParts; sent: Request[]; penalised: string[] } {
  const key = keyPairFromSeed(new Uint8Array(32).fill(1))
  const id = peerIdFromPublicKey(publicKeyFromRaw(key.publicKey))
  const peer: Peer = { id, peer: id.toString(), prefix: 'p' }
  const sent: Request[] = []
  const penalised: string[] = []
  const peers: Peers = {
    ownPosition: new Uint8Array(32),
    known: () => 1,
    networkSize: () => 300,
    nearest: () => [peer],
    within: () => [peer],
    closest: () => Promise.reject(new Error('a look-up of K shows it')),
    neighbourhood: () => Promise.resolve({ peers: [peer], bits: BITS }),
    ask: (_peer, request) => {
      sent.push(request)
      return Promise.resolve(answer(request) as never)
    },
    diverse: (list) => [...list],
    penalise: (_peer, reason) => penalised.push(reason)
  }
  const parts: ClientParts = { profile: lab.profile, peers: () => peers, holder: () => undefined, ownPeerId: 'self', verifier: { validate: () => Promise.reject(new Error('nothing to verify')) }, judge: lab.pool }
  return { parts, sent, penalised }
}

describe('probing a name', () => {
  it('[looking a name up announces it] sends the blinded prefix only, takes every page, and compares here', async () => {
    const claim = new Uint8Array(32).fill(5)
    const last = new Uint8Array(32).fill(0xff)
    const { parts, sent } = network((request) =>
      request.type === 'list' && request.after === undefined
        ? { type: 'listed', entries: [{ key: K, state: 'settled', claim }, { key: last, state: 'fresh', claim }], more: true }
        : { type: 'listed', entries: [], more: false }
    )
    const { answers } = await probe(parts, NAME)
    expect(answers).toMatchObject([{ state: 'settled', claimId: claim }])
    expect(sent.map(({ type }) => type)).toEqual(['list', 'list'])
    for (const request of sent) {
      if (request.type !== 'list') throw new Error('only lists are expected')
      expect(request.bits).toBe(BITS)
      expect(sharesPrefix(request.key, K, BITS)).toBe(true)
      expect(equalBytes(request.key, K)).toBe(false)
      expect(toHex(encodeMessage(request))).not.toContain(toHex(K))
    }
  })

  it('shows another random key each time', async () => {
    const { parts, sent } = network(() => ({ type: 'listed', entries: [], more: false }))
    await probe(parts, NAME)
    await probe(parts, NAME)
    const [one, two] = sent as Extract<Request, { type: 'list' }>[]
    expect(equalBytes(one!.key, two!.key)).toBe(false)
  })

  it('counts a peer that does not list as not having answered', async () => {
    const { parts } = network(() => ({ type: 'busy' }))
    expect(await probe(parts, NAME)).toEqual({ answers: [], asked: 1, silent: [{ peer: expect.any(String), reason: 'no-answer' }], networkSize: 300 })
  })
})

describe('committing', () => {
  const alice = lab.owner('alice')
  const commitment = lab.commitment(NAME, alice)
  const nonce = lab.stamp(commitment)
  const peerKey = keyPairFromSeed(new Uint8Array(32).fill(1))

  it('sends C and its stamp, nothing that tells the name', async () => {
    const { parts, sent } = network(() => ({ type: 'received', receipt: encodeReceipt(signReceipt(commitment, 77, peerKey, lab.hash)) }))
    const outcome = await commit(parts, NAME, commitment, nonce)
    expect(outcome).toMatchObject({ of: 1, receipts: [{ seenRound: 77 }] })
    expect(sent).toEqual([{ type: 'commit', commitment, nonce }])
  })

  it.each([
    ['of another commitment', signReceipt(lab.commitment('other.chronym', alice), 77, peerKey, lab.hash)],
    ['of another peer', signReceipt(commitment, 77, keyPairFromSeed(new Uint8Array(32).fill(2)), lab.hash)],
    ['for another round than signed', { ...signReceipt(commitment, 77, peerKey, lab.hash), seen: 78 }]
  ])('counts no receipt %s, and holds it against the peer', async (_what, receipt) => {
    const { parts, penalised } = network(() => ({ type: 'received', receipt: encodeReceipt(receipt) }))
    expect(await commit(parts, NAME, commitment, nonce)).toEqual({ receipts: [], of: 1 })
    expect(penalised).toHaveLength(1)
  })
})
