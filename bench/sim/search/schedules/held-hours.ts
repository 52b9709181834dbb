/** Node-hours with a wrong claim, and with a contested name. */
import type { SimNode } from '../../world/sim-node.ts'

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
