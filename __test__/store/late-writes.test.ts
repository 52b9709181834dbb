/** Writes that follow a second later, against real databases. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StoreError } from '../../src/store/types.ts'
import { file, opened } from './scene.ts'

const SECOND = 1_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The keys on disk, as another process sees them. */
function onDisk(): string[] {
  const database = new Database(file, { readonly: true })
  try {
    return database
      .prepare<[], { key: string }>('SELECT key FROM records ORDER BY key')
      .all()
      .map(({ key }) => key)
  } finally {
    database.close()
  }
}

const bytes = (text: string): Uint8Array => Buffer.from(text)
const put = (key: string, value = 'x'): { put: string; value: Uint8Array } => ({ put: key, value: bytes(value) })

describe('writes that may be late', () => {
  it('are read at once, and are on disk a second later, in one write', () => {
    const writes: (readonly string[])[] = []
    const store = opened({ onChange: (keys) => writes.push(keys) })
    store.batchLater([put('pin/a'), put('pin/b')])
    store.batchLater([put('pin/a', 'newer'), { delete: 'pin/b' }, put('pin/c')])
    expect(Buffer.from(store.get('pin/a')!).toString()).toBe('newer')
    expect(store.get('pin/b')).toBeUndefined()
    expect(onDisk()).toEqual([])
    vi.advanceTimersByTime(SECOND)
    expect(onDisk()).toEqual(['pin/a', 'pin/c'])
    expect(writes).toEqual([['pin/a', 'pin/b', 'pin/c']])
    vi.advanceTimersByTime(10 * SECOND)
    expect(writes).toHaveLength(1)
  })

  it('are on disk before a list of them, when asked for, and at the end', () => {
    const store = opened()
    store.batchLater([put('pin/a')])
    expect([...store.keys('seen/')]).toEqual([])
    expect(onDisk()).toEqual([])
    expect([...store.list('pin/')].map(([key]) => key)).toEqual(['pin/a'])
    store.batchLater([put('pin/b')])
    expect(store.count('pin/')).toBe(2)
    store.batchLater([put('pin/c')])
    store.settle()
    expect(onDisk()).toEqual(['pin/a', 'pin/b', 'pin/c'])
    store.batchLater([put('pin/d')])
    store.close()
    expect(onDisk()).toContain('pin/d')
  })

  it('give way to a later write of the same record', () => {
    const store = opened()
    store.batchLater([put('pin/a'), put('pin/b'), put('pin/c')])
    store.delete('pin/a')
    store.put('pin/b', bytes('newer'))
    store.batch([{ delete: 'pin/c' }])
    vi.advanceTimersByTime(SECOND)
    expect(onDisk()).toEqual(['pin/b'])
    expect(Buffer.from(store.get('pin/b')!).toString()).toBe('newer')
  })

  it('fail on a full disk without a word to who reads; it is told once, and they are written when there is room', () => {
    const told: string[] = []
    const store = opened({ maxPages: 16, onLateFailure: (error) => told.push((error as StoreError).code) })
    store.put('big', new Uint8Array(36_000))
    const large = 'x'.repeat(40_000)
    store.batchLater([put('pin/a', large)])
    for (let seconds = 0; seconds < 5; seconds++) vi.advanceTimersByTime(SECOND)
    expect(told).toEqual(['full'])
    expect(store.get('pin/a')).toHaveLength(40_000)
    expect([...store.keys('pin/')]).toEqual([])
    store.delete('big')
    vi.advanceTimersByTime(SECOND)
    expect(onDisk()).toEqual(['pin/a'])
    expect(told).toHaveLength(1)
  })

  it('are bounded while the disk takes nothing', () => {
    const store = opened({ maxPages: 16 })
    store.batchLater([put('pin/first')])
    store.put('big', new Uint8Array(36_000))
    const large = 'x'.repeat(20_000)
    for (let number = 0; number < 2_000; number++) store.batchLater([put(`pin/${number}`, large)])
    expect(store.get('pin/first'), 'the oldest').toBeUndefined()
    store.batchLater([put('pin/1999'), put('pin/last')])
    vi.advanceTimersByTime(SECOND)
    expect(onDisk()).toEqual(['big', 'pin/1999', 'pin/last'])
  })
})
