import { FIELDS } from './records.ts'

const PREFIX = 'chronym:zone-edits:'

/** The value if it is what `keep` wrote, else null. */
function parse(text) {
  try {
    const { base, rows } = JSON.parse(text)
    const isRow = (row) => FIELDS.every((field) => typeof row?.[field] === 'string')
    return (base === null || typeof base === 'string') && Array.isArray(rows) && rows.every(isRow)
      ? { base, rows }
      : null
  } catch {
    return null
  }
}

/**
 * Edits of zones that were not saved, by name: `{base, rows}`, base being the ETag of the zone they began from, null
 * for none.
 */
export class UnsavedEdits {
  #storage
  /** Where the browser stores nothing, they live as long as the page. */
  #kept = new Map()

  /** `storage`: the tab's session storage, which outlives a reload. */
  constructor(storage) {
    this.#storage = storage
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index)
      const edits = key.startsWith(PREFIX) ? parse(storage.getItem(key)) : null
      if (edits !== null) this.#kept.set(key.slice(PREFIX.length), edits)
    }
  }

  get(name) {
    return this.#kept.get(name)
  }

  has(name) {
    return this.#kept.has(name)
  }

  get count() {
    return this.#kept.size
  }

  keep(name, { base, rows }) {
    this.#kept.set(name, { base, rows })
    try {
      this.#storage.setItem(PREFIX + name, JSON.stringify({ base, rows }))
    } catch {
      // Storage is full: the page keeps them and warns before it closes.
    }
  }

  drop(name) {
    this.#kept.delete(name)
    this.#storage.removeItem(PREFIX + name)
  }
}
