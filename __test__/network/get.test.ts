/** Who was asked for a name and what came of it: the client's side of a look-up, against modelled peers. */
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { describe, expect, it } from 'vitest'
import { getReveals } from '../../src/network/client/get.ts'
import type { Peer, Peers } from '../../src/network/peers.ts'
import { AskError } from '../../src/network/protocol/ask.ts'
import type { GetAnswer } from '../../src/network/protocol/get.ts'
import { createVerifier } from '../../src/network/verifier.ts'
import { keyPairFromSeed } from '../../src/protocol/ed25519.ts'
import { claimId, encodeReveal } from '../../src/protocol/reveal.ts'
import { Lab } from './lab.ts'

const NAME = 'alice.chronym'
const lab = new Lab()
const alice = lab.owner('alice')
const reveal = lab.reveal(NAME, alice, { p: lab.round })
const claim = claimId(NAME, alice.publicKey, reveal.drand_pulse, lab.hash)
const ENTRY: GetAnswer = { type: 'entry', state: 'settled', claim, record: encodeReveal(reveal) }
const FORGED: GetAnswer = { ...ENTRY, record: encodeReveal({ ...reveal, signature: new Uint8Array(64) }) }

/** Peers that answer in this order; `lost` gives no answer. */
async function lookUp(answers: readonly (GetAnswer | 'lost')[]) {
  const asked = answers.map((answer, index) => {
    const id = peerIdFromPublicKey(publicKeyFromRaw(keyPairFromSeed(new Uint8Array(32).fill(index + 1)).publicKey))
    return { id, peer: `peer-${index}`, prefix: String(index), answer }
  })
  const penalised: string[] = []
  const peers: Peers = {
    ownPosition: new Uint8Array(32),
    known: () => asked.length,
    networkSize: () => 300,
    nearest: () => asked,
    closest: () => Promise.resolve(asked),
    neighbourhood: () => Promise.resolve({ peers: asked, bits: 0 }),
    ask: (peer: Peer & { answer: GetAnswer | 'lost' }) => (peer.answer === 'lost' ? Promise.reject(new AskError('gone')) : Promise.resolve(peer.answer)),
    diverse: (all) => [...all],
    penalise: ({ peer }) => penalised.push(peer)
  }
  const parts = { profile: { ...lab.profile, scope: 'test' as const }, verifier: createVerifier(lab.profile, lab.beacon, lab.pool), peers: () => peers, holder: () => undefined, ownPeerId: 'self' }
  return { ...(await getReveals(parts, NAME, undefined, 'everybody')), penalised }
}

describe('a look-up', () => {
  it('tells who gave no answer that counts, and why', async () => {
    const { answers, asked, silent, networkSize, penalised } = await lookUp([ENTRY, 'lost', { type: 'busy' }, { type: 'refused', code: 'full', detail: '' }, FORGED, { type: 'none' }])
    expect(answers.map(({ peer, state }) => [peer, state]).sort()).toEqual([['peer-0', 'settled'], ['peer-5', 'none']])
    expect(silent.map(({ peer, reason }) => [peer, reason]).sort()).toEqual([['peer-1', 'no-answer'], ['peer-2', 'busy'], ['peer-3', 'no-answer'], ['peer-4', 'invalid']])
    expect([asked, networkSize, penalised]).toEqual([6, 300, ['peer-4']])
  })
})
