/** Watches what honest holders do: P3, P4 and P14. */
import type { HeldName, SimNode, Watcher } from '../../world/sim-node.ts'
import type { World } from '../../world/world.ts'
import { DAY_MS } from '../../world/world.ts'
import { BOUNDS, type InvariantId, type Violation } from './violation.ts'

export class HolderInvariants implements Watcher {
  readonly violations: Violation[] = []
  readonly #world: World
  readonly #beganMs: number
  readonly #dayMs: number
  /** Since when a name has two owners, each settled at honest holders. */
  readonly #divided = new Map<string, number>()

  constructor(world: World, dayMs = DAY_MS) {
    this.#world = world
    this.#dayMs = dayMs
    this.#beganMs = world.timeline.nowMs
    world.watchers.push(this)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    const { lapse, fresh } = node.clock.time()
    if (before?.state === 'settled' && after?.claimId !== before.claimId && lapse <= before.endRound)
      this.#found('P3', `${name} changed from ${before.owner.slice(0, 8)} to ${after?.owner.slice(0, 8) ?? 'nobody'}`)
    if (before === undefined && after !== undefined && !fresh)
      this.#found('P4', `${name} entered without a fresh pulse`)
  }

  /** To be called about once an hour. */
  look(name: string, key: Uint8Array): void {
    const settled = this.#world.holdersOf(key).flatMap(({ held }) => held.get(name) ?? [])
    const owners = new Set(settled.filter(({ state }) => state === 'settled').map(({ claimId }) => claimId))
    const now = this.#world.timeline.nowMs
    if (owners.size < 2) {
      this.#divided.delete(name)
      return
    }
    const since = this.#divided.get(name) ?? now
    this.#divided.set(name, since)
    if (now - since <= BOUNDS.twoOwners * this.#dayMs) return
    this.#found('P14', `${name} has ${owners.size} owners at its holders`)
    this.#divided.set(name, Infinity)
  }

  #found(rule: InvariantId, detail: string): void {
    this.violations.push({ rule, detail, day: (this.#world.timeline.nowMs - this.#beganMs) / DAY_MS })
  }
}
