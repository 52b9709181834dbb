/** When the hourly rounds come: the maintenance of a node without peers. */
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rememberOwnRecord } from '../../../src/network/client/own-records.ts'
import { encodeIdentityEnvelope } from '../../../src/protocol/identity/record.ts'
import { createRoundClock } from '../../../src/time/clock.ts'
import { startMaintenance, type Maintenance } from '../../../src/network/upkeep/maintenance.ts'
import { asideOf, keys } from '../../../src/store/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { temporary } from '../../temporary.ts'
import { Lab } from '../lab.ts'

const HOUR_MS = 60 * 60_000

let store: Store
let maintenance: Maintenance
let nowMs: number
let rounds: number
let looks: (() => void)[]

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  rememberOwnRecord(store, { kind: 'kid', id: 'did', bytes: encodeIdentityEnvelope({ versions: [] }) })
  const lab = new Lab()
  nowMs = lab.nowMs()
  rounds = 0
  looks = []
  maintenance = startMaintenance({
    profile: lab.profile,
    store,
    clock: createRoundClock(lab.beacon, lab.profile, store, () => nowMs),
    beacon: lab.beacon,
    timers: { every: (_milliseconds, action) => (looks.push(action), () => undefined) },
    random: () => 0,
    log: pino({ level: 'silent' }),
    peers: () => undefined,
    holder: () => undefined,
    republish: async () => {
      rounds++
    },
    send: () => Promise.reject(new Error('nothing is displaced'))
  })
})

afterEach(async () => {
  await maintenance.stop()
  store.close()
})

/** Rounds completed after `milliseconds`. */
async function after(milliseconds: number): Promise<number> {
  nowMs += milliseconds
  for (const look of looks) look()
  await new Promise((resolve) => setImmediate(resolve))
  return rounds
}

it('come each half an hour to hour and a half', async () => {
  expect(await after(0)).toBe(1)
  expect(await after(HOUR_MS / 2 - 1)).toBe(1)
  expect(await after(1)).toBe(2)
})

it('come soon once peers are there again, and are not put off by a clock that is set back by hours', async () => {
  expect(await after(0)).toBe(1)
  expect(await after(-5 * HOUR_MS)).toBe(2)
  expect(await after(HOUR_MS / 2 - 1)).toBe(2)
  maintenance.soon()
  expect(await after(5_000)).toBe(3)
  maintenance.soon()
  expect(await after(5_000), 'a minute apart').toBe(3)
  expect(await after(-5 * HOUR_MS)).toBe(4)
})

it('set an own record aside that cannot be read, and go on with the others', async () => {
  rememberOwnRecord(store, { kind: 'reveal', id: 'mine.chronym', bytes: new Uint8Array([1, 2]) })
  expect(await after(0)).toBe(1)
  const key = keys.ownRecord('reveal', 'mine.chronym')
  expect([store.get(key), store.get(asideOf(key))]).toEqual([undefined, new Uint8Array([1, 2])])
})
