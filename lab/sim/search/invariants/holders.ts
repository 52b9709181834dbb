/** Watches what honest holders do: P3, P4, P14 and, of those that slept, P18. */
import type { HeldName, SimNode, Watcher } from '../../world/sim-node.ts'
import { DAY_MS, type World } from '../../world/world.ts'
import { BOUNDS, Invariants } from './violation.ts'

export class HolderInvariants extends Invariants implements Watcher {
  readonly #dayMs: number
  /** Since when a name has two owners, each settled at honest holders. */
  readonly #divided = new Map<string, number>()

  constructor(world: World, dayMs = DAY_MS) {
    super(world)
    this.#dayMs = dayMs
    world.watchers.push(this)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    const { lapse, fresh } = node.clock.time()
    if (before?.state === 'settled' && after?.claimId !== before.claimId && lapse <= before.endRound)
      this.found('P3', `${name} changed from ${before.owner.slice(0, 8)} to ${after?.owner.slice(0, 8) ?? 'nobody'}`)
    if (before === undefined && after !== undefined && !fresh) this.found('P4', `${name} entered without a fresh pulse`)
  }

  /** To be called about once an hour. */
  look(name: string, key: Uint8Array): void {
    const settled = this.world.holdersOf(key).flatMap(({ held }) => held.get(name) ?? [])
    // A claim whose keys were changed in two ways has two owners.
    const owners = new Set(
      settled.filter(({ state }) => state === 'settled').map(({ claimId, owner }) => `${claimId} ${owner}`)
    )
    const now = this.world.timeline.nowMs
    if (owners.size < 2) {
      this.#divided.delete(name)
      return
    }
    const since = this.#divided.get(name) ?? now
    this.#divided.set(name, since)
    if (now - since <= BOUNDS.twoOwners * this.#dayMs) return
    this.found('P14', `${name} has ${owners.size} owners at its holders`)
    this.#divided.set(name, Infinity)
  }
}

/** P18. */
export class SleeperInvariants extends Invariants implements Watcher {
  readonly #sleepers = new Set<SimNode>()

  constructor(world: World) {
    super(world)
    world.watchers.push(this)
  }

  slept(node: SimNode): void {
    this.#sleepers.add(node)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    if (after?.state !== 'settled' || before?.state === 'settled' || !this.#sleepers.has(node)) return
    const all = [...this.world.topology.all()].filter((other) => other !== node && other.isHolder)
    const awake = all.filter(({ isAwake }) => isAwake)
    if (awake.length * 2 <= all.length) return
    const others = awake.filter(({ held }) => {
      const entry = held.get(name)
      return entry !== undefined && entry.state !== 'provisional' && entry.claimId !== after.claimId
    })
    if (others.length * 2 <= all.length) return
    this.found('P18', `${name}: a holder that slept settled another claim`)
  }
}

/** How long holders have which claims. */
export class HeldHours {
  /** Hours of holders of names that have two claims. */
  contested = 0
  readonly #names: readonly { readonly name: string }[]
  readonly #nodes: () => readonly SimNode[]
  /** By name and claim. */
  readonly #held = new Map<string, Map<string, number>>()

  constructor(names: readonly { readonly name: string }[], nodes: () => readonly SimNode[]) {
    this.#names = names
    this.#nodes = nodes
  }

  /** Counts what is held now for that many hours. */
  count(hours: number): void {
    for (const { name } of this.#names) {
      const held = this.#held.get(name) ?? new Map<string, number>()
      this.#held.set(name, held)
      const ids = this.#nodes().flatMap((node) => node.held.get(name)?.claimId ?? [])
      for (const id of ids) held.set(id, (held.get(id) ?? 0) + hours)
      if (new Set(ids).size > 1) this.contested += ids.length * hours
    }
  }

  /** Hours with a claim other than the one that most nodes have now. */
  wrong(): number {
    let wrong = 0
    for (const [name, held] of this.#held) {
      const now = this.#nodes().flatMap((node) => node.held.get(name)?.claimId ?? [])
      const winner = now.find((id) => now.filter((other) => other === id).length * 2 > now.length)
      for (const [id, hours] of held) if (id !== winner) wrong += hours
    }
    return wrong
  }
}
