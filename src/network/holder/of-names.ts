/** Documents that one name may have kept here on its own: whoever has spent one VDF could else fill the disk of whom he likes with as many as he signs. */
const MAX_OF_A_NAME = 4

/** Which documents are kept for which name. In memory: the hourly round finds them again. */
export class DocumentsOfNames {
  readonly #nameOf = new Map<string, string>()
  readonly #byName = new Map<string, Set<string>>()

  /** Notes that a name carries a document, by K in hex. False, and it is noted nowhere, where the name carries too many others. */
  note(id: string, name: string): boolean {
    if (this.#nameOf.get(id) === name) return true
    this.forget(id)
    const others = this.#byName.get(name) ?? new Set<string>()
    if (others.size >= MAX_OF_A_NAME) return false
    this.#byName.set(name, others.add(id))
    this.#nameOf.set(id, name)
    return true
  }

  forget(id: string): void {
    const name = this.#nameOf.get(id)
    if (name === undefined) return
    this.#nameOf.delete(id)
    const others = this.#byName.get(name)!
    others.delete(id)
    if (others.size === 0) this.#byName.delete(name)
  }
}
