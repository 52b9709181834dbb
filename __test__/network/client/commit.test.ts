/** A commitment tells nothing of its name. */
import { describe, expect, it } from 'vitest'
import { commit } from '../../../src/network/client/blinded.ts'
import type { ClientParts } from '../../../src/network/client/holders.ts'
import { type Answer, type Request } from '../../../src/network/wire/messages.ts'
import { encodeReceipt, signReceipt } from '../../../src/protocol/claim/commitment.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledKey, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const lab = new Lab()
const NAME = 'secret.chronym'
const BITS = 3

/** One peer that answers as told; everything that is sent to it is kept. */
function network(answer: (request: Request) => Answer): { parts: ClientParts; sent: Request[]; penalised: string[] } {
  const peer = modelledPeer(0)
  const sent: Request[] = []
  const penalised: string[] = []
  const peers = modelledPeers(
    () => [peer],
    (_peer, request) => {
      sent.push(request)
      return answer(request)
    },
    {
      networkSize: () => 300,
      closest: () => Promise.reject(new Error('a look-up of K shows it')),
      neighbourhood: () => Promise.resolve({ peers: [peer], bits: BITS }),
      penalise: (_peer, reason) => penalised.push(reason)
    }
  )
  return { parts: clientOf(lab, peers), sent, penalised }
}

describe('committing', () => {
  const alice = lab.owner('alice')
  const commitment = lab.commitment(NAME, alice)
  const nonce = lab.stamp(commitment)
  const peerKey = modelledKey(0)

  it('sends C and its stamp, nothing that tells the name', async () => {
    const { parts, sent } = network(() => ({
      type: 'received',
      receipt: encodeReceipt(signReceipt(commitment, 77, peerKey, lab.hash))
    }))
    const outcome = await commit(parts, NAME, commitment, nonce)
    expect(outcome).toMatchObject({ of: 1, receipts: [{ seenRound: 77 }] })
    expect(sent).toEqual([{ type: 'commit', commitment, nonce }])
  })

  it.each([
    ['of another commitment', signReceipt(lab.commitment('other.chronym', alice), 77, peerKey, lab.hash)],
    ['of another peer', signReceipt(commitment, 77, modelledKey(1), lab.hash)],
    ['for another round than signed', { ...signReceipt(commitment, 77, peerKey, lab.hash), seen: 78 }]
  ])('counts no receipt %s, and holds it against the peer', async (_what, receipt) => {
    const { parts, penalised } = network(() => ({ type: 'received', receipt: encodeReceipt(receipt) }))
    expect(await commit(parts, NAME, commitment, nonce)).toEqual({ receipts: [], of: 1 })
    expect(penalised).toHaveLength(1)
  })
})
