/** Commitments of one prefix, as fast as its stamps and the holders' budgets allow, to those that should see the owner's. */
import { commit } from '../../../../src/network/client/commit.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** A second of a core for each stamp of `stamp_bits` on network `main`. */
const STAMP_MS = 1_000

export const move: Move = {
  id: 'flood-of-commitments',
  attacks: ['a flood of commitments', 'commitments that hide others'],
  begins: 'start',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim }) {
    const { client } = adversary.client()
    const random = world.random('flood')
    const end = world.timeline.nowMs + HOUR_MS / 6
    while (world.timeline.nowMs < end) {
      world.ledger.work(true, STAMP_MS)
      await commit(client, victim.name, random.bytes(32), new Uint8Array(8))
    }
  }
}
