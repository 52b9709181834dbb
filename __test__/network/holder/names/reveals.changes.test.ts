/** How often a name changes at a holder, and what becomes of the changes that wait. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBudget } from '../../../../src/network/budget/budget.ts'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import type { Origin } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { sha256 } from '../../../../src/protocol/encoding/bytes.ts'
import { openStore } from '../../../../src/store/open.ts'
import { StoreError, type Store } from '../../../../src/store/types.ts'
import { nextHash } from '../../../../src/protocol/claim/changes.ts'
import { withChange } from '../../../protocol/changed-keys.ts'
import { Lab } from '../../lab.ts'
import { labHolder } from '../../lab-holder.ts'
import { temporary } from '../../../temporary.ts'

const NAME = 'changed.chronym'
const PEER: Origin = { peer: 'peer', prefix: 'p' }

let store: Store
let lab: Lab
let holder: Holder
let reveal: Reveal

beforeEach(async () => {
  store = openStore(join(temporary(), 'chronym.db'))
  lab = new Lab()
  holder = labHolder(lab, store)
  reveal = lab.reveal(NAME, lab.owner('owner'), { p: lab.round })
  await change(1)
})

afterEach(() => store.close())

async function put(offered: Reveal, sender = PEER): Promise<string> {
  return (await holder.put('reveal', encodeReveal(offered), sender)).type
}

const change = (serial: number): Promise<string> => put(lab.updated(reveal, lab.owner('owner'), serial))

function serial(): number | undefined {
  return holder.entries.load(recordKey('reveal', NAME, lab.hash))?.entry.claim.serial
}

it('[older changes sent again] do not put out the newest that waits, and it comes when its turn does', async () => {
  const { burst, interval } = lab.profile.changes
  for (let each = 2; each < 2 + burst; each++) expect(await change(each)).toBe('stored')
  expect(await change(20)).toBe('busy')
  // All of them are newer than the one that is held.
  for (const older of [12, 19, 11]) expect(await change(older)).toBe('busy')
  await holder.reveals.applyWaiting()
  expect(serial()).toBe(1 + burst)
  lab.advance(interval)
  await holder.reveals.applyWaiting()
  expect(serial()).toBe(20)
})

it('are not lost where they meet a fault when their turn comes', async () => {
  const { burst, interval } = lab.profile.changes
  for (let each = 2; each < 2 + burst; each++) await change(each)
  expect(await change(20)).toBe('busy')
  lab.advance(interval)
  vi.spyOn(store, 'batch').mockImplementationOnce(() => {
    throw new StoreError('full', 'no space is left')
  })
  await expect(holder.reveals.applyWaiting()).rejects.toThrow('no space is left')
  lab.advance(interval)
  await holder.reveals.applyWaiting()
  expect(serial()).toBe(20)
})

it('are not held up by a clock that was set back by hours', async () => {
  const { burst } = lab.profile.changes
  lab.advance(10 * 3600)
  for (let each = 2; each < 2 + burst; each++) await change(each)
  holder.reveals.forgetChanges()
  expect(await change(10)).toBe('busy')
  lab.round -= 5 * 3600
  holder.reveals.forgetChanges()
  expect(await change(11)).toBe('stored')
})

it('leave room for the updates of others, whoever fills the queue', async () => {
  const many = Array.from({ length: 260 }, (_, index) => `many${index}.chronym`)
  const prefixes: Origin[] = ['p', 'p', 'q'].map((prefix, index) => ({ peer: `${index}`, prefix }))
  lab = new Lab({ ...lab.profile, changes: { interval: 30, burst: 1 } })
  let nowMs = 0
  // Each question of the budget comes so late that all of it has come back.
  holder = labHolder(lab, store, { budget: createBudget(false, () => (nowMs += 60_000)) })
  const own = lab.owner('owner')
  const spend = async (name: string, sender: Origin): Promise<Reveal> => {
    const first = lab.reveal(name, own, { p: lab.round })
    for (let each = 0; each <= lab.profile.changes.burst; each++)
      await put(each === 0 ? first : lab.updated(first, own, each + 1), sender)
    return first
  }
  for (const [index, name] of many.entries()) {
    const sender = prefixes[index % 2]!
    expect(await put(lab.updated(await spend(name, sender), own, 99), sender)).toBe('busy')
  }
  const other = await spend('other.chronym', prefixes[2]!)
  expect(await put(lab.updated(other, own, 99), prefixes[2])).toBe('busy')
  lab.advance(lab.profile.changes.interval)
  await holder.reveals.applyWaiting()
  const serials = [...many, 'other.chronym'].map(
    (name) => holder.entries.load(recordKey('reveal', name, lab.hash))!.entry.claim.serial
  )
  expect(serials.filter((serial) => serial === 99)).toHaveLength(256)
  expect(serials.at(-1)).toBe(99)
})

it('[a thief of the change words] outlives a start: the record is served, its notice kept beside it, until that is final', async () => {
  const [owner, words, thief] = ['owner', 'words', 'thief'].map((who) => lab.owner(who))
  const NOTICED = 'noticed.chronym'
  const named = lab.reveal(NOTICED, owner!, { p: lab.round, next: nextHash(words!.publicKey, lab.hash) })
  const stolen = withChange(named, { to: thief!, next: words!, by: words! }, lab.profile)
  expect([await put(named), await put(stolen)]).toEqual(['stored', 'stored'])
  const key = recordKey('reveal', NOTICED, lab.hash)
  const shown = (of: Holder): unknown[] => {
    const answer = of.get('reveal', key)
    return answer.type === 'entry' ? [answer.record, answer.notice?.record] : [answer.type]
  }
  const again = labHolder(lab, store)
  for (const each of [holder, again]) expect(shown(each)).toEqual([named, stolen].map(encodeReveal))
  const listed = again.list({ key, bits: 16 }).next().value
  expect(listed).toMatchObject({ entries: [{ notice: sha256(encodeReveal(stolen)) }] })
  lab.advance(2 * lab.profile.grace + 1)
  for (const write of [() => undefined, () => again.entries.tickUnsettled()]) {
    write()
    for (const each of [holder, again, labHolder(lab, store)])
      expect(shown(each)).toEqual([encodeReveal(stolen), undefined])
  }
  again.entries.drop(key)
  expect([...store.keys('notice/')]).toEqual([])
})
