/** What a holder does with what it is not, or no longer, near to. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ListAnswer } from '../../../src/network/wire/list.ts'
import { dropDisplaced } from '../../../src/network/upkeep/replication.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { encodeStub, stubOf } from '../../../src/protocol/admission/holder.ts'
import { keys } from '../../../src/store/keys.ts'
import { HolderWorkbench } from '../holder-workbench.ts'

let at: HolderWorkbench

beforeEach(() => {
  at = new HolderWorkbench({ profile: { k: 1 } })
})

afterEach(() => {
  at.close()
})

describe('a holder far from a name', () => {
  it('refuses what belongs far away', async () => {
    at.addNeighbours(1)
    at.size = 200
    const target = at.holder()
    const answers: unknown[] = []
    for (let index = 0; index < 6; index++)
      answers.push(await at.put(target, at.witnessed(target, `far-${index}.chronym`, 'owner')))
    expect(
      answers.filter((answer) => (answer as { code?: string }).code === 'not-neighbour').length
    ).toBeGreaterThanOrEqual(5)
  })

  it('[displaced holders] keeps the stub of a distant settled claim, and refuses others by it', async () => {
    const { lab } = at
    const owner = lab.owner('displaced')
    const before = at.holder()
    const reveal = at.witnessed(before, 'displaced.chronym', 'displaced')
    const key = at.key('displaced.chronym')
    await at.put(before, reveal)
    before.entries.dropPayload(key)
    expect(before.get('reveal', key), 'only a settled claim is cut to its stub').toHaveProperty('record')
    lab.advance(lab.profile.settle + 1)
    await before.reveals.revise(key)
    before.entries.dropPayload(key)

    const target = at.holder()
    expect(target.get('reveal', key)).toEqual({ type: 'entry', state: 'settled', claim: lab.claimId(reveal) })
    const page = target.list({ key, bits: 0 }).next().value as Extract<ListAnswer, { type: 'listed' }>
    expect(page).toMatchObject({ entries: [{ key, state: 'settled' }] })
    expect(page.entries[0]).not.toHaveProperty('record')
    expect(at.store.get(keys.stub(key))).toEqual(encodeStub(stubOf(reveal)))
    const rival = at.witnessed(target, 'displaced.chronym', 'rival')
    expect(await at.put(target, rival)).toMatchObject({ type: 'refused', code: 'taken' })

    // near again: an older record stays out, the one that was dropped comes back, and so does a newer one
    const newest = lab.updated(reveal, owner, 2)
    expect(await at.put(target, reveal)).toEqual({ type: 'stored' })
    expect(target.get('reveal', key)).toMatchObject({ record: encodeReveal(reveal) })
    expect(at.store.get(keys.stub(key))).toBeUndefined()
    expect(await at.put(target, newest)).toEqual({ type: 'stored' })
    target.entries.dropPayload(key)
    expect(await at.put(target, reveal)).toMatchObject({ type: 'refused', code: 'stale' })

    lab.advance(lab.profile.lease + lab.profile.grace)
    await target.entries.dropDead()
    expect([at.store.get(keys.entry(key)), at.store.get(keys.stub(key))]).toEqual([undefined, undefined])
  })

  it('leaves a payload that it is no longer near to only to a majority that has been seen to hold it', async () => {
    const { lab } = at
    const target = at.holder()
    const [near, far] = [
      at.witnessed(target, 'drop-0.chronym', 'owner'),
      at.witnessed(target, 'drop-1.chronym', 'owner')
    ]
    for (const reveal of [near, far]) await at.put(target, reveal)
    lab.advance(lab.profile.settle + 1)
    for (const { name } of [near, far]) await target.reveals.revise(at.key(name))
    at.addNeighbours(1)
    at.size = 2 ** 40
    const sent: string[] = []
    const drop = (storedBy: number): Promise<void> =>
      dropDisplaced(
        target,
        lab.profile,
        ({ id }) => {
          sent.push(id)
          return Promise.resolve({ storedBy, of: 20, refusals: [] })
        },
        () => false
      )
    const payloads = (): boolean[] => [near, far].map(({ name }) => 'record' in target.get('reveal', at.key(name)))
    await drop(10)
    expect([payloads(), [...sent].sort()]).toEqual([
      [true, true],
      ['drop-0.chronym', 'drop-1.chronym']
    ])
    await drop(11)
    expect(payloads()).toEqual([false, false])
    sent.length = 0
    await drop(11)
    expect(sent, 'a stub is not sent').toEqual([])
  })
})
