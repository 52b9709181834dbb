import { chmodSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { asideOf } from '../../src/store/keys.ts'
import { readOrSetAside } from '../../src/store/stored-shapes.ts'
import { directory, failure, file, opened } from './scene.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a store', () => {
  it('gives back what was put, and nothing for what was not', () => {
    const store = opened()
    store.put('zone/a', bytes('one'))
    store.put('zone/a', bytes('two'))
    expect(store.get('zone/a')).toEqual(bytes('two'))
    expect(store.get('zone/b')).toBeUndefined()
    store.delete('zone/a')
    store.delete('zone/a')
    expect(store.get('zone/a')).toBeUndefined()
  })

  it('keeps empty values apart from missing ones', () => {
    const store = opened()
    store.put('zone/a', new Uint8Array())
    expect(store.get('zone/a')).toEqual(new Uint8Array())
  })

  it('lists a prefix in byte order, over many pages, and nothing beside it', () => {
    const store = opened()
    const wanted = Array.from({ length: 600 }, (_, index) => `task/${index.toString().padStart(4, '0')}`)
    store.batch([...wanted].reverse().map((key) => ({ put: key, value: bytes(key) })))
    store.put('task', bytes('before'))
    store.put('task0', bytes('after'))
    expect([...store.list('task/')].map(([key]) => key)).toEqual(wanted)
    expect(store.count('task/')).toBe(600)
    expect([...store.list('nothing/')]).toEqual([])
    expect([...store.keys('task/')]).toEqual([...store.list('task/')].map(([key]) => key))
    expect([...store.keys('nothing/')]).toEqual([])
  })

  it('goes on with a list after a key that it is told', () => {
    const store = opened()
    for (const key of ['k', 'k/a', 'k/b', 'k/c', 'l']) store.put(key, bytes(key))
    const after = (key: string): string[] => [...store.list('k/', key)].map(([found]) => found)
    expect(after('k/a')).toEqual(['k/b', 'k/c'])
    expect(after('k/aa')).toEqual(['k/b', 'k/c'])
    expect(after('k/c')).toEqual([])
    expect(after('a')).toEqual(['k/a', 'k/b', 'k/c'])
    expect(after('l')).toEqual([])
  })

  it('orders keys by bytes, not by UTF-16 units or locale', () => {
    const store = opened()
    for (const key of ['k/\u{1F600}', 'k/\uFFFD', 'k/Z', 'k/a', 'k/é']) store.put(key, bytes(key))
    expect([...store.list('k/')].map(([key]) => key)).toEqual(['k/Z', 'k/a', 'k/é', 'k/\uFFFD', 'k/\u{1F600}'])
  })

  it('may be written to while it is listed', () => {
    const store = opened()
    store.batch(
      Array.from({ length: 300 }, (_, index) => ({ put: `k/${String(index).padStart(4, '0')}`, value: bytes('x') }))
    )
    let seen = 0
    for (const [key] of store.list('k/')) {
      store.delete(key)
      seen++
    }
    expect(seen).toBe(300)
    expect(store.count('k/')).toBe(0)
  })

  it('lists keys without their values, page by page, the prefix itself among them', () => {
    const store = opened()
    const numbered = Array.from({ length: 5_000 }, (_, index) => `k/${String(index).padStart(4, '0')}`)
    store.batch([...numbered, 'k/', 'k', 'l'].map((key) => ({ put: key, value: bytes(key) })))
    expect([...store.keys('k/')]).toEqual(['k/', ...numbered])
    expect([...store.keys('')]).toEqual(['k', 'k/', ...numbered, 'l'])
  })

  it('says how much it holds, without what was deleted', () => {
    const store = opened()
    const before = store.bytes()
    store.put('k/large', new Uint8Array(1_000_000))
    expect(store.bytes() - before).toBeGreaterThan(900_000)
    store.delete('k/large')
    expect(store.bytes() - before).toBeLessThan(100_000)
  })

  it('does a batch wholly or not at all', () => {
    const store = opened()
    store.put('k/a', bytes('old'))
    const broken = [
      { put: 'k/a', value: bytes('new') },
      { delete: 'k/a' },
      { put: 'k/b', value: null as unknown as Uint8Array }
    ]
    expect(() => {
      store.batch(broken)
    }).toThrow()
    expect(store.get('k/a')).toEqual(bytes('old'))
  })

  it('sets aside, as it is, what cannot be read, and says so once', () => {
    const told: string[] = []
    const store = opened({ onSetAside: (key, reason) => told.push(`${key}: ${reason}`) })
    store.put('a', bytes('{"whole":1}'))
    store.put('b', bytes('{"torn'))
    const read = (key: string) =>
      readOrSetAside(store, key, store.get(key), (value) => JSON.parse(new TextDecoder().decode(value)) as unknown)
    expect([read('a'), read('b'), read('b'), read('c')]).toEqual([{ whole: 1 }, undefined, undefined, undefined])
    expect([store.get('b'), store.get(asideOf('b'))]).toEqual([undefined, bytes('{"torn')])
    expect(told).toEqual([expect.stringMatching(/^b: .*JSON/)])
  })

  it('holds what it held after it is closed and opened again', () => {
    const first = opened()
    first.put('zone/a', bytes('kept'))
    first.close()
    expect(opened().get('zone/a')).toEqual(bytes('kept'))
  })

  it('keeps its directory and file to its user', () => {
    chmodSync(directory, 0o755)
    opened()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('a full disk', () => {
  it('is reported as full, keeps what was stored, and goes on once there is room', () => {
    const store = opened({ maxPages: 16 })
    store.put('k/kept', bytes('kept'))
    const error = failure(() => {
      store.batch([
        { put: 'k/kept', value: bytes('changed') },
        { put: 'k/big', value: new Uint8Array(200_000) }
      ])
    })
    expect(error.code).toBe('full')
    expect(error.message).toContain('Free some')
    expect(store.get('k/kept')).toEqual(bytes('kept'))
    expect(store.get('k/big')).toBeUndefined()
    store.put('k/small', bytes('fits'))
    expect(store.get('k/small')).toEqual(bytes('fits'))
  })
})
