/** What a full node gives up, and what it never does. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBudget } from '../../../src/network/budget/budget.ts'
import type { Holder } from '../../../src/network/holder/holder.ts'
import { DEFAULT_HOLDER_LIMITS, type HolderLimits } from '../../../src/network/holder/capacity.ts'
import { u64be } from '../../../src/protocol/encoding/bytes.ts'
import { buildGenesis, signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { documentStampSubject, encodeIdentityRecord } from '../../../src/protocol/identity/record.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { stampWork } from '../../../src/protocol/crypto/domain.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { Lab, saltOf } from '../lab.ts'
import { labHolder } from '../lab-holder.ts'
import { temporary } from '../../temporary.ts'

let store: Store
let lab: Lab
let elapsed: number
let senders: number

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  lab = new Lab()
  elapsed = 0
  senders = 0
})

afterEach(() => store.close())

/** Offers are never too many for its budgets. */
function holder(limits: Partial<HolderLimits> = {}): Holder {
  return labHolder(lab, store, {
    budget: createBudget(false, () => (elapsed += 1_000_000)),
    limits: { ...DEFAULT_HOLDER_LIMITS, ...limits }
  })
}

/** Offers a claim with or without a witnessed commitment. */
async function offer(target: Holder, label: string, isWitnessed: boolean): Promise<string> {
  const [name, owner] = [`${label}.chronym`, lab.owner(label)]
  const commitment = lab.commitment(name, owner, saltOf(label))
  if (isWitnessed) target.commit(commitment, lab.stamp(commitment), 'p')
  lab.advance(lab.profile.min_commit)
  const answer = await target.put(
    'reveal',
    encodeReveal(lab.reveal(name, owner, { p: lab.round, salt: saltOf(label) })),
    { peer: `peer ${senders++}`, prefix: 'p' }
  )
  return answer.type === 'refused' ? answer.code : answer.type
}

function states(target: Holder, ...labels: string[]): (string | undefined)[] {
  return labels.map((label) => target.entries.load(recordKey('reveal', `${label}.chronym`, lab.hash))?.entry.state)
}

/** An identity with a stamp of exactly that work. */
async function offerStamped(target: Holder, who: string, work: number): Promise<string> {
  const { publicKey, ...key } = lab.owner(who)
  const document = signIdentityDocument(
    buildGenesis({ keys: [publicKey], updateKeys: [publicKey] }, lab.profile),
    { publicKey, ...key },
    '2026-01-01T00:00:00Z',
    lab.profile
  )
  const subject = documentStampSubject(document.id, lab.round, lab.hash)
  let attempt = 0
  while (stampWork(subject, u64be(attempt), lab.hash) !== work) attempt++
  const record = encodeIdentityRecord({
    log: verifyIdentityLog([document], lab.profile),
    stamp: { round: lab.round, nonce: u64be(attempt) }
  })
  const answer = await target.put('kid', record, { peer: `peer ${senders++}`, prefix: 'p' })
  return answer.type === 'refused' ? answer.code : answer.type
}

describe('a full node', () => {
  it('takes no more provisional entries than it may, and witnessed ones all the same', async () => {
    const target = holder({ provisional: 2 })
    expect([await offer(target, 'a', false), await offer(target, 'b', false), await offer(target, 'c', false)]).toEqual(
      ['stored', 'stored', 'full']
    )
    expect(await offer(target, 'd', true)).toBe('stored')
    expect(states(target, 'a', 'b', 'c', 'd')).toEqual(['provisional', 'provisional', undefined, 'fresh'])
  })

  it('drops the latest provisional entry for a witnessed one on a full disk, and nothing settled', async () => {
    const open = holder()
    await offer(open, 'settled', true)
    lab.advance(lab.profile.settle + 1)
    await open.reveals.revise(recordKey('reveal', 'settled.chronym', lab.hash))
    await offer(open, 'first', false)
    await offer(open, 'second', false)
    // Past the pages that the database has in use now, whatever is in them.
    const full = holder({ bytes: store.bytes() })
    expect(await offer(full, 'third', false)).toBe('full')
    expect(await offer(full, 'witnessed', true)).toBe('full')
    expect(states(full, 'settled', 'first', 'second', 'witnessed'), 'what gave way was not enough').toEqual([
      'settled',
      undefined,
      undefined,
      undefined
    ])

    const roomy = holder({ bytes: store.bytes() + 1 })
    expect(await offer(roomy, 'witnessed', true)).toBe('stored')
    expect(states(roomy, 'settled', 'witnessed')).toEqual(['settled', 'fresh'])
  })

  it('takes the updates and renewals of what it holds', async () => {
    const open = holder()
    await offer(open, 'mine', true)
    const held = open.get('reveal', recordKey('reveal', 'mine.chronym', lab.hash))
    expect(held).toHaveProperty('record')
    const updated = lab.updated(
      lab.reveal('mine.chronym', lab.owner('mine'), { p: lab.round, salt: saltOf('mine') }),
      lab.owner('mine'),
      2
    )
    expect(await holder({ bytes: 1 }).put('reveal', encodeReveal(updated), { peer: 'owner', prefix: 'p' })).toEqual({
      type: 'stored'
    })
  })

  it('keeps of the identities that only a stamp carries those of the most work', async () => {
    const target = holder({ stamped: 2 })
    expect([await offerStamped(target, 'a', 6), await offerStamped(target, 'b', 5)]).toEqual(['stored', 'stored'])
    expect(await offerStamped(target, 'as much', 5)).toBe('full')
    expect(await offerStamped(target, 'more', 7)).toBe('stored')
    expect(store.count(prefixes.identities)).toBe(2)
    // So they are after a restart.
    const again = holder({ stamped: 2 })
    expect([await offerStamped(again, 'less', 5), await offerStamped(again, 'most', 8)]).toEqual(['full', 'stored'])
    expect([store.count(prefixes.identities), store.count(prefixes.stamped)]).toEqual([2, 2])
  })
})

describe('entries', () => {
  it('that are not settled are known after a restart without reading the others', async () => {
    const before = holder()
    await offer(before, 'old', true)
    lab.advance(lab.profile.settle + 1)
    await before.reveals.revise(recordKey('reveal', 'old.chronym', lab.hash))
    await offer(before, 'young', true)
    await offer(before, 'unwitnessed', false)
    expect(store.count(prefixes.unsettled)).toBe(2)

    const after = holder()
    expect([...after.entries.tickUnsettled().values()].map(({ state }) => state).sort()).toEqual([
      'fresh',
      'provisional'
    ])
    expect([after.entries.count(), after.entries.provisional()]).toEqual([3, 1])
    // Settling and dying take the marks away.
    lab.advance(lab.profile.provisional_settle + 1)
    for (const name of ['young', 'unwitnessed'])
      await after.reveals.revise(recordKey('reveal', `${name}.chronym`, lab.hash))
    expect(store.count(prefixes.unsettled)).toBe(0)
    lab.advance(lab.profile.lease + lab.profile.grace)
    await after.entries.dropDead()
    expect([after.entries.count(), store.count(prefixes.entries), store.count(prefixes.records)]).toEqual([0, 0, 0])
  })

  it('of a store without marks are marked once', async () => {
    const before = holder()
    await offer(before, 'young', true)
    for (const key of [...store.keys(prefixes.unsettled), keys.entriesIndexed()]) store.delete(key)
    expect(holder().entries.tickUnsettled().size).toBe(1)
    expect(store.count(prefixes.unsettled)).toBe(1)
  })
})
