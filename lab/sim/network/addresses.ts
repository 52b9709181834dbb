/**
 * Where nodes are. Half are at homes: a /24 of many, in one of 20,000 /16. A third are in clouds: a few providers, each
 * with few /16 of many /24. The rest are homes with several nodes behind one address.
 */
import type { Random } from '../world/random.ts'

const SHARE = { homes: 0.5, clouds: 0.85 }
const HOME_WIDE_PREFIXES = 20_000
const PROVIDERS = 12
const WIDE_PREFIXES_OF_A_PROVIDER = 6
const NODES_BEHIND_ONE_ADDRESS = 2

export class Addresses {
  readonly #random: Random
  #shared: { prefix: string; left: number } = { prefix: '', left: 0 }

  constructor(random: Random) {
    this.#random = random
  }

  /** The /24 of an honest node. */
  honest(): string {
    const draw = this.#random.next()
    if (draw < SHARE.homes) return this.#home()
    if (draw < SHARE.clouds) {
      const wide =
        this.#random.below(PROVIDERS) * WIDE_PREFIXES_OF_A_PROVIDER + this.#random.below(WIDE_PREFIXES_OF_A_PROVIDER)
      return cloud(wide, this.#random.below(256))
    }
    if (this.#shared.left === 0) this.#shared = { prefix: this.#home(), left: NODES_BEHIND_ONE_ADDRESS }
    this.#shared.left--
    return this.#shared.prefix
  }

  /** Each /24 of the providers. */
  static clouds(): string[] {
    return Array.from({ length: PROVIDERS * WIDE_PREFIXES_OF_A_PROVIDER * 256 }, (_, index) =>
      cloud(index >> 8, index & 255)
    )
  }

  /**
   * Prefixes that an attacker rents: as few as the rules let count, two ids in a /24 and two of those in a /16. They are
   * of no honest node.
   */
  static rented(index: number, idsOfPrefix = 2): string {
    const narrow = Math.floor(index / idsOfPrefix)
    const wide = narrow >> 1
    return prefix(240 + (wide >> 8), wide & 255, narrow & 1)
  }

  /** The /48 of a rented machine, each of another provider. */
  static rentedIPv6(machine: number): string {
    return `${(0x2a0000 + machine).toString(16)}000000/48`
  }

  #home(): string {
    const wide = this.#random.below(HOME_WIDE_PREFIXES)
    return prefix(1 + (wide >> 8), wide & 255, this.#random.below(256))
  }
}

function cloud(wide: number, narrow: number): string {
  return prefix(200 + (wide >> 8), wide & 255, narrow)
}

function prefix(first: number, second: number, third: number): string {
  return `${first}.${second}.${third}.0/24`
}
