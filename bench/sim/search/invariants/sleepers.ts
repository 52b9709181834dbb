/** Watches holders that slept through a contest or settling: P18. */
import type { HeldName, SimNode, Watcher } from '../../world/sim-node.ts'
import { DAY_MS, type World } from '../../world/world.ts'
import type { Violation } from './violation.ts'

export class SleeperInvariants implements Watcher {
  readonly violations: Violation[] = []
  readonly #world: World
  readonly #beganMs: number
  readonly #sleepers = new Set<SimNode>()

  constructor(world: World) {
    this.#world = world
    this.#beganMs = world.timeline.nowMs
    world.watchers.push(this)
  }

  slept(node: SimNode): void {
    this.#sleepers.add(node)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    if (after?.state !== 'settled' || before?.state === 'settled' || !this.#sleepers.has(node)) return
    const all = [...this.#world.topology.all()].filter((other) => other !== node && other.isHolder)
    const awake = all.filter(({ isAwake }) => isAwake)
    if (awake.length * 2 <= all.length) return
    const others = awake.filter(({ held }) => {
      const entry = held.get(name)
      return entry !== undefined && entry.state !== 'provisional' && entry.claimId !== after.claimId
    })
    if (others.length * 2 <= all.length) return
    const day = (this.#world.timeline.nowMs - this.#beganMs) / DAY_MS
    this.violations.push({ rule: 'P18', detail: `${name}: a holder that slept settled another claim`, day })
  }
}
