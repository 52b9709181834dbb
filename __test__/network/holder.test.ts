/** The holder by itself: one node's rules, without a network around it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRoundClock } from '../../src/network/clock.ts'
import type { Holder } from '../../src/network/holder/holder.ts'
import type { ListAnswer } from '../../src/network/protocol/list.ts'
import { dropDisplaced } from '../../src/network/replication.ts'
import type { Peer } from '../../src/network/peers.ts'
import type { Answer, Request } from '../../src/network/protocol/messages.ts'
import { equalBytes, sha256, toHex } from '../../src/protocol/bytes.ts'
import { claimId, encodeReveal, firstLink, signReveal, type Reveal } from '../../src/protocol/reveal.ts'
import type { Origin } from '../../src/protocol/diversity.ts'
import type { EntryState } from '../../src/protocol/entry.ts'
import type { NetworkProfile } from '../../src/protocol/profile.ts'
import { recordKey } from '../../src/protocol/record-key.ts'
import { decodeStub, stubOf } from '../../src/protocol/stub.ts'
import type { HandedOver } from '../../src/protocol/witness.ts'
import { keys } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { StoreError, type Store } from '../../src/store/types.ts'
import { Lab, labProfile, saltOf } from './lab.ts'
import { labHolder } from './lab-holder.ts'
import { modelledPeer, modelledPeers } from './modelled-peers.ts'
import { waitFor } from '../wait-for.ts'

const PEER: Origin = { peer: 'peer', prefix: 'p' }

let directory: string
let store: Store
let lab: Lab
let neighbours: NeighbourPeer[]
let size: number | undefined
/** Whom a look-up finds, where those are others than the neighbours known. */
let found: NeighbourPeer[] | undefined

interface NeighbourPeer extends Peer {
  answer(request: Request): Answer | Promise<Answer>
}

beforeEach(() => {
  begin()
})

afterEach(() => {
  end()
})

function begin(overrides: Partial<NetworkProfile> = {}): void {
  directory = mkdtempSync(join(tmpdir(), 'chronym-holder-'))
  store = openStore(join(directory, 'chronym.db'))
  lab = new Lab(labProfile(overrides))
  neighbours = []
  size = undefined
  found = undefined
}

function end(): void {
  store.close()
  rmSync(directory, { recursive: true, force: true })
}

function holder(): Holder {
  return labHolder(lab, store, { peers: () => (neighbours.length === 0 ? undefined : peers) })
}

const penalised: string[] = []

const peers = modelledPeers(
  () => neighbours,
  (peer, request) => peer.answer(request),
  {
    networkSize: () => size ?? neighbours.length + 1,
    closest: () => Promise.resolve(found ?? neighbours),
    penalise: (_peer, reason) => penalised.push(reason)
  }
)

/** A neighbour that holds a reveal in a state, or nothing. */
function addNeighbour(held?: { reveal: Reveal; state: EntryState; withoutRecord?: boolean }): void {
  const answer = (): Answer => {
    if (held === undefined) return { type: 'none' }
    const claim = claimId(held.reveal.name, held.reveal.pubkey, firstLink(held.reveal).p, lab.hash)
    return { type: 'entry', state: held.state, claim, ...(held.withoutRecord !== true && { record: encodeReveal(held.reveal) }) }
  }
  neighbours.push({ ...modelledPeer(neighbours.length), answer })
}

/** A claim whose commitment this holder has seen in time. */
function witnessed(target: Holder, name: string, who: string): Reveal {
  const owner = lab.owner(who)
  const commitment = lab.commitment(name, owner, saltOf(who))
  target.commit(commitment, lab.stamp(commitment), 'p')
  lab.advance(lab.profile.min_commit)
  return lab.reveal(name, owner, { p: lab.round, salt: saltOf(who) })
}

function stateOf(target: Holder, name: string): { state: EntryState; owner: Uint8Array } | undefined {
  const held = target.entries.load(recordKey('reveal', name, lab.hash))
  return held && { state: held.entry.state, owner: held.entry.claim.pubkey }
}

describe('a holder', () => {
  it('adopts what five neighbours hold, though a witnessed claim of another key came to it', async () => {
    const settled = lab.reveal('adopt.chronym', lab.owner('owner'), { p: lab.round - 100 })
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: settled, state: 'settled' })
    const target = holder()
    const rival = witnessed(target, 'adopt.chronym', 'rival')
    expect(await target.put('reveal', encodeReveal(rival), PEER)).toMatchObject({ type: 'refused', code: 'taken' })
    expect(stateOf(target, 'adopt.chronym')).toEqual({ state: 'settling', owner: settled.pubkey })
  })

  it('asks its neighbours briefly, and for the record only where it is another than the one that came', async () => {
    const known = lab.reveal('brief.chronym', lab.owner('owner'), { p: lab.round - 100 })
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: known, state: 'settled' })
    const asked = vi.spyOn(peers, 'ask')
    const questions = (): string[] => asked.mock.calls.map(([, request]) => (request.type === 'get' && request.brief === true ? 'briefly' : 'for the record')).sort()
    expect(await holder().put('reveal', encodeReveal(known), PEER)).toEqual({ type: 'stored' })
    expect(questions()).toEqual(Array(5).fill('briefly'))
    end()
    begin()
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: known, state: 'settled' })
    asked.mockClear()
    const target = holder()
    await target.put('reveal', encodeReveal(witnessed(target, 'brief.chronym', 'rival')), PEER)
    expect(questions()).toEqual([...Array<string>(5).fill('briefly'), 'for the record'])
    asked.mockRestore()
  })

  it('[a dead claim shown to a newcomer] keeps no name from being taken, nor one that was renewed from being adopted', async () => {
    const gone = lab.reveal('dead.chronym', lab.owner('mallory'), { p: lab.round })
    const first = lab.reveal('renewed.chronym', lab.owner('owner'), { p: lab.round })
    lab.advance(lab.profile.lease)
    const renewal = lab.reveal('renewed.chronym', lab.owner('owner'), { p: lab.round, salt: saltOf('renewal'), former: first })
    lab.advance(lab.profile.grace + 1)
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: gone, state: 'settled' })
    const target = holder()
    const claim = witnessed(target, 'dead.chronym', 'claimant')
    penalised.length = 0
    expect(await target.put('reveal', encodeReveal(claim), PEER)).toEqual({ type: 'stored' })
    expect(stateOf(target, 'dead.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })

    // One of those who hold it shows the link of before.
    neighbours = []
    for (const reveal of [first, renewal, renewal, renewal, renewal]) addNeighbour({ reveal, state: 'settled' })
    const rival = witnessed(target, 'renewed.chronym', 'rival')
    expect(await target.put('reveal', encodeReveal(rival), PEER)).toMatchObject({ type: 'refused', code: 'taken' })
    expect(stateOf(target, 'renewed.chronym')).toEqual({ state: 'settling', owner: first.pubkey })
    expect(penalised, 'to be late is no offence').toEqual([])
  })

  it('[a claim of another name] is not entered for the one that was asked for', async () => {
    const elsewhere = lab.reveal('elsewhere.chronym', lab.owner('mallory'), { p: lab.round - 100 })
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: elsewhere, state: 'settled' })
    penalised.length = 0
    const target = holder()
    const reveal = witnessed(target, 'asked.chronym', 'owner')
    expect(await target.put('reveal', encodeReveal(reveal), PEER)).toEqual({ type: 'stored' })
    expect(stateOf(target, 'asked.chronym')).toEqual({ state: 'fresh', owner: reveal.pubkey })
    expect(penalised[0]).toContain('another name')
  })

  it('holds it against nobody that he has another claim by now than when he was asked for it first', async () => {
    const [named, meanwhile] = ['one', 'other'].map((who) => lab.reveal('contested.chronym', lab.owner(who), { p: lab.round }))
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: meanwhile!, state: 'fresh' })
    const claim = claimId(named!.name, named!.pubkey, lab.round, lab.hash)
    neighbours = neighbours.map((neighbour) => ({
      ...neighbour,
      answer: (request) => (request.type === 'get' && request.brief === true ? { type: 'entry', state: 'fresh', claim } : neighbour.answer(request))
    }))
    penalised.length = 0
    const target = holder()
    expect(await target.put('reveal', encodeReveal(witnessed(target, 'contested.chronym', 'third')), PEER)).toEqual({ type: 'stored' })
    expect(penalised).toEqual([])
  })

  it('answers briefly with the digest of what it holds', async () => {
    const target = holder()
    const reveal = witnessed(target, 'digest.chronym', 'owner')
    await target.put('reveal', encodeReveal(reveal), PEER)
    const key = recordKey('reveal', 'digest.chronym', lab.hash)
    const handlers = target.handlers()
    const answer = (brief?: true) => handlers.get({ type: 'get', kind: 'reveal', key, ...(brief && { brief }) }, undefined as never)
    const claim = claimId(reveal.name, reveal.pubkey, reveal.drand_pulse, lab.hash)
    expect(answer()).toEqual({ type: 'entry', state: 'fresh', claim, record: encodeReveal(reveal) })
    expect(answer(true)).toEqual({ type: 'entry', state: 'fresh', claim, digest: sha256(encodeReveal(reveal)) })
  })

  it('enters a witnessed claim when the neighbours that name another one cannot show it', async () => {
    const unseen = lab.reveal('bluff.chronym', lab.owner('owner'), { p: lab.round - 100 })
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: unseen, state: 'settled', withoutRecord: true })
    const target = holder()
    const claim = witnessed(target, 'bluff.chronym', 'claimant')
    expect(await target.put('reveal', encodeReveal(claim), PEER)).toEqual({ type: 'stored' })
    expect(stateOf(target, 'bluff.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('penalises neighbours that show an invalid record for the claim they name, and does not adopt it', async () => {
    const forged = { ...lab.reveal('forged.chronym', lab.owner('owner'), { p: lab.round - 100 }), payload: new Uint8Array([1]) }
    for (let index = 0; index < 5; index++) addNeighbour({ reveal: forged, state: 'settled' })
    const target = holder()
    const claim = witnessed(target, 'forged.chronym', 'claimant')
    penalised.length = 0
    expect(await target.put('reveal', encodeReveal(claim), PEER)).toEqual({ type: 'stored' })
    expect(penalised[0]).toContain('signature')
    expect(stateOf(target, 'forged.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('[a neighbour that never answers] is not waited for once the others decide', async () => {
    const target = holder()
    const claim = witnessed(target, 'silent.chronym', 'owner')
    for (let index = 0; index < 20; index++) addNeighbour()
    const speak: (() => void)[] = []
    const silent = neighbours.splice(0, 5)
    for (const neighbour of silent) neighbours.push({ ...neighbour, answer: () => new Promise((resolve) => speak.push(() => resolve({ type: 'none' }))) })
    let answer: unknown
    const put = target.put('reveal', encodeReveal(claim), PEER).then((given) => (answer = given))
    await waitFor(() => expect(speak).toHaveLength(5))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(answer, 'five could name a claim to adopt').toBeUndefined()
    speak[0]!()
    await put
    expect(answer).toEqual({ type: 'stored' })
    expect(stateOf(target, 'silent.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('[a neighbour that never answers] is not waited for about an entry either', async () => {
    const target = holder()
    const names = ['mine.chronym', 'repaired.chronym', 'provisional.chronym']
    const [own, replaced] = [witnessed(target, names[0]!, 'owner'), witnessed(target, names[1]!, 'owner')]
    const unseen = lab.reveal(names[2]!, lab.owner('owner'), { p: lab.round })
    for (const reveal of [own, replaced, unseen]) expect(await target.put('reveal', encodeReveal(reveal), PEER)).toEqual({ type: 'stored' })
    const others = [own, lab.reveal(names[1]!, lab.owner('other'), { p: lab.round })]
    lab.advance(lab.profile.contest + 1)
    for (let index = 0; index < 20; index++) {
      const answer = (request: Request): Answer | Promise<Answer> => {
        if (index >= 16) return new Promise(() => undefined)
        const held = others.find(({ name }) => 'key' in request && equalBytes(recordKey('reveal', name, lab.hash), request.key))
        return held === undefined ? { type: 'none' } : { type: 'entry', state: 'settling', claim: claimId(held.name, held.pubkey, firstLink(held).p, lab.hash), record: encodeReveal(held) }
      }
      neighbours.push({ ...modelledPeer(index), answer })
    }
    for (const name of names) await target.reveals.revise(recordKey('reveal', name, lab.hash))
    expect(names.map((name) => stateOf(target, name))).toEqual([
      { state: 'settling', owner: own.pubkey },
      { state: 'settling', owner: lab.owner('other').publicKey },
      { state: 'provisional', owner: unseen.pubkey }
    ])
    lab.advance(lab.profile.provisional_settle + 1)
    for (const name of [names[0]!, names[2]!]) await target.reveals.revise(recordKey('reveal', name, lab.hash))
    expect([names[0]!, names[2]!].map((name) => stateOf(target, name)!.state)).toEqual(['settled', 'settled'])
  })

  it('repairs a settling entry by a majority of its neighbours, and a settled one never', async () => {
    const target = holder()
    const own = witnessed(target, 'repair.chronym', 'owner')
    await target.put('reveal', encodeReveal(own), PEER)
    const other = witnessed(target, 'repair.chronym', 'other')
    for (let index = 0; index < 8; index++) addNeighbour(index < 5 ? { reveal: other, state: 'settling' } : undefined)
    const key = recordKey('reveal', 'repair.chronym', lab.hash)

    await target.reveals.revise(key)
    expect(stateOf(target, 'repair.chronym')).toEqual({ state: 'fresh', owner: own.pubkey })
    lab.advance(lab.profile.contest + 1)
    await target.reveals.revise(key)
    expect(stateOf(target, 'repair.chronym')).toEqual({ state: 'settling', owner: other.pubkey })

    lab.advance(lab.profile.settle + 1)
    neighbours = []
    await target.reveals.revise(key)
    for (let index = 0; index < 8; index++) addNeighbour({ reveal: own, state: 'settled' })
    await target.reveals.revise(key)
    expect(stateOf(target, 'repair.chronym')).toEqual({ state: 'settled', owner: other.pubkey })
  })

  it('settles an entry by those who should hold it, not by whom it happens to know', async () => {
    const target = holder()
    const own = witnessed(target, 'slept.chronym', 'owner')
    await target.put('reveal', encodeReveal(own), PEER)
    const other = witnessed(target, 'slept.chronym', 'other')
    const key = recordKey('reveal', 'slept.chronym', lab.hash)
    lab.advance(lab.profile.settle + 1)
    for (let index = 0; index < 9; index++) addNeighbour({ reveal: other, state: 'settled' })
    const everybody = neighbours
    addNeighbour({ reveal: own, state: 'settled' })
    neighbours = neighbours.slice(9)
    found = everybody
    await target.reveals.revise(key)
    expect(stateOf(target, 'slept.chronym')).toEqual({ state: 'settling', owner: other.pubkey })
    await target.reveals.revise(key)
    expect(stateOf(target, 'slept.chronym')).toEqual({ state: 'settled', owner: other.pubkey })
  })

  it('settles an entry although neighbours name another claim, when they cannot show it', async () => {
    const target = holder()
    const own = witnessed(target, 'bluffed.chronym', 'owner')
    await target.put('reveal', encodeReveal(own), PEER)
    const other = lab.reveal('bluffed.chronym', lab.owner('other'), { p: lab.round })
    for (let index = 0; index < 19; index++) addNeighbour(index < 10 ? { reveal: other, state: 'settled', withoutRecord: true } : undefined)
    lab.advance(lab.profile.settle + 1)
    await target.reveals.revise(recordKey('reveal', 'bluffed.chronym', lab.hash))
    expect(stateOf(target, 'bluffed.chronym')).toEqual({ state: 'settled', owner: own.pubkey })
  })

  it('gives a provisional entry up for a witnessed claim, after asking', async () => {
    const target = holder()
    const squatter = lab.reveal('yield.chronym', lab.owner('squatter'), { p: lab.round })
    await target.put('reveal', encodeReveal(squatter), PEER)
    expect(stateOf(target, 'yield.chronym')?.state).toBe('provisional')
    const claim = witnessed(target, 'yield.chronym', 'owner')
    expect(await target.put('reveal', encodeReveal(claim), PEER)).toEqual({ type: 'stored' })
    expect(stateOf(target, 'yield.chronym')).toEqual({ state: 'fresh', owner: claim.pubkey })
  })

  it('has its own records verified first, then expected claims, then those of strangers', async () => {
    const verifyProof = vi.spyOn(lab.pool, 'verifyProof')
    const target = holder()
    const urgencyOf = async (reveal: Reveal, peer?: Origin): Promise<string | undefined> => {
      verifyProof.mockClear()
      await target.put('reveal', encodeReveal(reveal), peer)
      return verifyProof.mock.lastCall?.[1]?.urgency
    }
    expect(await urgencyOf(witnessed(target, 'witnessed.chronym', 'owner'), PEER)).toBe('expected')
    expect(await urgencyOf(lab.reveal('unseen.chronym', lab.owner('stranger'), { p: lab.round }), PEER)).toBe('unexpected')
    expect(await urgencyOf(lab.reveal('ours.chronym', lab.owner('ourselves'), { p: lab.round }))).toBe('own')
    const held = lab.reveal('unseen.chronym', lab.owner('stranger'), { p: lab.round })
    expect(await urgencyOf(lab.updated(held, lab.owner('stranger'), 2), PEER)).toBe('expected')
  })

  it('takes a renewal of its owner and refuses the lapsed claim', async () => {
    const target = holder()
    const owner = lab.owner('renewer')
    const first = witnessed(target, 'renew.chronym', 'renewer')
    await target.put('reveal', encodeReveal(first), PEER)
    lab.advance(lab.profile.lease)
    await target.reveals.revise(recordKey('reveal', 'renew.chronym', lab.hash))
    const renewal = lab.reveal('renew.chronym', owner, { p: lab.round, salt: saltOf('renewal'), former: first, serial: 2 })
    expect(await target.put('reveal', encodeReveal(renewal), PEER)).toEqual({ type: 'stored' })
    lab.advance(lab.profile.lease)
    expect(stateOf(target, 'renew.chronym')).toEqual({ state: 'settled', owner: owner.publicKey })
    expect(await target.put('reveal', encodeReveal(first), PEER)).toMatchObject({ type: 'refused', code: 'dead' })
  })

  it('admits no new name while the newest pulse is old, and lets none lapse', async () => {
    const target = holder()
    const held = witnessed(target, 'held.chronym', 'owner')
    await target.put('reveal', encodeReveal(held), PEER)
    const waiting = witnessed(target, 'waiting.chronym', 'owner')
    const stale = holderWithStaleBeacon()
    expect(await stale.put('reveal', encodeReveal(waiting), PEER)).toMatchObject({ type: 'refused', code: 'no-fresh-pulse' })
    await stale.entries.dropDead()
    expect(stateOf(stale, 'held.chronym')?.owner).toEqual(held.pubkey)
  })

  it('refuses what belongs far away', async () => {
    end()
    begin({ k: 1 })
    addNeighbour()
    size = 200
    const target = holder()
    const answers: unknown[] = []
    for (let index = 0; index < 6; index++) answers.push(await target.put('reveal', encodeReveal(witnessed(target, `far-${index}.chronym`, 'owner')), PEER))
    expect(answers.filter((answer) => (answer as { code?: string }).code === 'not-neighbour').length).toBeGreaterThanOrEqual(5)
  })

  it('keeps two payloads at one (p, serial) as equivocation', async () => {
    const target = holder()
    const owner = lab.owner('double')
    const first = witnessed(target, 'double.chronym', 'double')
    await target.put('reveal', encodeReveal(first), PEER)
    const twin = lab.updated({ ...first, payload: first.payload }, owner, 1)
    expect(equalBytes(twin.signature, first.signature)).toBe(true)
    const other = signReveal({ ...first, payload: new TextEncoder().encode('{"records":{"@":[]},"serial":1}') }, owner, lab.hash)
    await target.put('reveal', encodeReveal(other), PEER)
    expect(target.entries.load(recordKey('reveal', 'double.chronym', lab.hash))?.entry.equivocation).toMatchObject({ round: first.drand_pulse, serial: 1 })
  })

  it('[displaced holders] keeps the stub of a settled claim that it is no longer near to, and refuses others by it', async () => {
    end()
    begin({ k: 1 })
    const owner = lab.owner('displaced')
    const before = holder()
    const reveal = witnessed(before, 'displaced.chronym', 'displaced')
    const key = recordKey('reveal', 'displaced.chronym', lab.hash)
    await before.put('reveal', encodeReveal(reveal), PEER)
    before.entries.dropPayload(key)
    expect(before.get('reveal', key), 'only a settled claim is cut to its stub').toHaveProperty('record')
    lab.advance(lab.profile.settle + 1)
    await before.reveals.revise(key)
    before.entries.dropPayload(key)

    const target = holder()
    expect(target.get('reveal', key)).toEqual({ type: 'entry', state: 'settled', claim: claimId(reveal.name, reveal.pubkey, reveal.drand_pulse, lab.hash) })
    const page = target.list({ key, bits: 0 }).next().value as Extract<ListAnswer, { type: 'listed' }>
    expect(page).toMatchObject({ entries: [{ key, state: 'settled' }] })
    expect(page.entries[0]).not.toHaveProperty('record')
    expect(decodeStub(store.get(keys.stub(key))!)).toEqual(stubOf(reveal))
    const rival = witnessed(target, 'displaced.chronym', 'rival')
    expect(await target.put('reveal', encodeReveal(rival), PEER)).toMatchObject({ type: 'refused', code: 'taken' })

    // near again: an older record stays out, the one that was dropped comes back, and so does a newer one
    const newest = lab.updated(reveal, owner, 2)
    expect(await target.put('reveal', encodeReveal(reveal), PEER)).toEqual({ type: 'stored' })
    expect(target.get('reveal', key)).toMatchObject({ record: encodeReveal(reveal) })
    expect(store.get(keys.stub(key))).toBeUndefined()
    expect(await target.put('reveal', encodeReveal(newest), PEER)).toEqual({ type: 'stored' })
    target.entries.dropPayload(key)
    expect(await target.put('reveal', encodeReveal(reveal), PEER)).toMatchObject({ type: 'refused', code: 'stale' })

    lab.advance(lab.profile.lease + lab.profile.grace)
    await target.entries.dropDead()
    expect([store.get(keys.entry(key)), store.get(keys.stub(key))]).toEqual([undefined, undefined])
  })

  it('leaves a payload that it is no longer near to only to a majority that has been seen to hold it', async () => {
    end()
    begin({ k: 1 })
    const target = holder()
    const [near, far] = [witnessed(target, 'drop-0.chronym', 'owner'), witnessed(target, 'drop-1.chronym', 'owner')]
    for (const reveal of [near, far]) await target.put('reveal', encodeReveal(reveal), PEER)
    lab.advance(lab.profile.settle + 1)
    for (const { name } of [near, far]) await target.reveals.revise(recordKey('reveal', name, lab.hash))
    addNeighbour()
    size = 2 ** 40
    const sent: string[] = []
    const drop = (storedBy: number): Promise<void> =>
      dropDisplaced(
        target,
        ({ id }) => {
          sent.push(id)
          return Promise.resolve({ storedBy, of: 20, refusals: [] })
        },
        () => false
      )
    const payloads = (): boolean[] => [near, far].map(({ name }) => 'record' in target.get('reveal', recordKey('reveal', name, lab.hash)))
    await drop(10)
    expect([payloads(), [...sent].sort()]).toEqual([[true, true], ['drop-0.chronym', 'drop-1.chronym']])
    await drop(11)
    expect(payloads()).toEqual([false, false])
    sent.length = 0
    await drop(11)
    expect(sent, 'a stub is not sent').toEqual([])
  })

  it('counts a commitment that five diverse neighbours handed over, by the median of their words, and not what fewer say', async () => {
    const target = holder()
    const owner = lab.owner('handed')
    const commitment = lab.commitment('handed.chronym', owner, saltOf('handed'))
    const said = (rounds: readonly number[]): Map<string, HandedOver[]> => new Map([[toHex(commitment), rounds.map((seen, index) => ({ peer: `p${index}`, prefix: String(index), seen }))]])
    const [early, late] = [lab.round, lab.round + 5_000]
    lab.advance(lab.profile.min_commit)
    const reveal = encodeReveal(lab.reveal('handed.chronym', owner, { p: lab.round, salt: saltOf('handed') }))

    target.commitments.takeOver(said([early, early, early, early]))
    await target.put('reveal', reveal, PEER)
    expect(stateOf(target, 'handed.chronym')?.state, 'four words').toBe('provisional')
    target.commitments.takeOver(said([early, early, late, late, late]))
    await target.put('reveal', reveal, PEER)
    expect(stateOf(target, 'handed.chronym')?.state, 'the median is late').toBe('provisional')
    target.commitments.takeOver(said([early, early, early, late, late]))
    await target.put('reveal', reveal, PEER)
    expect(stateOf(target, 'handed.chronym')?.state).toBe('fresh')
  })

  it('answers nothing as stored that did not reach the disk', async () => {
    end()
    directory = mkdtempSync(join(tmpdir(), 'chronym-holder-'))
    store = openStore(join(directory, 'chronym.db'), { maxPages: 12 })
    const target = holder()
    let failure: unknown
    for (let index = 0; index < 50 && failure === undefined; index++) {
      try {
        await target.put('reveal', encodeReveal(witnessed(target, `full-${index}.chronym`, 'owner')), { peer: String(index), prefix: 'p' })
        expect(stateOf(target, `full-${index}.chronym`)).toBeDefined()
      } catch (error) {
        failure = error
      }
    }
    expect(failure).toBeInstanceOf(StoreError)
    expect((failure as StoreError).code).toBe('full')
    expect(stateOf(target, 'full-0.chronym')).toBeDefined()
  })
})

/** The same store, two days after the last pulse by the clock. */
function holderWithStaleBeacon(): Holder {
  const last = lab.pulse(lab.round)
  const later = lab.nowMs() + 2 * 24 * 3600 * 1000
  return labHolder(lab, store, { clock: createRoundClock({ latest: () => last }, lab.profile, store, () => later) })
}
