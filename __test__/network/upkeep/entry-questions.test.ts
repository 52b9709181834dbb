/** How many entries are asked about at the same time, and in which order. */
import { beforeEach, expect, it } from 'vitest'
import { EntryQuestions } from '../../../src/network/upkeep/maintenance.ts'
import { newEntry, type Entry, type EntryState } from '../../../src/protocol/admission/entry.ts'
import { bareClaim } from '../../protocol/fixtures.ts'
import { labProfile } from '../lab.ts'

const PROFILE = labProfile()
/** Rounds between two questions about a settling entry of that profile. */
const INTERVAL = Math.ceil((PROFILE.settle - PROFILE.contest) / 4)

let asked: string[]
let answer: Map<string, () => void>
let questions: EntryQuestions

beforeEach(() => {
  asked = []
  answer = new Map()
  const ask = (id: string): Promise<void> => {
    asked.push(id)
    return new Promise((resolve) => answer.set(id, resolve))
  }
  questions = new EntryQuestions({ profile: PROFILE, random: () => 0, ask })
})

const entries = (count: number, state: EntryState = 'settling'): Map<string, Entry> =>
  new Map(
    Array.from({ length: count }, (_, index) => [
      `${index}`,
      newEntry(bareClaim({ firstRound: 1 }), state, { verified: 1 })
    ])
  )
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('are eight, and a peer silent to one delays none of the others', async () => {
  const all = entries(30)
  questions.begin(all, 100)
  expect(asked, 'not all at their first sight').toEqual([])
  questions.begin(all, 100)
  expect(asked).toHaveLength(8)
  for (let count = 8; count < 30; count++) {
    answer.get(asked.at(-1)!)!()
    await settled()
    expect(asked).toHaveLength(count + 1)
  }
  expect(new Set(asked).size, 'each once').toBe(30)
  expect(asked.slice(0, 8)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
})

it('come again after their interval, those that had to wait first, and not once an entry is settled', async () => {
  const all = entries(10)
  for (let index = 0; index < 2; index++) questions.begin(all, 100)
  questions.begin(all, 100 + INTERVAL)
  for (const id of asked) answer.get(id)!()
  await settled()
  expect(asked.slice(8, 10)).toEqual(['8', '9'])
  for (const id of asked.slice(8)) answer.get(id)!()
  const before = asked.length
  all.delete('3')
  questions.begin(all, 100 + 2 * INTERVAL)
  await settled()
  expect(asked.slice(before)).not.toContain('3')
})

it('are none about an entry in contest, and none begin once they are stopped', async () => {
  questions.begin(entries(3, 'fresh'), 100)
  questions.begin(entries(3, 'fresh'), 1_000)
  expect(asked).toEqual([])
  for (let index = 0; index < 2; index++) questions.begin(entries(10), 1_000)
  const stopped = questions.stop()
  for (const end of answer.values()) end()
  await stopped
  expect(asked).toHaveLength(8)
})
