/** A commitment tells nothing of its name. */
import { describe, expect, it } from 'vitest'
import { commit } from '../../../src/network/client/blinded.ts'
import { encodeReceipt, signReceipt } from '../../../src/protocol/claim/commitment.ts'
import { Lab } from '../lab.ts'
import { lonePeer, modelledKey } from '../modelled-peers.ts'

const lab = new Lab()
const NAME = 'secret.chronym'
describe('committing', () => {
  const alice = lab.owner('alice')
  const commitment = lab.commitment(NAME, alice)
  const nonce = lab.stamp(commitment)
  const peerKey = modelledKey(0)

  it('sends C and its stamp, nothing that tells the name', async () => {
    const { parts, sent } = lonePeer(lab, () => ({
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
    const { parts, penalised } = lonePeer(lab, () => ({ type: 'received', receipt: encodeReceipt(receipt) }))
    expect(await commit(parts, NAME, commitment, nonce)).toEqual({ receipts: [], of: 1 })
    expect(penalised).toHaveLength(1)
  })
})
