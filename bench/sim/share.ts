/** An attacker who owns a share of all nodes, placed by chance, long before anybody wants the name. */
import { encodeReceipt, signReceipt } from '../../src/protocol/claim/receipt.ts'
import type { KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import { diverseFirst } from '../../src/protocol/neighbourhood/diversity.ts'
import { empty, showing } from './adversary.ts'
import type { Move } from './moves/move.ts'
import type { Answerer } from './node/sim-node.ts'
import { Resolver } from './people/resolver.ts'
import { DAY_MS, MINUTE_MS } from './world.ts'

export interface Share {
  readonly id: string
  /** `take`: once the owner has revealed, they show another claim. `hide`: they keep nothing and show nothing. */
  readonly goal: 'take' | 'hide'
  /** The /24 that they are spread over; two ids in each by default. */
  readonly prefixes?: number
}

/** The thief works for the name, with an old pulse, from its reveal on. */
const WORK_MS = 30 * MINUTE_MS

/** So many of the k nearest or fewer change nothing that lasts. */
const HARMLESS_SHARE = 0.45

export function shareMove({ id, goal, prefixes }: Share): Move {
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
      adversary.joinSigning(ids, lieOf, prefixes === undefined ? 2 : Math.ceil(ids / prefixes))
      const around = diverseFirst(
        world.topology.near(victim.recordKey).map(({ peer }) => peer),
        world.profile.k,
        world.profile
      )
      const near = around.filter((peer) => world.nodeOf(peer).isAttacker).length
      while (victim.reveal === undefined) await world.sleep(MINUTE_MS)
      if (goal === 'take') {
        await world.sleep(WORK_MS)
        const key = world.newKey()
        thief(key.publicKey)
        show = showing(adversary.claim(victim.name, victim.reveal.drand_pulse - 5, key), world.hash)
      }
      remark(`${near} of the ${around.length} around the name are the attacker's`)
      await world.sleep(DAY_MS)
      const { owner } = await new Resolver(world).resolve(victim.name)
      if (near <= HARMLESS_SHARE * world.profile.k && owner !== victim.pubkey)
        breach(`with ${near} of ${around.length} around the name its owner is not seen`)
    }
  }
}
