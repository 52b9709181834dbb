import { FIELDS, type RecordRow } from './records.ts'

const PREFIX = 'chronym:zone-edits:'

interface Edits {
  /** The ETag of the zone they began from, null for none. */
  readonly base: string | null
  readonly rows: readonly RecordRow[]
}

/** The value if it is what `keep` wrote, else null. */
function parse(text: string): Edits | null {
  try {
    const { base, rows } = JSON.parse(text) as { base: unknown; rows: unknown }
    const isRow = (row: Partial<RecordRow> | null): row is RecordRow =>
      FIELDS.every((field) => typeof row?.[field] === 'string')
    return (base === null || typeof base === 'string') && Array.isArray(rows) && rows.every(isRow)
      ? { base, rows }
      : null
  } catch {
    return null
  }
}

/** Edits of zones that were not saved, by name. The browser asks before it closes a tab with some. */
export class UnsavedEdits {
  #storage: Storage
  /** Where the browser stores nothing, they live as long as the page. */
  #kept = new Map<string, Edits>()

  /** `storage`: the tab's session storage, which outlives a reload. */
  constructor(storage: Storage) {
    this.#storage = storage
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index) ?? ''
      const text = key.startsWith(PREFIX) ? storage.getItem(key) : null
      const edits = text === null ? null : parse(text)
      if (edits !== null) this.#kept.set(key.slice(PREFIX.length), edits)
    }
    this.#guard()
  }

  get(name: string): Edits | undefined {
    return this.#kept.get(name)
  }

  has(name: string): boolean {
    return this.#kept.has(name)
  }

  get count(): number {
    return this.#kept.size
  }

  keep(name: string, { base, rows }: Edits): void {
    this.#kept.set(name, { base, rows })
    this.#guard()
    try {
      this.#storage.setItem(PREFIX + name, JSON.stringify({ base, rows }))
    } catch {
      // Storage is full: the page keeps them and warns before it closes.
    }
  }

  drop(name: string): void {
    this.#kept.delete(name)
    this.#guard()
    this.#storage.removeItem(PREFIX + name)
  }

  #guard(): void {
    globalThis.onbeforeunload = this.count > 0 ? (event) => event.preventDefault() : null
  }
}

/** Those of this tab. */
export const edits = new UnsavedEdits(sessionStorage)
