/** What new resolvers see of a name that is sold twice. */
import { SHORT_CODE } from '../../../../src/protocol/claim/check-code.ts'
import { compareBytes, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { Owner } from '../../people/owner.ts'
import { CodeResolver, Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../../world/world.ts'
import { holdersFor } from './changes.ts'

/** What new resolvers see, look by look. */
export class Looks {
  first = 0
  second = 0
  contested = 0
  missing = 0
  /** When a look showed the first change, final and not thin, and the most peers that called it so to one look. */
  paidMs: number | undefined
  mostVotes = 0
  /** When more than half of the places were honest holders for which the first change was final. */
  finalMs: number | undefined
  secondAfterPaid = 0
  secondAfterFinal = 0
  secondByCodeAfterFinal = 0
  readonly #world: World
  readonly #victim: Owner
  readonly #keys: readonly [Uint8Array, Uint8Array]

  constructor(world: World, victim: Owner, keys: readonly [Uint8Array, Uint8Array]) {
    this.#world = world
    this.#victim = victim
    this.#keys = keys
  }

  async look(): Promise<void> {
    const [world, victim, [first, second]] = [this.#world, this.#victim, this.#keys]
    const isFinal = holdersFor(victim, first, world).final * 2 > world.profile.k
    const resolver = new Resolver(world)
    const seen = await resolver.resolve(victim.name)
    world.remove(resolver.node)
    const byCode = await this.#ownerByCode()
    if (this.finalMs !== undefined && byCode === toHex(second)) this.secondByCodeAfterFinal++
    const now = world.timeline.nowMs
    if (isFinal) this.finalMs ??= now
    if (seen.kind === 'contested') this.contested++
    else if (seen.owner === toHex(first)) {
      this.first++
      if (seen.isFinal !== true || seen.thin === true) return
      this.paidMs ??= now
      const votes = seen.answers.filter(
        ({ held }) => held?.final === true && compareBytes(held.claim.pubkey, first) === 0
      )
      this.mostVotes = Math.max(this.mostVotes, votes.length)
    } else if (seen.owner === toHex(second)) {
      this.second++
      if (this.paidMs !== undefined) this.secondAfterPaid++
      if (this.finalMs !== undefined) this.secondAfterFinal++
    } else this.missing++
  }

  /** Every minute for a quarter of an hour, every half hour for a day, then every six hours. */
  async until(endMs: number): Promise<void> {
    const beganMs = this.#world.timeline.nowMs
    while (this.#world.timeline.nowMs < endMs) {
      await this.look()
      const pastMs = this.#world.timeline.nowMs - beganMs
      const pauseMs = pastMs < 15 * MINUTE_MS ? MINUTE_MS : pastMs < DAY_MS ? HOUR_MS / 2 : 6 * HOUR_MS
      await this.#world.sleep(Math.min(pauseMs, endMs - this.#world.timeline.nowMs))
    }
  }

  async #ownerByCode(): Promise<string | undefined> {
    const resolver = new CodeResolver(this.#world)
    const { owner } = await resolver.resolve(this.#victim.name, this.#victim.code!.slice(0, SHORT_CODE))
    this.#world.remove(resolver.node)
    return owner
  }

  told(): string {
    const { first, second, contested, missing } = this
    return `looks show the first ${first}, the second ${second}, contested ${contested}, none ${missing}`
  }
}
