import { expect, it } from 'vitest'
import type { Knowledge } from '../../src/dns/knowledge.ts'
import { Questions } from '../../src/dns/questions.ts'
import { settle } from '../time/manual-clock.ts'

function bench() {
  const open = new Map<string, (() => void)[]>()
  const found: { name: string; leastLeft: number }[] = []
  const learned: (readonly [name: string, knowledge: Knowledge])[] = []
  const clock = { nowMs: 0 }
  const questions = new Questions({
    find: (name, { leastLeft, signal }) =>
      new Promise((resolve) => {
        found.push({ name, leastLeft })
        const answer = (): void => resolve({ kind: 'absent', freshMs: found.length, staleMs: 100 })
        open.set(name, [...(open.get(name) ?? []), answer])
        signal.addEventListener('abort', answer)
      }),
    learn: (name, knowledge) => learned.push([name, knowledge]),
    nowMs: () => clock.nowMs
  })
  const names = (): string[] => found.map(({ name }) => name)
  const answer = async (name: string): Promise<void> => {
    open.get(name)!.shift()!()
    await settle()
  }
  return { questions, found, names, learned, answer, clock }
}

const many = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

it('looks each name up once at a time', async () => {
  const { questions, names, answer, learned } = bench()
  for (const reason of ['miss', 'miss', 'refresh'] as const) questions.ask({ name: 'a', reason })
  expect(names()).toEqual(['a'])
  await answer('a')
  expect(learned).toHaveLength(1)
  questions.ask({ name: 'a', reason: 'miss' })
  expect(names()).toEqual(['a', 'a'])
})

it('has 32 under way, and takes those that queries wait for first', async () => {
  const { questions, names, answer } = bench()
  for (const name of many(32)) questions.ask({ name, reason: 'miss' })
  questions.ask({ name: 'refresh', reason: 'refresh' })
  questions.ask({ name: 'both', reason: 'refresh' })
  questions.ask({ name: 'both', reason: 'miss' })
  questions.ask({ name: 'miss', reason: 'miss' })
  expect(names()).toHaveLength(32)
  for (const name of many(3)) await answer(name)
  expect(names().slice(32)).toEqual(['both', 'miss', 'refresh'])
})

it('asks for what is only refreshed while a fifth of its time is left, and for a miss takes what is kept', () => {
  const { questions, found } = bench()
  questions.ask({ name: 'a', reason: 'miss' })
  questions.ask({ name: 'b', reason: 'refresh' })
  expect(found).toEqual([
    { name: 'a', leastLeft: 0 },
    { name: 'b', leastLeft: 0.2 }
  ])
})

it('refuses misses beyond 512 that wait, and drops refreshes', () => {
  const { questions, learned } = bench()
  for (const name of many(32 + 512)) questions.ask({ name, reason: 'miss' })
  expect(learned).toEqual([])
  questions.ask({ name: 'more', reason: 'miss' })
  expect(learned).toMatchObject([['more', { kind: 'failed', ede: 14, freshMs: 0 }]])
  for (const name of many(513, 'r')) questions.ask({ name, reason: 'refresh' })
  expect(learned).toHaveLength(1)
})

it('leaves out misses for which nobody waits any more', async () => {
  const { questions, names, answer, clock } = bench()
  for (const name of many(32)) questions.ask({ name, reason: 'miss' })
  questions.ask({ name: 'late', reason: 'miss' })
  clock.nowMs = 4_999
  questions.ask({ name: 'later', reason: 'miss' })
  clock.nowMs = 5_000
  await answer('n0')
  expect(names().slice(32)).toEqual(['later'])
})

it('looks again what was forgotten meanwhile, three times at most', async () => {
  const { questions, names, learned, answer } = bench()
  questions.ask({ name: 'a', reason: 'miss' })
  questions.ask({ name: 'b', reason: 'miss' })
  questions.forgotten('a')
  await answer('a')
  await answer('b')
  expect(learned.map(([name]) => name)).toEqual(['b'])
  questions.forgotten(undefined)
  await answer('a')
  questions.forgotten('a')
  expect(learned).toHaveLength(1)
  await answer('a')
  expect(names()).toEqual(['a', 'b', 'a', 'a'])
  expect(learned.at(-1)).toEqual(['a', { kind: 'absent', freshMs: 0, staleMs: 0 }])
})

it('learns nothing after its end', async () => {
  const { questions, names, learned } = bench()
  for (const name of many(40)) questions.ask({ name, reason: 'miss' })
  await questions.stop()
  questions.ask({ name: 'x', reason: 'miss' })
  expect(learned).toEqual([])
  expect(names()).toHaveLength(32)
})
