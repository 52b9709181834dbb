import { beforeEach, expect, it } from 'vitest'
import { UnreadBytes, type Unread } from '../../../../src/network/transport/guard/unread.ts'

const LIMITS = { connection: 10, prefix: 25, all: 60 }

let unread: UnreadBytes
let ended: string[]

beforeEach(() => {
  unread = new UnreadBytes(LIMITS)
  ended = []
})

function open(name: string, prefix: string): Unread {
  const holder = unread.open(prefix, () => {
    ended.push(name)
    holder.end()
  })
  return holder
}

it('one connection may have so many unread, and what is read makes room', () => {
  const one = open('one', 'a')
  one.add(10)
  one.add(-4)
  one.add(4)
  expect(ended).toEqual([])
  one.add(1)
  expect(ended).toEqual(['one'])
  expect(unread.all).toBe(0)
})

it('beyond the part of a prefix the connection that has most in it ends, not the newest', () => {
  const [full, elsewhere, some, newest] = [
    open('full', 'a'),
    open('elsewhere', 'b'),
    open('some', 'a'),
    open('newest', 'a')
  ]
  full.add(9)
  elsewhere.add(10)
  some.add(8)
  newest.add(8)
  expect(ended).toEqual([])
  newest.add(1)
  expect(ended).toEqual(['full'])
  expect(unread.all).toBe(27)
})

it('beyond the part of all the connection that has most ends', () => {
  const holders = Array.from({ length: 7 }, (_, index) => open(String(index), `prefix ${index}`))
  for (const [index, holder] of holders.entries()) holder.add(index === 3 ? 10 : 8)
  expect(ended).toEqual([])
  for (const index of [0, 1, 2]) holders[index]!.add(1)
  expect(ended).toEqual(['3'])
})

it('counts a connection under its peer once that is known', () => {
  const [one, other] = [open('one', 'address 1'), open('other', 'address 2')]
  one.add(10)
  other.add(10)
  one.countUnder('peer')
  other.countUnder('peer')
  open('third', 'peer').add(6)
  expect(ended).toEqual(['one'])
})

it('an ended connection counts nothing any more', () => {
  const one = open('one', 'a')
  one.add(10)
  one.end()
  one.add(1_000)
  expect(ended).toEqual([])
  expect(unread.all).toBe(0)
})
