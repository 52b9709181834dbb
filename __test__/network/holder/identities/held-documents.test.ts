import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { keys, prefixes } from '../../../../src/store/keys.ts'
import { modelledPeer, modelledPeers } from '../../modelled-peers.ts'
import {
  expectLeft,
  farawayName,
  held,
  heldName,
  holder,
  identityOf,
  lab,
  manifestOf,
  offer,
  offerAll,
  others,
  recordOf,
  shownElsewhere,
  store
} from './scene.ts'

const people = Array.from({ length: 6 }, (_, index) => `person ${index}`)
const FOUR_OF_SIX = ['stored', 'stored', 'stored', 'stored', 'full', 'full']

describe('a name', () => {
  it('[one name that carries any number of documents] carries four of each kind; more need stamps, and give way as such', async () => {
    const target = holder({ stamped: 1 })
    const binding = await heldName(target, 'mallory')
    expect(await offerAll(target, 'kid', people, (who) => recordOf(who, binding))).toEqual(FOUR_OF_SIX)
    // What a stamp has brought in, the name cannot keep.
    expect(await offer(target, 'kid', recordOf('person 4'))).toBe('stored')
    expect(await offer(target, 'kid', recordOf('person 4', binding))).toBe('full')
    expect(await offer(target, 'kid', recordOf('person 0', binding)), 'what it carries already is no more').toBe(
      'stored'
    )

    shownElsewhere(people, (who) => recordOf(who, binding))
    expect(
      await offerAll(target, 'manifest', people),
      'the last one as those of stamps, of which one is kept beside'
    ).toEqual(FOUR_OF_SIX)
  })

  it('carries four of each kind, however often the node restarts', async () => {
    const binding = await heldName(holder(), 'mallory')
    expect(await offerAll(holder, 'kid', people, (who) => recordOf(who, binding))).toEqual(FOUR_OF_SIX)
    shownElsewhere(people, (who) => recordOf(who, binding))
    expect(await offerAll(() => holder({ stamped: 0 }), 'manifest', people)).toEqual(FOUR_OF_SIX)

    others.elsewhere = new Map()
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await holder().documents.dropUnkept()
    expect(
      [held(), store.count(prefixes.carried('kid')), store.count(prefixes.carried('manifest'))],
      'what is dropped counts no more'
    ).toEqual([0, 0, 0])
  })

  it('carries as many identities, and no fewer, once another name was to carry one of them and could not', async () => {
    const target = holder()
    const [one, other] = [await heldName(target, 'mallory'), await heldName(target, 'trudy')]
    for (let index = 0; index < 8; index++)
      expect(await offer(target, 'kid', recordOf(`person ${index}`, index < 4 ? one : other))).toBe('stored')
    expect(await offer(target, 'kid', recordOf('person 0', other))).toBe('full')
    expect(
      await offer(target, 'kid', recordOf('person 8', one)),
      'the one that was refused under another name is still carried by this'
    ).toBe('full')
  })

  it('carries four of those that a node held before it counted', async () => {
    const binding = await heldName(holder(), 'mallory')
    for (let index = 0; index < 6; index++) {
      await offer(holder(), 'kid', recordOf(`person ${index}`, binding))
      for (const key of store.keys(prefixes.carried('kid'))) store.delete(key)
    }
    expect(store.count(prefixes.identities)).toBe(6)
    const target = holder()
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), target.documents.count()]).toEqual([4, 4])
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), target.documents.count()]).toEqual([0, 0])
  })

  it('are counted as they come and go, without asking the store', async () => {
    const target = holder()
    const binding = await heldName(target, 'mallory')
    const count = (): number[] => [target.documents.count(), store.count(prefixes.identities) + held()]
    for (const who of ['one', 'two']) {
      // A second time it replaces what is there.
      for (let times = 0; times < 2; times++) await offer(target, 'kid', recordOf(who, binding))
      for (let times = 0; times < 2; times++) await offer(target, 'manifest', manifestOf(who))
    }
    expect(count()).toEqual([4, 4])
    expect(holder().documents.count(), 'a node that starts').toBe(4)
    const asked = vi.spyOn(store, 'count')
    expect(target.count()).toBe(5)
    expect(asked).not.toHaveBeenCalled()
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await target.documents.dropUnkept()
    expect(count()).toEqual([0, 0])
  })
})

describe('an identity', () => {
  it('stays while those who hold its name, farther away, cannot be reached, and goes once they say that the name is gone', async () => {
    const { peers, carrier, hold } = farawayName()
    const target = holder({}, peers)
    expect(await offer(target, 'kid', recordOf('alice', carrier))).toBe('stored')
    await expectLeft(target, hold, () => store.count(prefixes.identities))
  })
})

describe('identities of names that others hold', () => {
  it('are asked about four at the same time and 128 a round, and in the end every one is', async () => {
    for (let index = 0; index < 130; index++) {
      const who = `person ${index}`
      store.put(
        keys.identity(recordKey('kid', identityOf(who).id, lab.hash)),
        recordOf(who, { name: `far-${index}.chronym`, owner: who, firstRound: 1 })
      )
    }
    const lookedUp: Uint8Array[] = []
    let underWay = 0
    const peers = modelledPeers(
      () => [modelledPeer(0)],
      () => 'lost',
      {
        async closest(preimage) {
          lookedUp.push(preimage)
          expect(++underWay).toBeLessThanOrEqual(4)
          await setImmediate()
          underWay--
          return [modelledPeer(0)]
        }
      }
    )
    const target = holder({}, peers)
    await target.documents.dropUnkept()
    expect(lookedUp).toHaveLength(128)
    await target.documents.dropUnkept()
    expect(new Set(lookedUp.map(toHex)).size).toBe(130)
    expect(store.count(prefixes.identities), 'nobody could be asked').toBe(130)
  })
})
