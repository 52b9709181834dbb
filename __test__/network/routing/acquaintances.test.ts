import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Acquaintances } from '../../../src/network/routing/acquaintances.ts'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { asideOf, keys } from '../../../src/store/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'

const FULL = 8_192

let directory: string
let store: Store
let round: number

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-acquaintances-'))
  store = openStore(join(directory, 'chronym.db'))
  round = 1_000
})

afterEach(() => {
  store.close()
  rmSync(directory, { recursive: true, force: true })
})

function remembered(): Acquaintances {
  return new Acquaintances(store, () => round)
}

it('are known since they came first, also after a restart', () => {
  const before = remembered()
  before.note('old')
  round = 2_000
  before.note('old')
  before.note('new')
  before.keep()
  before.note('not kept')
  round = 3_000
  const after = remembered()
  after.note('old')
  expect(['old', 'new', 'not kept', 'nobody'].map((peer) => after.met(peer))).toEqual([
    1_000,
    2_000,
    undefined,
    undefined
  ])
})

it('are the old ones once there are too many: a newcomer replaces the latest, also after a restart', () => {
  const before = remembered()
  for (let index = 0; index < FULL; index++) {
    round++
    before.note(`${index}`)
  }
  for (let index = 0; index < 100; index++) before.note(`crowd ${index}`)
  expect([before.met('0'), before.met(`${FULL - 2}`), before.met(`${FULL - 1}`), before.met('crowd 98')]).toEqual([
    1_001,
    1_000 + FULL - 1,
    undefined,
    undefined
  ])
  expect(before.met('crowd 99')).toBe(round)
  before.keep()
  const after = remembered()
  after.note('another')
  expect([after.met('0'), after.met(`${FULL - 2}`), after.met('crowd 99'), after.met('another')]).toEqual([
    1_001,
    1_000 + FULL - 1,
    undefined,
    round
  ])
})

it('are forgotten where the disk is damaged, which is set aside', () => {
  for (const damaged of ['no JSON', '{"old": 1000}', '[["old", -1]]']) {
    store.put(keys.acquaintances(), utf8(damaged))
    const after = remembered()
    expect(after.met('old')).toBeUndefined()
    expect(store.get(keys.acquaintances())).toBeUndefined()
    expect(store.get(asideOf(keys.acquaintances()))).toEqual(utf8(damaged))
    after.note('old')
    after.keep()
    expect(remembered().met('old')).toBe(1_000)
  }
})
