/** Pages of what a holder has, as peers ask for them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Holder } from '../../src/network/holder/holder.ts'
import { LIST_PAGE_ENTRIES, type ListAnswer } from '../../src/network/protocol/list.ts'
import { recordKey, sharesPrefix } from '../../src/protocol/record-key.ts'
import { encodeReveal } from '../../src/protocol/reveal.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { Lab } from './lab.ts'
import { labHolder } from './lab-holder.ts'
import { waitFor } from '../wait-for.ts'

let directory: string
let store: Store
let lab: Lab
let target: Holder

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-pages-'))
  store = openStore(join(directory, 'chronym.db'))
  lab = new Lab()
  target = labHolder(lab, store)
})

afterEach(() => {
  store.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('pages', () => {
  it('list all and nothing but what lies under the prefix, and read nothing else', async () => {
    await target.put('reveal', encodeReveal(lab.reveal('list-0.chronym', lab.owner('owner'), { p: lab.round })))
    const held = target.entries.load(recordKey('reveal', 'list-0.chronym', lab.hash))!
    const names = Array.from({ length: 300 }, (_, index) => recordKey('reveal', `list-${index}.chronym`, lab.hash))
    for (const key of names) target.entries.save(key, held)

    let rows = 0
    const list = store.list.bind(store)
    vi.spyOn(store, 'list').mockImplementation(function* (...asked) {
      for (const row of list(...asked)) {
        rows++
        yield row
      }
    })
    for (const [bits, prefix] of [0, 1, 3, 4, 5, 7, 9].flatMap((each) => names.slice(0, 8).map((name) => [each, name] as const))) {
      rows = 0
      const found: Uint8Array[] = []
      let after: Uint8Array | undefined
      for (let more = true; more; ) {
        const page = target.list({ key: prefix, bits, ...(after !== undefined && { after }) }) as Extract<ListAnswer, { type: 'listed' }>
        expect(page.entries.length).toBeLessThanOrEqual(LIST_PAGE_ENTRIES)
        found.push(...page.entries.map(({ key }) => key))
        after = found.at(-1)
        more = page.more
      }
      const expected = names.filter((key) => sharesPrefix(prefix, key, bits)).sort((left, right) => Buffer.compare(left, right))
      expect(found).toEqual(expected)
      expect(rows, 'what lies elsewhere is not even read').toBeLessThanOrEqual(expected.length + 2)
    }
  })

  it('are read one a turn of the event loop for all, and few wait, however many are asked for at once', async () => {
    const handlers = target.handlers()
    const answers: string[] = []
    const ask = (type: 'list' | 'commitments', peer: string): void => {
      const sender = { peer, prefix: peer } as never
      const answer = type === 'list' ? handlers.list({ type, key: new Uint8Array(32), bits: 0 }, sender) : handlers.commitments({ type }, sender)
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
    for (let index = 0; index < 40; index++) ask('list', `peer ${index}`)
    for (let index = 0; index < 5; index++) ask('list', 'greedy')
    await waitFor(() => expect(answers).toHaveLength(45))
    expect(answers.filter((answer) => answer === 'listed')).toHaveLength(32)
    answers.length = 0
    for (let index = 0; index < 10; index++) ask('list', 'greedy')
    await waitFor(() => expect(answers).toHaveLength(10))
    expect(answers.filter((answer) => answer === 'busy')).toHaveLength(2)
  })
})
