/** A holder as users run it among neighbours that name a thief's claim. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Acquaintances } from '../../../src/network/routing/acquaintances.ts'
import type { Holder } from '../../../src/network/holder/holder.ts'
import { type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { HolderWorkbench } from '../../network/holder-workbench.ts'
import type { Peer } from '../../../src/network/peers.ts'
import { modelledPeer } from '../../network/modelled-peers.ts'

const NAME = 'witness.chronym'
const NEIGHBOURS = Array.from({ length: 19 }, (_, index) => modelledPeer(index))

let at: HolderWorkbench
let acquaintances: Acquaintances

beforeEach(() => {
  at = new HolderWorkbench({ profile: { answers_per_prefix: 2, answers_per_wide_prefix: 4 } })
  acquaintances = remembered()
})

afterEach(() => at.close())

function remembered(): Acquaintances {
  return new Acquaintances(at.store, () => at.lab.round, at.lab.profile)
}

/** All of them enter the routing table now. */
function meetThem(): void {
  for (const peer of NEIGHBOURS) acquaintances.note(peer)
  acquaintances.keep()
}

/** It and its acquaintances as the store has them. */
function started(): Holder {
  acquaintances = remembered()
  const peers = { ...at.peers, met: (peer: Peer) => acquaintances.met(peer) }
  return at.holder({ peers: () => (at.neighbours.length === 0 ? undefined : peers) })
}

/** The thief's claim: Valid, of an older pulse, and its C was never sent. */
function thieves(): Reveal {
  const reveal = at.lab.reveal(NAME, at.lab.owner('thief'), { p: at.lab.round - 100 })
  at.addNeighbours(NEIGHBOURS.length, { reveal, state: 'settled' })
  return reveal
}

/** A holder that saw C and then the owner's claim, before its neighbours had anything. */
async function witness(): Promise<{ target: Holder; own: Reveal }> {
  const target = started()
  const own = at.witnessed(target, NAME, 'owner')
  expect(await at.put(target, own)).toEqual({ type: 'stored' })
  at.lab.advance(at.lab.profile.contest + 1)
  return { target, own }
}

async function ask(target: Holder): Promise<void> {
  await target.reveals.revise(at.key(NAME))
}

describe('a holder that saw the commitment itself', () => {
  it('[a witness who is talked over] keeps and settles its claim against nineteen newer peers', async () => {
    const { target, own } = await witness()
    meetThem()
    thieves()
    for (let question = 0; question < 4; question++) {
      await ask(target)
      expect(at.stateOf(target, NAME)).toEqual({ state: 'settling', owner: own.pubkey })
    }
    at.lab.advance(at.lab.profile.settle)
    const restarted = started()
    const all = at.neighbours
    at.neighbours = all.slice(0, 7)
    await ask(restarted)
    expect(at.stateOf(restarted, NAME)?.state, 'not before eight have answered').toBe('settling')
    at.neighbours = all.slice(0, 8)
    await ask(restarted)
    expect(at.stateOf(restarted, NAME)).toEqual({ state: 'settled', owner: own.pubkey })
  })

  it('[a witness who is talked over] follows old acquaintances, also after a restart', async () => {
    meetThem()
    at.lab.advance(1)
    const { own } = await witness()
    const other = thieves()
    const restarted = started()
    expect(at.stateOf(restarted, NAME)?.owner).toEqual(own.pubkey)
    await ask(restarted)
    expect(at.stateOf(restarted, NAME)).toEqual({ state: 'settling', owner: other.pubkey })
    at.lab.advance(at.lab.profile.settle)
    await ask(restarted)
    expect(at.stateOf(restarted, NAME)).toEqual({ state: 'settled', owner: other.pubkey })
  })

  it('[a witness who is talked over] is repaired by eleven old acquaintances, never by ten', async () => {
    for (const peer of NEIGHBOURS.slice(0, 10)) acquaintances.note(peer)
    acquaintances.keep()
    at.lab.advance(1)
    const { target, own } = await witness()
    meetThem()
    thieves()
    await ask(target)
    expect(at.stateOf(target, NAME)).toEqual({ state: 'settling', owner: own.pubkey })
    // Yet it does not settle either: all that it believes name another.
    at.lab.advance(at.lab.profile.settle)
    await ask(target)
    expect(at.stateOf(target, NAME)?.state).toBe('settling')
  })
})

describe('a holder that came after the commitment of a slow owner', () => {
  const isThieves = (index: number): boolean => index >= 14

  /** It has the owner's claim by what others vouch for, and has noted a lower one that nobody saw committed. */
  async function newcomer(): Promise<{ target: Holder; own: Reveal; unseen: Reveal }> {
    const { lab } = at
    const owner = lab.owner('owner')
    const commitment = lab.commitment(NAME, owner)
    const seen = lab.round
    lab.advance(lab.profile.min_commit)
    const own = lab.reveal(NAME, owner, { p: lab.round })
    const unseen = lab.reveal(NAME, lab.owner('thief'), { p: lab.round - 100 })
    lab.advance(50)
    const target = started()
    target.commit(commitment, lab.stamp(commitment), 'p')
    const words = NEIGHBOURS.slice(0, 14).map(({ peer, prefix }) => ({ peer, prefix, seen }))
    target.commitments.takeOver(new Map([[toHex(commitment), words]]))
    expect(await at.put(target, own)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, NAME)?.state).toBe('fresh')
    expect(await at.put(target, unseen)).toMatchObject({ type: 'refused', code: 'unwitnessed' })
    lab.advance(lab.profile.contest + 1)
    at.addNeighbours(14, { reveal: own, state: 'settling' })
    at.addNeighbours(5, { reveal: unseen, state: 'settled' })
    return { target, own, unseen }
  }

  const meet = (isMet: (index: number) => boolean): void => {
    for (const peer of NEIGHBOURS.filter((_, index) => isMet(index))) acquaintances.note(peer)
    acquaintances.keep()
  }

  it('[an unseen claim in a slow contest] does not yield to it among ids that come after the pulse', async () => {
    meet((index) => !isThieves(index))
    at.lab.advance(1)
    const { target, own } = await newcomer()
    meet(isThieves)
    await ask(target)
    expect(at.stateOf(target, NAME)).toEqual({ state: 'settling', owner: own.pubkey })
    at.lab.advance(at.lab.profile.settle)
    await ask(target)
    expect(at.stateOf(target, NAME)).toEqual({ state: 'settled', owner: own.pubkey })
  })

  it('[an unseen claim in a slow contest] does where they were there before the pulse', async () => {
    meet(() => true)
    at.lab.advance(1)
    const { target, unseen } = await newcomer()
    await ask(target)
    expect(at.stateOf(target, NAME)).toEqual({ state: 'settling', owner: unseen.pubkey })
  })
})

describe('a holder that knows its neighbours for longer than a name is sought', () => {
  /** Fourteen old neighbours that hold nothing, then five that came now and show the thief's claim. */
  function surrounded(thief: Reveal): void {
    at.addNeighbours(14)
    at.addNeighbours(5, { reveal: thief, state: 'settled' })
    acquaintances = remembered()
    meetThem()
  }

  const thiefs = (): Reveal => at.lab.reveal(NAME, at.lab.owner('thief'), { p: at.lab.round - 100 })

  function meetTheOld(): void {
    for (const peer of NEIGHBOURS.slice(0, 14)) acquaintances.note(peer)
    acquaintances.keep()
  }

  it('[neighbours that come for a name] show nothing to one that saw its commitment before', async () => {
    meetTheOld()
    at.lab.advance(1)
    const target = started()
    const own = at.witnessed(target, NAME, 'owner')
    surrounded(thiefs())
    expect(await at.put(started(), own)).toEqual({ type: 'stored' })
    expect(at.stateOf(target, NAME)).toEqual({ state: 'fresh', owner: own.pubkey })
  })

  it.each(['settle', 'provisional_settle'] as const)(
    '[neighbours that come for a name] have their claim provisional until the owner reveals, where the others are there since %s',
    async (span) => {
      meetTheOld()
      at.lab.advance(at.lab.profile[span] + 1)
      const target = started()
      const own = at.witnessed(target, NAME, 'owner')
      const thief = thiefs()
      surrounded(thief)
      const restarted = started()
      expect(await at.put(restarted, thief)).toEqual({ type: 'stored' })
      await ask(restarted)
      expect(at.stateOf(restarted, NAME)).toEqual({ state: 'provisional', owner: thief.pubkey })
      expect(await at.put(restarted, own)).toEqual({ type: 'stored' })
      expect(at.stateOf(restarted, NAME)).toEqual({ state: 'fresh', owner: own.pubkey })
    }
  )

  it('yet follows five that it has known as long, and new ones where it knows fewer than eight others', async () => {
    for (const known of [19, 7]) {
      at.close()
      at = new HolderWorkbench({ profile: { answers_per_prefix: 2, answers_per_wide_prefix: 4 } })
      acquaintances = remembered()
      for (const peer of NEIGHBOURS.slice(0, known)) acquaintances.note(peer)
      acquaintances.keep()
      at.lab.advance(1)
      const own = at.witnessed(started(), NAME, 'owner')
      const thief = thiefs()
      surrounded(thief)
      const restarted = started()
      expect(await at.put(restarted, own)).toMatchObject({ type: 'refused' })
      expect(at.stateOf(restarted, NAME)?.owner).toEqual(thief.pubkey)
    }
  })
})

it('a holder that joined later hears everybody, whenever it met them', async () => {
  meetThem()
  const other = thieves()
  const own = at.lab.reveal(NAME, at.lab.owner('owner'), { p: at.lab.round })
  const target = started()
  expect(await at.put(target, own)).toMatchObject({ type: 'refused', code: 'taken' })
  expect(at.stateOf(target, NAME)).toEqual({ state: 'settling', owner: other.pubkey })
})
