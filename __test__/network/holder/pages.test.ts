/** Pages of what a holder has, as peers ask for them. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Holder } from '../../../src/network/holder/holder.ts'
import { Pages } from '../../../src/network/holder/pages.ts'
import { createBudget } from '../../../src/network/budget/budget.ts'
import { BUSY } from '../../../src/network/wire/answers.ts'
import { LIST_PAGE_ENTRIES, type ListAnswer } from '../../../src/network/wire/list.ts'
import { recordKey, sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { Lab } from '../lab.ts'
import { labHolder } from '../lab-holder.ts'
import { waitFor } from '../../wait-for.ts'
import { temporary } from '../../temporary.ts'

let store: Store
let lab: Lab
let target: Holder

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  lab = new Lab()
  target = labHolder(lab, store)
})

afterEach(() => store.close())

/** What was read of the store since the last time. */
function countRows(): () => number {
  let rows = 0
  const list = store.list.bind(store)
  vi.spyOn(store, 'list').mockImplementation(function* (...asked) {
    for (const row of list(...asked)) {
      rows++
      yield row
    }
  })
  return () => {
    const read = rows
    rows = 0
    return read
  }
}

/** Adds `count` entries of one record each. */
async function fill(count: number): Promise<Uint8Array[]> {
  await target.put('reveal', encodeReveal(lab.reveal('list-0.chronym', lab.owner('owner'), { p: lab.round })))
  const held = target.entries.load(recordKey('reveal', 'list-0.chronym', lab.hash))!
  const names = Array.from({ length: count }, (_, index) => recordKey('reveal', `list-${index}.chronym`, lab.hash))
  for (const key of names) target.entries.save(key, held)
  return names
}

const ascending = (keys: readonly Uint8Array[]): Uint8Array[] =>
  [...keys].sort((left, right) => Buffer.compare(left, right))

describe('pages', () => {
  it('list all and nothing but what lies under the prefix, and read nothing else', async () => {
    const names = await fill(300)
    const rows = countRows()
    for (const [bits, prefix] of [0, 1, 3, 4, 5, 7, 9].flatMap((each) =>
      names.slice(0, 8).map((name) => [each, name] as const)
    )) {
      const found: Uint8Array[] = []
      let after: Uint8Array | undefined
      for (let more = true; more;) {
        const page = target.list({ key: prefix, bits, ...(after !== undefined && { after }) }).next().value as Extract<
          ListAnswer,
          { type: 'listed' }
        >
        expect(page.entries.length).toBeLessThanOrEqual(LIST_PAGE_ENTRIES)
        found.push(...page.entries.map(({ key }) => key))
        after = found.at(-1)
        more = page.more
      }
      const expected = ascending(names.filter((key) => sharesPrefix(prefix, key, bits)))
      expect(found).toEqual(expected)
      expect(rows(), 'what lies elsewhere is not even read').toBeLessThanOrEqual(expected.length + 2)
    }
  })

  it('read at most what they show in one turn, however many entries are dead, and show all live ones', async () => {
    const names = ascending(await fill(1_000))
    const renewed = [names[0]!, names[600]!, names[601]!, names[999]!]
    const { entry, record } = target.entries.load(names[0]!)!
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    for (const key of renewed)
      target.entries.save(key, {
        entry: { ...entry, claim: { ...entry.claim, newestRound: lab.round } },
        record: record!
      })
    const rows = countRows()
    const found: Uint8Array[] = []
    for (let more = true; more;) {
      const after = found.at(-1)
      const parts = target.list({ key: names[0]!, bits: 0, ...(after !== undefined && { after }) })
      let page: IteratorResult<undefined, ListAnswer>
      do {
        page = parts.next()
        expect(rows()).toBeLessThanOrEqual(LIST_PAGE_ENTRIES + 1)
      } while (page.done !== true)
      const listed = page.value as Extract<ListAnswer, { type: 'listed' }>
      found.push(...listed.entries.map(({ key }) => key))
      more = listed.more
    }
    expect(found).toEqual(renewed)
    const answer = await target
      .handlers()
      .list({ type: 'list', key: names[0]!, bits: 0, after: names[1]! }, { peer: 'peer', prefix: 'prefix' } as never)
    expect(answer, 'each part has a turn of its own').toMatchObject({
      type: 'listed',
      entries: [{ key: names[600] }, { key: names[601] }],
      more: true
    })
  })

  it('are read one a turn of the event loop for all, and few of one peer wait', async () => {
    const handlers = target.handlers()
    const answers: string[] = []
    const ask = (type: 'list' | 'commitments', peer: string): void => {
      const sender = { peer, prefix: peer } as never
      const answer =
        type === 'list'
          ? handlers.list({ type, key: new Uint8Array(32), bits: 0 }, sender)
          : handlers.commitments({ type }, sender)
      void Promise.resolve(answer).then((given) => answers.push(given.type))
    }
    for (let index = 0; index < 20; index++) ask(index % 2 === 0 ? 'list' : 'commitments', `peer ${index}`)
    for (let turn = 0; answers.length < 20; turn++) {
      const before = answers.length
      await setImmediate()
      expect(answers.length - before, `pages read in turn ${turn}`).toBeLessThanOrEqual(1)
    }
    expect(new Set(answers)).toEqual(new Set(['listed', 'commitments']))

    answers.length = 0
    for (let index = 0; index < 10; index++) ask('list', 'greedy')
    await waitFor(() => expect(answers).toHaveLength(10))
    expect(answers.filter((answer) => answer === 'busy')).toHaveLength(2)
  })

  it('[peers that ask for page after page] take turns: a neighbour that asks once is next, never refused', async () => {
    const read: string[] = []
    const pages = new Pages({ ...createBudget(false), page: () => true })
    const ask = (peer: string, prefix: string): Promise<unknown> => pages.read({ peer, prefix }, () => read.push(peer))
    const flood = [0, 1, 2, 3].flatMap((index) =>
      Array.from({ length: 8 }, () => ask(`greedy ${index}`, `prefix ${index % 2}`))
    )
    const honest = [ask('honest', 'prefix 2'), ask('neighbour of the greedy', 'prefix 0')]
    await Promise.all(honest)
    expect(read.slice(0, 3)).toEqual(['greedy 0', 'greedy 1', 'honest'])
    expect(
      read.indexOf('neighbour of the greedy'),
      'after one page of each other peer of its prefix, and as many of the other'
    ).toBeLessThanOrEqual(6)
    const busy = (await Promise.all(flood)).filter((answer) => answer === BUSY)
    expect(busy, 'the sender with most makes room').toHaveLength(2)
  })
})
