/** What a holder makes of what its neighbours hold: modelled ones. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { equalBytes } from '../../../../src/protocol/encoding/bytes.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { highestSerial } from '../../../../src/protocol/claim/claim.ts'
import { HolderWorkbench } from '../../holder-workbench.ts'
import { type Lab, saltOf } from '../../lab.ts'

let at: HolderWorkbench
let lab: Lab

beforeEach(() => {
  at = new HolderWorkbench()
  lab = at.lab
})

afterEach(() => {
  vi.useRealTimers()
  at.close()
})

describe('a holder among neighbours', () => {
  it('adopts what five neighbours hold, though a witnessed claim of another key came to it', async () => {
    const settled = lab.reveal('adopt.chronym', lab.owner('owner'), { p: lab.round - 100 })
    at.addNeighbours(5, { reveal: settled, state: 'settled' })
    const target = at.holder()
    const rival = at.witnessed(target, 'adopt.chronym', 'rival')
    expect(await at.put(target, rival)).toMatchObject({ type: 'refused', code: 'taken' })
    expect(at.stateOf(target, 'adopt.chronym')).toEqual({ state: 'settling', owner: settled.pubkey })
  })

  /** Whether each question to neighbours that hold a claim is brief, when the same claim comes or a rival's. */
  async function questions(comes: 'the same' | 'a rival'): Promise<boolean[]> {
    const known = lab.reveal('brief.chronym', lab.owner('owner'), { p: lab.round - 100 })
    at.addNeighbours(5, { reveal: known, state: 'settled' })
    const asked = vi.spyOn(at.peers, 'ask')
    const target = at.holder()
    await at.put(target, comes === 'the same' ? known : at.witnessed(target, 'brief.chronym', 'rival'))
    return asked.mock.calls.map(([, request]) => request.type === 'get' && request.brief === true)
  }

  it('asks its neighbours briefly', async () => {
    expect(await questions('the same')).toEqual([true, true, true, true, true])
  })

  it('asks for the record only where it is another than the one that came', async () => {
    expect(await questions('a rival')).toEqual([true, true, true, true, true, false])
  })

  it('[a dead claim shown to a newcomer] prevents neither registration nor adoption of a renewed name', async () => {
    const gone = lab.reveal('dead.chronym', lab.owner('mallory'), { p: lab.round })
    const first = lab.reveal('renewed.chronym', lab.owner('owner'), { p: lab.round })
    lab.advance(lab.profile.lease)
    const renewal = lab.reveal('renewed.chronym', lab.owner('owner'), {
      p: lab.round,
      salt: saltOf('renewal'),
      former: first
    })
    lab.advance(lab.profile.grace + 1)
    at.addNeighbours(5, { reveal: gone, state: 'settled' })
    const target = at.holder()
    const claim = at.witnessed(target, 'dead.chronym', 'claimant')
    expect(await at.put(target, claim)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, 'dead.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })

    // One of those who hold it shows the link of before.
    at.neighbours = []
    for (const reveal of [first, renewal, renewal, renewal, renewal]) at.addNeighbours(1, { reveal, state: 'settled' })
    const rival = at.witnessed(target, 'renewed.chronym', 'rival')
    expect(await at.put(target, rival)).toMatchObject({ type: 'refused', code: 'taken' })
    expect(at.stateOf(target, 'renewed.chronym')).toEqual({ state: 'settling', owner: first.pubkey })
    expect(at.penalised, 'to be late is no offence').toEqual([])
  })

  it('[a serial ahead of time] is not a record to adopt; another neighbour shows one', async () => {
    const owner = lab.owner('owner')
    const known = lab.reveal('jumped.chronym', owner, { p: lab.round })
    const jumped = lab.updated(known, owner, highestSerial({ verified: lab.round + 9 }, lab.profile))
    for (const reveal of [jumped, jumped, jumped, jumped, known]) at.addNeighbours(1, { reveal, state: 'settled' })
    const target = at.holder()
    const rival = at.witnessed(target, 'jumped.chronym', 'rival')
    expect(await at.put(target, rival)).toMatchObject({ type: 'refused', code: 'taken' })
    expect(target.entries.load(at.key('jumped.chronym'))?.record).toEqual(encodeReveal(known))
    expect(at.penalised, 'their time may be ahead of ours').toEqual([])
  })

  it('[a claim of another name] is not entered for the one that was asked for', async () => {
    const elsewhere = lab.reveal('elsewhere.chronym', lab.owner('mallory'), { p: lab.round - 100 })
    at.addNeighbours(5, { reveal: elsewhere, state: 'settled' })
    const target = at.holder()
    const reveal = at.witnessed(target, 'asked.chronym', 'owner')
    expect(await at.put(target, reveal)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, 'asked.chronym')).toEqual({ state: 'fresh', owner: reveal.pubkey })
    expect(at.penalised[0]).toContain('another name')
  })

  it('holds it against nobody that he has another claim by now than when he was asked for it first', async () => {
    const [named, meanwhile] = ['one', 'other'].map((who) =>
      lab.reveal('contested.chronym', lab.owner(who), { p: lab.round })
    )
    at.addNeighbours(5, { reveal: meanwhile!, state: 'fresh' })
    const claim = lab.claimId(named!)
    at.neighbours = at.neighbours.map((neighbour) => ({
      ...neighbour,
      answer: (request) =>
        request.type === 'get' && request.brief === true
          ? { type: 'entry', state: 'fresh', claim }
          : neighbour.answer(request)
    }))
    const target = at.holder()
    expect(await at.put(target, at.witnessed(target, 'contested.chronym', 'third'))).toEqual({
      type: 'stored'
    })
    expect(at.penalised).toEqual([])
  })

  it('enters a witnessed claim when the neighbours that name another one cannot show it', async () => {
    const unseen = lab.reveal('bluff.chronym', lab.owner('owner'), { p: lab.round - 100 })
    at.addNeighbours(5, { reveal: unseen, state: 'settled', withoutRecord: true })
    const target = at.holder()
    const claim = at.witnessed(target, 'bluff.chronym', 'claimant')
    expect(await at.put(target, claim)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, 'bluff.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('penalises neighbours that show an invalid record for the claim they name, and does not adopt it', async () => {
    const forged = {
      ...lab.reveal('forged.chronym', lab.owner('owner'), { p: lab.round - 100 }),
      payload: new Uint8Array([1])
    }
    at.addNeighbours(5, { reveal: forged, state: 'settled' })
    const target = at.holder()
    const claim = at.witnessed(target, 'forged.chronym', 'claimant')
    expect(await at.put(target, claim)).toEqual({ type: 'stored' })
    expect(at.penalised[0]).toContain('signature')
    expect(at.stateOf(target, 'forged.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('[a neighbour that never answers] is not waited for once the others decide', async () => {
    const target = at.holder()
    const claim = at.witnessed(target, 'silent.chronym', 'owner')
    at.addNeighbours(20)
    const speak: (() => void)[] = []
    const silent = at.neighbours.splice(0, 5)
    for (const neighbour of silent)
      at.neighbours.push({
        ...neighbour,
        answer: () => new Promise((resolve) => speak.push(() => resolve({ type: 'none' })))
      })
    vi.useFakeTimers()
    let answer: unknown
    void at.put(target, claim).then((given) => (answer = given))
    await vi.advanceTimersByTimeAsync(60_000)
    expect([speak.length, answer], 'five could name a claim to adopt').toEqual([5, undefined])
    speak[0]!()
    await vi.advanceTimersByTimeAsync(0)
    expect(answer).toEqual({ type: 'stored' })
    expect(at.stateOf(target, 'silent.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('[a neighbour that never answers] is not waited for about an entry either', async () => {
    const target = at.holder()
    const names = ['mine.chronym', 'repaired.chronym', 'provisional.chronym']
    const [own, replaced] = [at.witnessed(target, names[0]!, 'owner'), at.witnessed(target, names[1]!, 'owner')]
    const unseen = lab.reveal(names[2]!, lab.owner('owner'), { p: lab.round })
    for (const reveal of [own, replaced, unseen]) expect(await at.put(target, reveal)).toEqual({ type: 'stored' })
    const others = [own, lab.reveal(names[1]!, lab.owner('other'), { p: lab.round })]
    lab.advance(lab.profile.contest + 1)
    at.addNeighbours(20)
    at.neighbours = at.neighbours.map((neighbour, index) => ({
      ...neighbour,
      answer: (request) => {
        if (index >= 16) return new Promise(() => undefined)
        const held = others.find(({ name }) => 'key' in request && equalBytes(at.key(name), request.key))
        return at.shown(held && { reveal: held, state: 'settling' })
      }
    }))
    for (const name of names) await target.reveals.revise(at.key(name))
    expect(names.map((name) => at.stateOf(target, name))).toEqual([
      { state: 'settling', owner: own.pubkey },
      { state: 'settling', owner: lab.owner('other').publicKey },
      { state: 'provisional', owner: unseen.pubkey }
    ])
    lab.advance(lab.profile.provisional_settle + 1)
    for (const name of [names[0]!, names[2]!]) await target.reveals.revise(at.key(name))
    expect([names[0]!, names[2]!].map((name) => at.stateOf(target, name)!.state)).toEqual(['settled', 'settled'])
  })

  it('repairs a settling entry by a majority of its neighbours, and a settled one never', async () => {
    const target = at.holder()
    const own = at.witnessed(target, 'repair.chronym', 'owner')
    await at.put(target, own)
    const other = at.witnessed(target, 'repair.chronym', 'other')
    at.addNeighbours(5, { reveal: other, state: 'settling' })
    at.addNeighbours(3)
    const key = at.key('repair.chronym')

    await target.reveals.revise(key)
    expect(at.stateOf(target, 'repair.chronym')).toEqual({ state: 'fresh', owner: own.pubkey })
    lab.advance(lab.profile.contest + 1)
    await target.reveals.revise(key)
    expect(at.stateOf(target, 'repair.chronym')).toEqual({ state: 'settling', owner: other.pubkey })

    lab.advance(lab.profile.settle + 1)
    at.neighbours = []
    await target.reveals.revise(key)
    at.addNeighbours(8, { reveal: own, state: 'settled' })
    await target.reveals.revise(key)
    expect(at.stateOf(target, 'repair.chronym')).toEqual({ state: 'settled', owner: other.pubkey })
  })

  it('settles an entry by its holders, not by the peers it happens to know', async () => {
    const target = at.holder()
    const own = at.witnessed(target, 'slept.chronym', 'owner')
    await at.put(target, own)
    const other = at.witnessed(target, 'slept.chronym', 'other')
    const key = at.key('slept.chronym')
    lab.advance(lab.profile.settle + 1)
    at.addNeighbours(9, { reveal: other, state: 'settled' })
    const everybody = at.neighbours
    at.addNeighbours(1, { reveal: own, state: 'settled' })
    at.neighbours = at.neighbours.slice(9)
    at.found = everybody
    await target.reveals.revise(key)
    expect(at.stateOf(target, 'slept.chronym')).toEqual({ state: 'settling', owner: other.pubkey })
    await target.reveals.revise(key)
    expect(at.stateOf(target, 'slept.chronym')).toEqual({ state: 'settled', owner: other.pubkey })
  })

  it('settles an entry although neighbours name another claim, when they cannot show it', async () => {
    const target = at.holder()
    const own = at.witnessed(target, 'bluffed.chronym', 'owner')
    await at.put(target, own)
    const other = lab.reveal('bluffed.chronym', lab.owner('other'), { p: lab.round })
    at.addNeighbours(10, { reveal: other, state: 'settled', withoutRecord: true })
    at.addNeighbours(9)
    lab.advance(lab.profile.settle + 1)
    await target.reveals.revise(at.key('bluffed.chronym'))
    expect(at.stateOf(target, 'bluffed.chronym')).toEqual({ state: 'settled', owner: own.pubkey })
  })

  it('gives a provisional entry up for a claim witnessed before it came, after asking, and not for a later one', async () => {
    const target = at.holder()
    const claim = at.witnessed(target, 'yield.chronym', 'owner')
    const squatter = lab.reveal('yield.chronym', lab.owner('squatter'), { p: lab.round })
    await at.put(target, squatter)
    expect(at.stateOf(target, 'yield.chronym')?.state).toBe('provisional')
    const later = at.witnessed(target, 'yield.chronym', 'rival')
    expect(await at.put(target, later)).toMatchObject({ code: 'unwitnessed' })
    expect(await at.put(target, claim)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, 'yield.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })
})
