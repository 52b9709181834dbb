/** Nodes give receipts that name a round as late as counts, one a year ahead, or one from before the commitment. */
import { encodeReceipt, signReceipt } from '../../../../src/protocol/claim/receipt.ts'
import { blindedPrefixBits } from '../../../../src/protocol/claim/record-key.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { empty } from '../../people/adversary.ts'
import type { Answerer } from '../../world/sim-node.ts'
import type { Move } from '../move.ts'

/** Rounds of a year of three-second rounds: what a clock that is set so says. */
const YEAR_ROUNDS = 10_512_000

const LOOK_MS = 500

export const move: Move = {
  id: 'lying-receipts',
  attacks: ['one lying receipt'],
  begins: 'start',
  leadDays: 0.1,
  days: 1.5,
  ids: 3,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { min_commit, receipt_slack } = world.profile
    const offsets = [receipt_slack, YEAR_ROUNDS, -100]
    let asked = 0
    let firstRound: number | undefined
    const lieOf = (key: KeyPair): Answerer => {
      const off = offsets[adversary.nodes.length % offsets.length]!
      return (request, from) => {
        if (request.type !== 'commit' || from !== victim.node) return empty(request)
        asked++
        firstRound ??= world.round()
        return {
          type: 'received',
          receipt: encodeReceipt(signReceipt(request.commitment, world.round() + off, key, world.hash))
        }
      }
    }
    // A commitment goes to nodes that share these first bits, whatever the name is.
    const bits = blindedPrefixBits(world.topology.size)
    adversary.joinSigning(ids, lieOf, { key: victim.recordKey, bits })
    while (victim.state === 'committing') await world.sleep(LOOK_MS)
    const now = world.round()
    while (victim.firstRound === undefined) await world.sleep(LOOK_MS)
    if (firstRound === undefined) {
      breach('no liar was asked: the move tried nothing')
      return
    }
    const [delay, most] = [victim.firstRound - firstRound, now - firstRound + min_commit + receipt_slack]
    remark(`${asked} of ${ids} liars were asked; p is ${delay} rounds after the first of them was, ${most} are allowed`)
    if (delay > most) breach(`p is ${delay} rounds after the commitment, and at most ${most} are allowed`)
    if (delay < 1) breach('p is not after the commitment')
  }
}
