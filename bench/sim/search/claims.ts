/** The attacker's claims in a plan: made when they are first used, and shown no earlier than their work is done. */
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { iterationsFor, parseName } from '../../../src/protocol/name/names.ts'
import { roundTimeMs } from '../../../src/protocol/time/beacon-time.ts'
import { FAST_CHIP, type Adversary } from '../people/adversary.ts'
import type { World } from '../world/world.ts'
import type { PlannedClaim } from './plan.ts'

export class AttackersClaim {
  readonly key: KeyPair
  readonly commitment: Uint8Array
  readonly #world: World
  readonly #adversary: Adversary
  readonly #name: string
  readonly #planned: PlannedClaim
  readonly #salt: Uint8Array
  readonly #victimsRound: number
  #reveal: Reveal | undefined
  #round: number | undefined

  /** @param victimsRound when the victim commits */
  constructor(world: World, adversary: Adversary, name: string, planned: PlannedClaim, victimsRound: number) {
    this.#victimsRound = victimsRound
    this.#world = world
    this.#adversary = adversary
    this.#name = name
    this.#planned = planned
    this.key = world.newKey()
    this.#salt = world.random(`salt of ${name} ${this.key.publicKey.join()}`).bytes(32)
    this.commitment = commitmentHash(name, this.key.publicKey, this.#salt, world.hash)
  }

  /** p; that of a worked claim is chosen at the first call. */
  get round(): number {
    this.#round ??=
      this.#planned.kind === 'worked'
        ? this.#world.round() + this.#world.profile.min_commit + 1
        : this.#victimsRound - this.#planned.rounds
    return this.#round
  }

  get readyMs(): number {
    const { profile } = this.#world
    const speed = this.#planned.kind === 'worked' ? this.#planned.speed : FAST_CHIP
    const seconds = iterationsFor(parseName(this.#name, profile), profile) / speed
    return roundTimeMs(this.round, profile.beacon) + seconds * 1000
  }

  /** Undefined while the work for it goes on. */
  get reveal(): Reveal | undefined {
    if (this.#world.timeline.nowMs < this.readyMs) return undefined
    return (this.#reveal ??=
      this.#planned.kind === 'old' && this.#planned.isRenewed
        ? this.#adversary.backdated(this.#name, this.key)
        : this.#adversary.claim(this.#name, this.round, this.key, this.#salt))
  }

  /** Waits until the work is done. */
  async done(): Promise<Reveal> {
    await this.#world.sleep(Math.max(0, this.readyMs - this.#world.timeline.nowMs) + 1)
    return this.reveal!
  }
}
