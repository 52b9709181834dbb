/** What a newcomer takes of what its neighbours list: a real holder among modelled neighbours. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBudget } from '../../../src/network/budget/budget.ts'
import type { Holder } from '../../../src/network/holder/holder.ts'
import type { Peer } from '../../../src/network/peers.ts'
import { COMMITMENTS_PAGE } from '../../../src/network/wire/commitments.ts'
import { LIST_PAGE_ENTRIES, type ListedEntry } from '../../../src/network/wire/list.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import { askForCommitments, handOver } from '../../../src/network/upkeep/replication.ts'
import { compareBytes, concatBytes, sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { nextHash } from '../../../src/protocol/claim/changes.ts'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import { withChange } from '../../protocol/changed-keys.ts'
import { Lab } from '../lab.ts'
import { labHolder } from '../lab-holder.ts'
import { modelledPeer, modelledPeers } from '../modelled-peers.ts'
import { temporary } from '../../temporary.ts'

interface Model extends Peer {
  /** By K in hex. */
  readonly holds: Map<string, { readonly listed: ListedEntry; readonly record: Uint8Array }>
  showsRecords: boolean
  isSlow: boolean
  readonly asked: Request['type'][]
}

let lab: Lab
let store: Store
let neighbours: Model[]
let newcomer: Holder
let isStopped: boolean
/** What has passed since the round began, milliseconds. */
let passedMs: number
/** What every neighbour holds, ascending. */
let commitments: Uint8Array[]
/** When each peer was met, where not just now. */
const metRounds = new Map<string, number>()

/** The record that every neighbour is busy with. */
let busyWith: Uint8Array | undefined

/** Just within the time that a request has. */
const SLOW_MS = 9_900

const peers = modelledPeers(
  () => neighbours,
  (peer, request) => {
    peer.asked.push(request.type)
    if (peer.isSlow) passedMs += SLOW_MS
    return answerOf(peer, request)
  },
  // Up to k: every name belongs everywhere. All were met just now, unless a test says when.
  { networkSize: () => lab.profile.k, met: ({ peer }) => metRounds.get(peer) ?? lab.round }
)

function answerOf({ holds, showsRecords }: Model, request: Request): Answer {
  if (request.type === 'list') {
    const after = request.after === undefined ? '' : toHex(request.after)
    const keys = [...holds.keys()].sort().filter((key) => key > after)
    return {
      type: 'listed',
      entries: keys.slice(0, LIST_PAGE_ENTRIES).map((key) => holds.get(key)!.listed),
      more: keys.length > LIST_PAGE_ENTRIES
    }
  }
  if (request.type === 'put') return { type: request.record === busyWith ? 'busy' : 'stored' }
  if (request.type === 'commitments') {
    const after = request.after
    const held = commitments.filter((commitment) => after === undefined || compareBytes(commitment, after) > 0)
    return {
      type: 'commitments',
      commitments: held.slice(0, COMMITMENTS_PAGE).map((commitment) => ({ commitment, seen: 1 })),
      more: held.length > COMMITMENTS_PAGE
    }
  }
  if (request.type !== 'get') throw new Error(request.type)
  const held = holds.get(toHex(request.key))
  if (held === undefined) return { type: 'none' }
  const { state, claim, changes } = held.listed
  return { type: 'entry', state, claim, ...(showsRecords && { record: held.record }), ...(changes && { changes }) }
}

beforeEach(() => {
  lab = new Lab()
  store = openStore(join(temporary(), 'chronym.db'))
  isStopped = false
  passedMs = 0
  metRounds.clear()
  commitments = []
  busyWith = undefined
  neighbours = Array.from({ length: 20 }, (_, index) => ({
    ...modelledPeer(index),
    holds: new Map(),
    showsRecords: true,
    isSlow: false,
    asked: []
  }))
  newcomer = labHolder(lab, store, { budget: createBudget(false), peers: () => peers })
})

afterEach(() => {
  vi.restoreAllMocks()
  store.close()
})

function settled(name: string, who = 'owner'): Reveal {
  return lab.reveal(`${name}.chronym`, lab.owner(who), { p: lab.round - 100 })
}

function hold(
  reveal: Reveal,
  by: readonly Model[],
  state: EntryState = 'settled',
  changes?: ListedEntry['changes']
): void {
  const record = encodeReveal(reveal)
  const key = recordKey('reveal', reveal.name, lab.hash)
  const claim = claimOf(reveal, reveal.name as Name, lab.profile).id
  const listed = { key, state, claim, record: sha256(record), ...(changes && { changes }) }
  for (const { holds } of by) holds.set(toHex(key), { listed, record })
}

/** What the newcomer has of a name. */
function taken(name: string): { state: EntryState; owner: Uint8Array } | undefined {
  const entry = newcomer.entries.load(recordKey('reveal', `${name}.chronym`, lab.hash))?.entry
  return entry && { state: entry.state, owner: entry.claim.pubkey }
}

async function round(): Promise<void> {
  for (const { asked } of neighbours) asked.length = 0
  await handOver(
    newcomer,
    peers,
    lab.profile,
    () => isStopped,
    () => passedMs
  )
}

function asked(type: Request['type']): number {
  return neighbours.flatMap((neighbour) => neighbour.asked).filter((each) => each === type).length
}

describe('a newcomer', () => {
  it('takes all that its neighbours hold with one question a name, each neighbour asked for its part', async () => {
    const names = Array.from({ length: 120 }, (_, index) => settled(`name-${index}`))
    for (const reveal of names) hold(reveal, neighbours)
    await round()
    expect(newcomer.entries.count()).toBe(names.length)
    expect(taken('name-7')).toEqual({ state: 'settling', owner: names[7]!.pubkey })
    expect([asked('get'), asked('list'), asked('put')]).toEqual([names.length, neighbours.length, 0])
    expect(Math.max(...neighbours.map((neighbour) => neighbour.asked.length))).toBeLessThan(names.length / 3)
    await round()
    expect([asked('get'), asked('put')]).toEqual([0, 0])
  })

  it('takes and settles old names by the word of new acquaintances: commitments are forgotten by then', async () => {
    lab.advance(lab.profile.commit_keep)
    const names = Array.from({ length: 100 }, (_, index) => settled(`old-${index}`))
    for (const reveal of names) hold(reveal, neighbours)
    await round()
    expect(newcomer.entries.count()).toBe(names.length)
    lab.advance(lab.profile.settle + 1)
    for (const { name } of names) await newcomer.reveals.revise(recordKey('reveal', name, lab.hash))
    expect(names.filter((_name, index) => taken(`old-${index}`)?.state === 'settled')).toHaveLength(names.length)
  })

  it('takes what more than half of enough neighbours list, and nothing that fewer do', async () => {
    hold(settled('four'), neighbours.slice(0, 4))
    hold(settled('five'), neighbours.slice(0, 5))
    hold(settled('divided', 'one'), neighbours.slice(0, 10))
    hold(settled('divided', 'other'), neighbours.slice(10))
    hold(settled('doubtful'), neighbours, 'provisional')
    hold(settled('contested'), neighbours, 'fresh')
    await round()
    expect(['four', 'five', 'divided', 'doubtful', 'contested'].map((name) => taken(name)?.state)).toEqual([
      undefined,
      'settling',
      undefined,
      undefined,
      'fresh'
    ])
    expect(asked('get')).toBe(2)
  })

  it('takes the last change that most list, and its age, from whichever of them it asks first', async () => {
    const [owner, words, buyer] = [lab.owner('owner'), lab.owner('words'), lab.owner('buyer')]
    const final = 2 * lab.profile.grace + 500
    for (let index = 0; index < 8; index++) {
      const next = nextHash(words.publicKey, lab.hash)
      const before = lab.reveal(`sold-${index}.chronym`, owner, { p: lab.round - 100, next })
      const sold = withChange(before, { to: buyer, next: words, by: words }, lab.profile)
      const { changes } = claimOf(sold, sold.name as Name, lab.profile)
      hold(before, neighbours.slice(0, 9))
      hold(sold, neighbours.slice(9), 'settled', { head: changes[0]!.hash, final })
    }
    await round()
    for (let index = 0; index < 8; index++) {
      const entry = newcomer.entries.load(recordKey('reveal', `sold-${index}.chronym`, lab.hash))?.entry
      expect([entry?.claim.pubkey, entry?.since]).toEqual([buyer.publicKey, [500]])
    }
  })

  it('takes nothing that new neighbours list and old ones lack, and all that five old ones list', async () => {
    for (const { peer } of neighbours.slice(5)) metRounds.set(peer, lab.round - lab.profile.settle - 1)
    hold(settled('new'), neighbours.slice(0, 5))
    hold(settled('old'), neighbours.slice(15))
    hold(settled('both'), neighbours.slice(0, 10))
    await round()
    expect(['new', 'old', 'both'].map((name) => taken(name)?.state)).toEqual([undefined, 'settling', 'settling'])
  })

  it('asks the others where one does not show what it lists, and enters nothing that nobody shows', async () => {
    const shown = Array.from({ length: 20 }, (_, index) => settled(`shown-${index}`))
    for (const reveal of shown) hold(reveal, neighbours)
    for (const neighbour of neighbours.slice(1)) neighbour.showsRecords = false
    hold(settled('hidden'), neighbours.slice(1))
    await round()
    expect(newcomer.entries.count()).toBe(shown.length)
  })

  it('is not kept from them by one that lists names without end', async () => {
    const [liar] = neighbours
    for (let index = 0; index < 1_200; index++) {
      const key = sha256(utf8(`made up ${index}`))
      liar!.holds.set(toHex(key), { listed: { key, state: 'settled', claim: key }, record: new Uint8Array() })
    }
    const names = Array.from({ length: 10 }, (_, index) => settled(`honest-${index}`))
    for (const reveal of names) hold(reveal, neighbours.slice(1))
    await round()
    expect(newcomer.entries.count()).toBe(names.length)
    expect(asked('get')).toBe(names.length)
  })

  it('enters no lease that has ended, and nothing at all while the newest pulse is old', async () => {
    const reveal = settled('late')
    hold(reveal, neighbours)
    lab.round += lab.profile.lease + lab.profile.grace
    await round()
    expect(taken('late')).toBeUndefined()
  })

  it('[a neighbour that takes its time] gets its minutes in a round, not the hours of its answers', async () => {
    const [liar] = neighbours
    liar!.isSlow = true
    for (let index = 0; index < 50 * LIST_PAGE_ENTRIES; index++) {
      const key = sha256(utf8(`made up ${index}`))
      liar!.holds.set(toHex(key), { listed: { key, state: 'settled', claim: key }, record: new Uint8Array() })
    }
    hold(settled('listed'), neighbours.slice(1))
    await round()
    expect(taken('listed')).toBeDefined()
    expect([liar!.asked.length, passedMs <= 130_000]).toEqual([13, true])

    // It lists nothing, and takes ten seconds for each record that it is given.
    liar!.holds.clear()
    for (let index = 0; index < 50; index++) {
      const reveal = settled(`given-${index}`)
      hold(reveal, neighbours.slice(1))
      await newcomer.put('reveal', encodeReveal(reveal))
    }
    passedMs = 0
    await round()
    expect([liar!.asked.length, passedMs <= 130_000]).toEqual([13, true])

    commitments = Array.from({ length: 10 * COMMITMENTS_PAGE }, (_, index) =>
      concatBytes(u64be(index), new Uint8Array(24))
    )
    passedMs = 0
    for (const { asked } of neighbours) asked.length = 0
    expect(
      (
        await askForCommitments(
          peers,
          () => false,
          () => passedMs
        )
      ).size
    ).toBe(commitments.length)
    expect([liar!.asked.length, neighbours[1]!.asked.length]).toEqual([4, 11])
  })

  it('stops when it is told to', async () => {
    hold(settled('stopped'), neighbours)
    isStopped = true
    await round()
    expect(asked('list') + asked('get')).toBe(0)
  })
})

describe('documents', () => {
  /** Of six that are held here, in this order, how often a neighbour is sent each. */
  async function given(busy: number): Promise<number[]> {
    const documents = Array.from({ length: 6 }, (_, index) => ({
      kind: index < 3 ? ('kid' as const) : ('manifest' as const),
      key: new Uint8Array(32).fill(index),
      record: utf8(`document ${index}`)
    }))
    vi.spyOn(newcomer.documents, 'all').mockReturnValue(documents.values())
    busyWith = documents[busy]!.record
    neighbours = neighbours.slice(0, 1)
    const ask = vi.spyOn(peers, 'ask')
    await round()
    return documents.map(
      ({ record }) => ask.mock.calls.filter(([, request]) => request.type === 'put' && request.record === record).length
    )
  }

  it('are given to a neighbour until that is busy', async () => {
    expect(await given(1)).toEqual([1, 4, 0, 0, 0, 0])
  })

  it("reach it also behind a manifest that it is busy with: its identity's holders may be silent", async () => {
    expect(await given(4)).toEqual([1, 1, 1, 1, 4, 1])
  })
})

describe('commitments that neighbours hold', () => {
  const low = Array.from({ length: 20 * COMMITMENTS_PAGE }, (_, index) => concatBytes(u64be(index), new Uint8Array(24)))
  const honest = new Uint8Array(32).fill(0xfe)
  const heard = async (from?: Uint8Array): Promise<ReadonlyMap<string, readonly unknown[]>> =>
    askForCommitments(
      peers,
      () => false,
      () => 0,
      from
    )

  it('[commitments that hide others] are asked for from any place on, so that each has its turn', async () => {
    commitments = [...low, honest]
    expect((await heard()).get(toHex(honest))).toHaveLength(neighbours.length)
    const words = await heard(low[5_000])
    expect([0, 2_999, 3_000, 5_000, 5_001, low.length - 1].map((index) => words.has(toHex(low[index]!)))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true
    ])
  })

  it('are asked for once each, also those before that place, while they are few', async () => {
    commitments = [...low.slice(0, 700), honest]
    for (const from of [undefined, low[300], low[499], low[699], honest, new Uint8Array(32).fill(0xff)]) {
      const words = await heard(from)
      expect(words.size).toBe(701)
      for (const said of words.values()) expect(said).toHaveLength(neighbours.length)
    }
  })
})
