import { beforeEach, describe, expect, it, vi } from 'vitest'
// The page's own edits are read once, from the storage of its tab.
vi.stubGlobal('sessionStorage', { length: 0 })
const { UnsavedEdits } = await import('../../../../src/web/assets/zone/unsaved-edits.ts')

/** Session storage as a tab has it: a page that is loaded again finds it as it was. `capacity`: entries. */
class TabStorage implements Storage {
  readonly entries = new Map<string, string>()
  capacity = Infinity

  get length(): number {
    return this.entries.size
  }
  key(index: number): string | null {
    return [...this.entries.keys()][index] ?? null
  }
  getItem(key: string): string | null {
    return this.entries.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    if (this.entries.size >= this.capacity) throw new Error('QuotaExceededError')
    this.entries.set(key, value)
  }
  clear(): void {
    this.entries.clear()
  }
  removeItem(key: string): void {
    this.entries.delete(key)
  }
}

const edits = (value: string) => ({ base: '"3"', rows: [{ label: 'www', type: 'A', value, ttl: '' }] })

describe('edits that were not saved', () => {
  let storage: TabStorage
  beforeEach(() => {
    storage = new TabStorage()
  })

  it('are there again after the page was loaded again, for each name its own', () => {
    const before = new UnsavedEdits(storage)
    before.keep('alice.chronym', edits('192.0.2.1'))
    before.keep('bob.chronym', edits('192.0.2.2'))
    const after = new UnsavedEdits(storage)
    expect(after.get('alice.chronym')).toEqual(edits('192.0.2.1'))
    expect(after.get('bob.chronym')).toEqual(edits('192.0.2.2'))
    expect(after.count).toBe(2)
  })

  it('are gone once they are dropped, here and after a reload', () => {
    const before = new UnsavedEdits(storage)
    before.keep('alice.chronym', edits('192.0.2.1'))
    before.drop('alice.chronym')
    expect(before.has('alice.chronym')).toBe(false)
    expect(new UnsavedEdits(storage).count).toBe(0)
  })

  it('stay on the page where the browser stores no more', () => {
    storage.capacity = 0
    const kept = new UnsavedEdits(storage)
    kept.keep('alice.chronym', edits('192.0.2.1'))
    expect(kept.get('alice.chronym')).toEqual(edits('192.0.2.1'))
  })

  it.each([
    '',
    'null',
    '{}',
    '{"base":1,"rows":[]}',
    '{"base":null,"rows":[{"label":"www"}]}',
    '{"base":null,"rows":[null]}'
  ])('are not made of what is something else: %s', (text) => {
    storage.setItem('chronym:zone-edits:alice.chronym', text)
    storage.setItem('of another page', JSON.stringify(edits('192.0.2.1')))
    expect(new UnsavedEdits(storage).count).toBe(0)
  })
})
