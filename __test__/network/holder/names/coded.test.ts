import type { PeerId } from '@libp2p/interface'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import { checkCodeOf, codedId } from '../../../../src/protocol/claim/check-code.ts'
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { nextHash } from '../../../../src/protocol/claim/changes.ts'
import { claimOf } from '../../../../src/protocol/claim/claim.ts'
import { parseName } from '../../../../src/protocol/name/names.ts'
import { encodeReveal, type Reveal } from '../../../../src/protocol/claim/reveal.ts'
import { sha256 } from '../../../../src/protocol/encoding/bytes.ts'
import { withChange } from '../../../protocol/changed-keys.ts'
import { HolderWorkbench, PEER } from '../../holder-workbench.ts'
import { modelledPeer } from '../../modelled-peers.ts'
import { saltOf } from '../../lab.ts'

const NAME = 'alice.chronym'

let at: HolderWorkbench
let target: Holder
let reveal: Reveal

beforeEach(() => {
  at = new HolderWorkbench()
  target = at.holder()
  reveal = claim('owner')
})
afterEach(() => at.close())

const claim = (who: string): Reveal => at.lab.reveal(NAME, at.lab.owner(who), { p: at.lab.round, salt: saltOf(who) })
const codedKey = (of: Reveal): Uint8Array =>
  recordKey('coded', codedId(NAME, checkCodeOf(of, at.lab.profile)), at.lab.hash)
const offer = (of: Reveal) => target.put('coded', encodeReveal(of), PEER)
const held = (of: Reveal) => {
  const answer = target.get('coded', codedKey(of))
  return answer.type === 'entry' ? answer.record : undefined
}

describe('the place of a check code', () => {
  it('takes a claim without a witness, once it is verified, and shows it to who asks there alone', async () => {
    expect(await offer(reveal)).toEqual({ type: 'stored' })
    expect(held(reveal)).toEqual(encodeReveal(reveal))
    expect(target.get('reveal', at.key(NAME))).toEqual({ type: 'none' })
    expect(target.get('coded', at.key(NAME))).toEqual({ type: 'none' })
  })

  it('holds claims of one name side by side, each at its own place: nobody is displaced', async () => {
    const rival = claim('rival')
    expect([await offer(reveal), await offer(rival)]).toEqual([{ type: 'stored' }, { type: 'stored' }])
    expect([held(reveal), held(rival)]).toEqual([encodeReveal(reveal), encodeReveal(rival)])
  })

  it('refuses what is not Valid, and keeps what it has', async () => {
    await offer(reveal)
    const forged = { ...at.lab.updated(reveal, at.lab.owner('owner'), 2), signature: new Uint8Array(64) }
    expect(await offer(forged)).toMatchObject({ type: 'refused', code: 'invalid', detail: /signature/ })
    expect(await target.put('coded', new Uint8Array(3), PEER)).toMatchObject({ code: 'invalid' })
    expect(await offer({ ...reveal, name: 'al--ice.chronym' })).toMatchObject({ code: 'invalid', detail: /name/ })
    expect(held(reveal)).toEqual(encodeReveal(reveal))
  })

  it('keeps the newest record of the claim, and answers an older one with it', async () => {
    const newer = at.lab.updated(reveal, at.lab.owner('owner'), 2)
    expect(codedKey(newer)).toEqual(codedKey(reveal))
    await offer(newer)
    expect(await offer(reveal)).toEqual({ type: 'stale', record: encodeReveal(newer) })
    expect(await offer(newer)).toEqual({ type: 'stored' })
    expect(held(reveal)).toEqual(encodeReveal(newer))
  })

  it('counts the changes of a name against its budget', async () => {
    const { burst } = at.lab.profile.changes
    await offer(reveal)
    const answers = []
    for (let serial = 2; serial < burst + 4; serial++)
      answers.push((await offer(at.lab.updated(reveal, at.lab.owner('owner'), serial))).type)
    expect(answers).toEqual([...Array<string>(burst).fill('stored'), 'busy', 'busy'])
  })

  it('[a thief who uses up all turns] does not keep the owner from changing the keys', async () => {
    const [owner, words] = [at.lab.owner('owner'), at.lab.owner('words')]
    const named = at.lab.reveal(NAME, owner, { p: at.lab.round, next: nextHash(words.publicKey, at.lab.hash) })
    for (let serial = 1; serial < at.lab.profile.changes.burst + 3; serial++)
      await offer(at.lab.updated(named, owner, serial))
    expect(await offer(at.lab.updated(named, owner, 99))).toMatchObject({ type: 'busy' })
    const change = { to: at.lab.owner('heir'), next: words, by: words, consent: owner }
    expect(await offer(withChange(named, change, at.lab.profile))).toEqual({ type: 'stored' })
  })

  describe('with a change of one signature', () => {
    const noticed = () => {
      const [owner, words, thief] = ['owner', 'words', 'thief'].map((who) => at.lab.owner(who))
      const before = at.lab.reveal(NAME, owner!, { p: at.lab.round, next: nextHash(words!.publicKey, at.lab.hash) })
      const stolen = withChange(before, { to: thief!, next: words!, by: words! }, at.lab.profile)
      const rotated = withChange(before, { to: thief!, next: words!, by: words!, consent: owner! }, at.lab.profile)
      return { before, stolen, rotated, owner: owner!, thief: thief! }
    }
    const shown = (reveal: Reveal) => {
      const answer = target.get('coded', codedKey(reveal))
      return answer.type === 'entry' ? [answer.record, answer.notice?.record] : answer.type
    }

    it('[a thief of the change words] serves the record before, keeps both, and charges each by itself', async () => {
      const { before, stolen, owner, thief } = noticed()
      expect([await offer(before), await offer(stolen)]).toEqual([{ type: 'stored' }, { type: 'stored' }])
      expect(shown(before)).toEqual([before, stolen].map(encodeReveal))
      const { burst } = at.lab.profile.changes
      for (let serial = 2; serial < burst + 3; serial++)
        expect((await offer(at.lab.updated(stolen, thief, serial))).type).toBe(serial > burst + 1 ? 'busy' : 'stored')
      const [zone, last] = [at.lab.updated(before, owner, 2), at.lab.updated(stolen, thief, burst + 1)]
      expect(await offer(zone)).toEqual({ type: 'stored' })
      expect(await offer(stolen)).toEqual({ type: 'stale', record: encodeReveal(last) })
      expect(await offer(before)).toEqual({ type: 'stale', record: encodeReveal(zone) })
      expect(shown(before)).toEqual([zone, last].map(encodeReveal))
      // a brief answer has hashes in place of both
      const { get } = target.handlers()
      const brief = { type: 'get', kind: 'coded', key: codedKey(before), brief: true } as const
      expect(await get(brief, { ...PEER, id: {} as PeerId })).toMatchObject({
        digest: sha256(encodeReveal(zone)),
        notice: { digest: sha256(encodeReveal(last)) }
      })
      at.lab.advance(2 * at.lab.profile.grace + 1)
      expect(shown(before)).toEqual([encodeReveal(last), undefined])
    })
    it('lets both signatures end it, and takes it no more', async () => {
      const { before, stolen, rotated } = noticed()
      for (const each of [before, stolen, rotated]) expect(await offer(each)).toEqual({ type: 'stored' })
      expect(await offer(stolen)).toMatchObject({ type: 'refused', code: 'changed' })
      expect(shown(before)).toEqual([encodeReveal(rotated), undefined])
    })
    it('enters a newcomer beside the record that its neighbours serve', async () => {
      const { before, stolen } = noticed()
      at.addNeighbours(at.lab.profile.k - 3, { reveal: before, state: 'settled' })
      expect(await offer(stolen)).toEqual({ type: 'stored' })
      expect(shown(before)).toEqual([before, stolen].map(encodeReveal))
    })
  })

  describe('of a newcomer, [a name sold twice]', () => {
    const soldTwice = () => {
      const [owner, words] = [at.lab.owner('owner'), at.lab.owner('words')]
      const before = at.lab.reveal(NAME, owner, { p: at.lab.round, next: nextHash(words.publicKey, at.lab.hash) })
      const [first, second] = ['buyer', 'other'].map((to) => {
        const sold = withChange(
          before,
          { to: at.lab.owner(to), next: words, by: words, consent: owner },
          at.lab.profile
        )
        const { changes } = claimOf(sold, parseName(NAME, at.lab.profile), at.lab.profile)
        return { reveal: sold, state: 'settled', changes: { head: changes[0]!.hash, final: 1 } } as const
      }) as [Held, Held]
      return { before, first, second }
    }
    type Held = Parameters<HolderWorkbench['addNeighbours']>[1] & object

    it.each([
      ['nothing', false],
      ['the record from before the sale', true]
    ])('with %s takes the change that most neighbours show, with its age, and refuses the other', async (_, hasOld) => {
      const { before, first, second } = soldTwice()
      at.addNeighbours(at.lab.profile.k - 3, first)
      at.addNeighbours(2, second)
      if (hasOld) await offer(before)
      expect(await offer(second.reveal)).toMatchObject({ type: 'refused', code: 'changed' })
      expect(held(first.reveal)).toEqual(encodeReveal(first.reveal))
      expect(target.get('coded', codedKey(first.reveal))).toMatchObject({
        changes: { head: first.changes!.head, final: at.lab.profile.settle }
      })
    })

    it('takes what is offered where they only say that they hold another one', async () => {
      const { first, second } = soldTwice()
      at.addNeighbours(at.lab.profile.k - 1, { ...second, withoutRecord: true })
      expect(await offer(first.reveal)).toEqual({ type: 'stored' })
      expect(held(first.reveal)).toEqual(encodeReveal(first.reveal))
    })
  })

  describe('with one of two changes, [a name sold twice]', () => {
    const asked: string[] = []
    const soldTwice = async () => {
      const [owner, words] = [at.lab.owner('owner'), at.lab.owner('words')]
      const next = nextHash(words.publicKey, at.lab.hash)
      const before = at.lab.reveal(NAME, owner, { p: at.lab.round, next })
      const [first, second] = ['buyer', 'other'].map((to) =>
        withChange(before, { to: at.lab.owner(to), next: words, by: words, consent: owner }, at.lab.profile)
      ) as [Reveal, Reveal]
      await offer(second)
      at.lab.advance(at.lab.profile.contest + 1)
      return { first, second }
    }
    /** The holders of the name, whom only a look-up finds. */
    const holdersOfName = (count: number, reveal: Reveal): void => {
      const { changes } = claimOf(reveal, parseName(NAME, at.lab.profile), at.lab.profile)
      asked.length = 0
      at.addNeighbours(1)
      at.found = Array.from({ length: at.lab.profile.k }, (_, index) => ({
        ...modelledPeer(index + 10),
        answer: (request) => {
          asked.push(request.type === 'get' ? request.kind : request.type)
          return index < count
            ? at.shown({ reveal, state: 'settled', changes: { head: changes[0]!.hash, final: 1 } })
            : { type: 'none' }
        }
      }))
    }

    it('takes the other after the contest, where most holders of the name have it, and asks them once', async () => {
      const { first, second } = await soldTwice()
      holdersOfName(Math.floor(at.lab.profile.k / 2) + 1, first)
      expect(await offer(first)).toEqual({ type: 'stored' })
      expect(held(second)).toEqual(encodeReveal(first))
      expect(await offer(second)).toMatchObject({ type: 'refused', code: 'changed' })
      expect(asked).toEqual(Array(at.lab.profile.k).fill('reveal'))
    })

    it.each(['fewer of them have it', 'it came a day ago', 'nobody answers'])('keeps it where %s', async (why) => {
      const { first, second } = await soldTwice()
      if (why !== 'nobody answers')
        holdersOfName(why.startsWith('fewer') ? Math.floor(at.lab.profile.k / 2) : at.lab.profile.k, first)
      if (why.endsWith('ago')) at.lab.advance(at.lab.profile.settle)
      expect(await offer(first)).toMatchObject({ type: 'refused', code: 'changed' })
      expect(held(first)).toEqual(encodeReveal(second))
    })

    it('asks nobody about a change that is not Valid', async () => {
      const { first } = await soldTwice()
      holdersOfName(at.lab.profile.k, first)
      expect(await offer({ ...first, signature: new Uint8Array(64) })).toMatchObject({ code: 'invalid' })
      expect(asked).toEqual([])
    })
  })

  it('drops a claim with its lease and grace, and takes no dead one', async () => {
    await offer(reveal)
    at.lab.advance(at.lab.profile.lease + at.lab.profile.grace + 1)
    expect(held(reveal)).toBeUndefined()
    expect(await offer(reveal)).toMatchObject({ type: 'refused', code: 'dead' })
    await target.coded.entries.dropDead()
    expect(target.coded.entries.count()).toBe(0)
  })

  it('takes no serial that is ahead of time', async () => {
    const ahead = at.lab.updated(reveal, at.lab.owner('owner'), Number.MAX_SAFE_INTEGER)
    expect(await offer(ahead)).toMatchObject({ type: 'refused', code: 'ahead' })
  })

  it('is refused by who is not near it', async () => {
    at.addNeighbours(1)
    at.size = 2 ** 40
    expect(await offer(reveal)).toMatchObject({ type: 'refused', code: 'not-neighbour' })
  })

  it('is listed apart from names, and counted', async () => {
    await offer(reveal)
    const listed = (coded?: true) => {
      const pages = target.list({ key: new Uint8Array(32), bits: 0, ...(coded && { coded }) })
      const page = pages.next().value
      return page?.type === 'listed' ? page.entries.map(({ key }) => key) : []
    }
    expect([listed(), listed(true)]).toEqual([[], [codedKey(reveal)]])
    expect(target.count()).toBe(1)
  })
})
