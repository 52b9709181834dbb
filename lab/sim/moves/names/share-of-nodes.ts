/** An attacker owns a share of all nodes, placed by chance, long before anybody wants the name. */
import { encodeReceipt, signReceipt } from '../../../../src/protocol/claim/commitment.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { diverseFirst } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { empty, showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, MINUTE_MS } from '../../world/world.ts'

interface Share {
  readonly id: string
  /** `take`: once the owner has revealed, they show another claim. `hide`: they keep nothing and show nothing. */
  readonly goal: 'take' | 'hide'
  /** The /24 that they are spread over; two ids in each by default. */
  readonly prefixes?: number
}

/** The thief works for the name, with an old pulse, from its reveal on. */
const WORK_MS = 30 * MINUTE_MS

/** Where no more of the k nearest lie or cannot take the name, its owner is seen: eleven of twenty can show it. */
const HARMLESS_SHARE = 0.45

function shareMove({ id, goal, prefixes }: Share): Move {
  return {
    id,
    attacks: [],
    begins: 'start',
    leadDays: 1,
    days: 3.5,
    ids: 15,
    // More than half of those around the name are free to do this. With fewer it is a breach.
    allows: 'taken',
    isAlone: true,
    async run({ world, adversary, victim, ids, thief, breach, remark }) {
      let show: Answerer = empty
      const lieOf =
        (key: KeyPair): Answerer =>
        (request, from) =>
          request.type === 'commit'
            ? {
                type: 'received',
                receipt: encodeReceipt(signReceipt(request.commitment, world.round(), key, world.hash))
              }
            : show(request, from)
      adversary.joinSigning(ids, lieOf, {
        key: victim.recordKey,
        bits: 0,
        idsOfPrefix: prefixes === undefined ? 2 : Math.ceil(ids / prefixes)
      })
      const around = diverseFirst(
        world.topology.near(victim.recordKey).map(({ peer }) => peer),
        world.profile.k,
        world.profile
      )
      const nodes = around.map((peer) => world.nodeOf(peer))
      const near = nodes.filter(({ isAttacker }) => isAttacker).length
      while (victim.reveal === undefined) await world.sleep(MINUTE_MS)
      if (goal === 'take') {
        await world.sleep(WORK_MS)
        const key = world.newKey()
        thief(key.publicKey)
        show = showing(adversary.claim(victim.name, victim.reveal.drand_pulse - 5, key), world.hash)
      }
      // One whose clock is months ahead admits no new name (rules, 9).
      const late = nodes.filter(({ isAttacker, clock }) => !isAttacker && !clock.time().fresh).length
      remark(
        `${near} of the ${around.length} around the name are the attacker's` +
          (late === 0 ? '' : `, and ${late} honest ones have clocks far ahead`)
      )
      await world.sleep(DAY_MS)
      const { owner } = await new Resolver(world).resolve(victim.name)
      if (near + late <= HARMLESS_SHARE * world.profile.k && owner !== victim.pubkey)
        breach(`with ${near} of ${around.length} around the name its owner is not seen`)
    }
  }
}

/** Two in each /24, or all in six /24 of three /16. */
export const shareMoves: readonly Move[] = [
  shareMove({ id: 'share-in-few-prefixes-hides', goal: 'hide', prefixes: 6 }),
  shareMove({ id: 'share-in-few-prefixes-takes', goal: 'take', prefixes: 6 }),
  shareMove({ id: 'share-of-nodes-hides', goal: 'hide' }),
  shareMove({ id: 'share-of-nodes-takes', goal: 'take' })
]
