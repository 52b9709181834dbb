import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../../src/network/budget/fair-queue.ts'

const from = (peer: string, prefix: string) => ({ peer, prefix })

function drained(queue: FairQueue<string>): string[] {
  const items: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

describe('a fair queue', () => {
  it('gives each prefix its turn, and each peer its turn within a prefix', () => {
    const queue = new FairQueue<string>({ all: 100, peer: 10 })
    for (const item of ['a1', 'a2', 'a3']) queue.add(from('a', 'crowded'), item)
    queue.add(from('b', 'crowded'), 'b1')
    queue.add(from('c', 'quiet'), 'c1')
    expect(drained(queue)).toEqual(['a1', 'c1', 'b1', 'a2', 'a3'])
    expect(queue.size).toBe(0)
  })

  it('lets a newcomer go before the second question of the one that asks most', () => {
    const queue = new FairQueue<string>({ all: 100, peer: 10 })
    for (const item of ['a1', 'a2', 'a3']) queue.add(from('a', 'one'), item)
    expect(queue.next()).toBe('a1')
    queue.add(from('b', 'two'), 'b1')
    queue.next()
    expect(queue.next()).toBe('b1')
  })

  it('takes no more of one peer than its limit, and gives the item back', () => {
    const queue = new FairQueue<string>({ all: 100, peer: 2 })
    expect([1, 2, 3].map((index) => queue.add(from('a', 'one'), `a${index}`))).toEqual([undefined, undefined, 'a3'])
    expect(queue.add(from('b', 'one'), 'b1')).toBeUndefined()
    expect(queue.size).toBe(3)
  })

  it('when full, drops the last item of the peer that has most, in the prefix that has most', () => {
    const queue = new FairQueue<string>({ all: 4, peer: 10 })
    for (const item of ['a1', 'a2', 'a3']) queue.add(from('a', 'crowded'), item)
    queue.add(from('b', 'crowded'), 'b1')
    expect(queue.add(from('c', 'quiet'), 'c1')).toBe('a3')
    expect(drained(queue)).toEqual(['a1', 'c1', 'b1', 'a2'])
  })

  it('when full of single items, refuses the one that comes last', () => {
    const queue = new FairQueue<string>({ all: 2, peer: 10 })
    queue.add(from('a', 'one'), 'a1')
    queue.add(from('b', 'two'), 'b1')
    expect(queue.add(from('c', 'three'), 'c1')).toBe('c1')
  })

  it('of nothing has no next', () => expect(new FairQueue({ all: 1, peer: 1 }).next()).toBeUndefined())
})
