/** How often a name changes at a holder, and what becomes of the changes that wait. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import type { Origin } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { openStore } from '../../../../src/store/open.ts'
import { StoreError, type Store } from '../../../../src/store/types.ts'
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

async function change(serial: number): Promise<string> {
  return (await holder.put('reveal', encodeReveal(lab.updated(reveal, lab.owner('owner'), serial)), PEER)).type
}

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
