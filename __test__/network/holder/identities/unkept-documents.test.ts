import { describe, expect, it } from 'vitest'
import { getDocuments } from '../../../../src/network/client/get.ts'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import type { GetAnswer } from '../../../../src/network/wire/records.ts'
import { prefixes } from '../../../../src/store/keys.ts'
import { clientOf, modelledPeer, modelledPeers, type Lost } from '../../modelled-peers.ts'
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

const offerAlices = (target: Holder): Promise<string> => offer(target, 'manifest', manifestOf('alice'))

describe('a manifest', () => {
  it('goes with the identity that it speaks for, not at its own end', async () => {
    const target = holder()
    expect([await offer(target, 'kid', recordOf('alice')), await offerAlices(target)]).toEqual(['stored', 'stored'])
    lab.advance(lab.profile.document_refresh)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), held()]).toEqual([1, 1])
    expect(others.asked, 'what is held here is not asked for').toEqual([])
    lab.advance(1)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), held()]).toEqual([0, 0])
  })

  it('stays while the identity is kept elsewhere, and as long as nobody can be asked', async () => {
    const target = holder()
    const { id } = identityOf('alice')
    others.elsewhere.set(id, [recordOf('alice')])
    expect(await offerAlices(target)).toBe('stored')
    lab.advance(lab.profile.document_refresh)
    await target.documents.dropUnkept()
    expect(held()).toBe(1)
    lab.advance(1)
    others.elsewhere = new Map()
    others.isAnswered = false
    await target.documents.dropUnkept()
    expect(held()).toBe(1)
    others.elsewhere = new Map([[id, [recordOf('alice', 'nothing')]]])
    await target.documents.dropUnkept()
    expect(held(), 'the only one that answers shows one that nothing carries').toBe(1)
    others.isAnswered = true
    others.elsewhere = new Map([
      [id, [recordOf('alice', 'nothing'), new Uint8Array([1]), recordOf('bob'), recordOf('alice')]]
    ])
    await target.documents.dropUnkept()
    expect(held(), 'one of those who answer has it with a new stamp').toBe(1)
    others.elsewhere = new Map([[id, [recordOf('alice', 'nothing'), recordOf('bob')]]])
    await target.documents.dropUnkept()
    expect(held()).toBe(0)
  })

  it('stays while those who hold the name of its identity cannot be reached, and goes once they say that the name is gone', async () => {
    const { peers, carrier, hold } = farawayName()
    const target = holder({}, peers)
    const { id } = identityOf('alice')
    others.elsewhere.set(id, [recordOf('alice', carrier)])
    expect(await offerAlices(target)).toBe('stored')
    await expectLeft(target, hold, held)
  })

  it('is neither refused nor dropped for records of its identity that others made up, while the one that its name carries is shown', async () => {
    const { peers, carrier } = farawayName()
    const target = holder({}, peers)
    const { id } = identityOf('alice')
    const local = await heldName(target, 'bob')
    const padded = ['nothing' as const, ...[0, 1, 2, 3].map((firstRound) => ({ ...local, firstRound }))].map((each) =>
      recordOf('alice', each)
    )
    others.elsewhere.set(id, [...padded, recordOf('alice', carrier)])
    expect(await offerAlices(target)).toBe('stored')
    const elsewhereToo = [0, 1, 2, 3].map((firstRound) => recordOf('alice', { ...carrier, firstRound }))
    others.elsewhere.set(id, [...elsewhereToo, recordOf('alice', carrier)])
    await target.documents.dropUnkept()
    expect(held(), 'more than are asked about').toBe(1)
  })

  it('is not taken for an identity that nothing carries, though somebody shows it', async () => {
    const target = holder()
    others.elsewhere.set(identityOf('alice').id, [recordOf('alice', 'nothing')])
    expect(await offerAlices(target)).toBe('unbound')
    others.isAnswered = false
    others.elsewhere.clear()
    expect(await offerAlices(target), 'while those who would know are silent').toBe('busy')
    // What was asked is asked again after half a minute. Four of them do not hide the one that is carried.
    lab.advance(30)
    const padded = [0, 1, 2, 3, 4].map((firstRound) =>
      recordOf('alice', { name: 'nobodys.chronym', owner: 'alice', firstRound })
    )
    others.elsewhere.set(identityOf('alice').id, [...padded, recordOf('alice')])
    expect(await offerAlices(target)).toBe('stored')
  })

  it('of an identity without a name displaces nothing and counts against a bound; of one with a name it is taken beside them', async () => {
    const target = holder({ stamped: 1 })
    shownElsewhere(['alice', 'bob'])
    expect(await offerAll(target, 'manifest', ['alice', 'bob'])).toEqual(['stored', 'full'])
    expect(await offer(holder({ bytes: 1 }), 'manifest', manifestOf('bob'))).toBe('full')

    others.elsewhere.set(identityOf('carol').id, [recordOf('carol', await heldName(target, 'carol'))])
    expect(await offer(target, 'manifest', manifestOf('carol'))).toBe('stored')
  })

  it('costs no more than 32 questions a round, and in the end every one is asked about', async () => {
    const people = Array.from({ length: 40 }, (_, index) => `person ${index}`)
    const target = holder()
    shownElsewhere(people)
    expect(await offerAll(target, 'manifest', people)).toEqual(people.map(() => 'stored'))
    others.asked = []
    await target.documents.dropUnkept()
    expect(others.asked).toHaveLength(32)
    await target.documents.dropUnkept()
    expect([others.asked.length, new Set(others.asked).size]).toEqual([64, 40])
    others.elsewhere = new Map()
    await target.documents.dropUnkept()
    await target.documents.dropUnkept()
    expect(held()).toBe(0)
  })
})

describe('looking for the identity of a manifest', () => {
  it('tells that there is none only once more than half of those who should hold it have answered', async () => {
    const found = async (...answers: readonly (GetAnswer | Lost)[]): Promise<unknown> => {
      const others = answers.map((answer, index) => ({ ...modelledPeer(index), answer }))
      const peers = modelledPeers(
        () => others,
        ({ answer }) => answer
      )
      return getDocuments(clientOf(lab, peers), 'kid', identityOf('alice').id)
    }
    const record = recordOf('alice')
    const [none, document]: GetAnswer[] = [{ type: 'none' }, { type: 'document', record }]
    expect(await found(none!, none!, 'lost', { type: 'busy' })).toEqual({ records: [], shownBy: [], isAnswered: false })
    expect(await found(none!, none!, 'lost')).toEqual({ records: [], shownBy: [], isAnswered: true })
    expect(await found(document!, 'lost', 'lost')).toEqual({ records: [record], shownBy: [1], isAnswered: false })
  })
})
