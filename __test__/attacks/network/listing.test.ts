/**
 * Attacks on an owner who looks, before registering, whether a name is taken. Each has the name that docs/protocol/ gives it.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LISTING_MS } from '../../../src/network/client/listing.ts'
import { isShownByMost, probe, STRAGGLERS_MS } from '../../../src/network/client/blinded.ts'
import type { ClientParts } from '../../../src/network/client/holders.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { ListedEntry } from '../../../src/network/wire/list.ts'
import { decodeAnswer, encodeMessage, type Answer, type Request } from '../../../src/network/wire/messages.ts'
import { compareBytes, sha256, toHex, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { claimId, encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { Lab, labProfile } from '../../network/lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../../network/modelled-peers.ts'
import { ALICE, code, useWorkbench } from '../../registry/workbench.ts'

/** As many as hold a name. */
const K = 20
const WANTED = 'wanted.chronym'

const lab = new Lab(labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 }))
const keyOf = (name: string): Uint8Array => recordKey('reveal', name, lab.hash)
const wantedKey = keyOf(WANTED)
const DICTIONARY = Array.from({ length: 300 }, (_, index) => `word-${index}.chronym`)

afterEach(() => {
  vi.useRealTimers()
})

/** Entries of those names, as a page shows them; the claims are made up. */
function entriesOf(names: readonly string[]): ListedEntry[] {
  const entries = names.map((name) => ({
    key: keyOf(name),
    state: 'settled' as const,
    claim: sha256(utf8(name)),
    record: sha256(utf8(`record ${name}`))
  }))
  return entries.sort((left, right) => compareBytes(left.key, right.key))
}

/** A page of those entries; the names fit into two. */
function pageOf(entries: readonly ListedEntry[], { after }: Extract<Request, { type: 'list' }>): Answer {
  const rest = entries.filter(({ key }) => after === undefined || compareBytes(key, after) > 0)
  return { type: 'listed', entries: rest.slice(0, 250), more: rest.length > 250 }
}

const [HONEST_ENTRIES, ALL_ENTRIES] = [entriesOf(DICTIONARY), entriesOf([...DICTIONARY, WANTED])]

/**
 * Twenty peers, each of a prefix of its own; all should hold every name. The first ones list the wanted one
 * too, or `only` that. What is asked is kept, by peer.
 */
function twenty(
  listing: number,
  {
    get = () => ({ type: 'none' }),
    listingMs = () => 0,
    only = false
  }: { get?: (peer: number, key: Uint8Array) => Answer; listingMs?: (peer: number) => number; only?: boolean } = {}
) {
  const all = Array.from({ length: K }, (_, index) => modelledPeer(index))
  const asked = all.map((): Request[] => [])
  const penalised: Peer[] = []
  const answer = async (peer: Peer, request: Request): Promise<Answer> => {
    const index = all.indexOf(peer)
    asked[index]!.push(request)
    if (request.type === 'get') return get(index, request.key)
    if (request.type !== 'list') throw new Error(`nobody asks for ${request.type} here`)
    const wait = listingMs(index)
    if (wait === 0) return pageOf(index >= listing ? HONEST_ENTRIES : only ? entriesOf([WANTED]) : ALL_ENTRIES, request)
    await new Promise((resolve) => setTimeout(resolve, wait))
    const key =
      request.after === undefined
        ? new Uint8Array(32)
        : Uint8Array.from(request.after, (byte, at) => (at === 31 ? byte + 1 : byte))
    return { type: 'listed', entries: [{ key, state: 'settled', claim: key }], more: true }
  }
  const modelled = modelledPeers(() => all, answer, { networkSize: () => K, penalise: (peer) => penalised.push(peer) })
  const peers = {
    ...modelled,
    // As the real one, it ends with the signal.
    ask: ((peer, request, signal) => {
      const ended = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => ended.reject(signal.reason), { once: true })
      return Promise.race([modelled.ask(peer, request), ended.promise])
    }) satisfies typeof modelled.ask as typeof modelled.ask
  }
  const keysAsked = (peer: number): string[] =>
    asked[peer]!.flatMap((request) => (request.type === 'get' ? [toHex(request.key)] : []))
  return { parts: clientOf(lab, peers), asked, keysAsked, penalised }
}

/** What it comes to, and after how many milliseconds of the timers' time. */
async function timed<T>(work: Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = Date.now()
  const timing = work.then((result) => ({ result, tookMs: Date.now() - startedAt }))
  await vi.advanceTimersByTimeAsync(2 * LISTING_MS)
  return timing
}

const probed = (parts: ClientParts) => probe(parts, WANTED)

describe('a peer whose list has no end', () => {
  const EACH_MS = 9_000

  it('[a page that comes at the last moment] is waited for no longer than one question after most of the others, and by nobody longer than two minutes', async () => {
    expect([STRAGGLERS_MS, LISTING_MS]).toEqual([10_000, 120_000])
    vi.useFakeTimers()
    const one = await timed(probed(twenty(0, { listingMs: (peer) => (peer === 0 ? EACH_MS : 0) }).parts))
    expect(one.tookMs).toBe(STRAGGLERS_MS)
    expect(one.result.answers).toHaveLength(K - 1)
    expect(one.result.silent).toEqual([{ peer: modelledPeer(0).peer, reason: 'no-answer' }])
    const nine = await timed(probed(twenty(0, { listingMs: (peer) => (peer < 9 ? EACH_MS : 0) }).parts))
    expect(nine.tookMs).toBe(STRAGGLERS_MS)
    const most = twenty(0, { listingMs: (peer) => (peer < 11 ? EACH_MS : 0) })
    const { result, tookMs } = await timed(probed(most.parts))
    expect(tookMs).toBe(LISTING_MS)
    expect(result.silent).toHaveLength(11)
    const questions = most.asked[0]!.length
    await vi.advanceTimersByTimeAsync(LISTING_MS)
    expect(most.asked[0], 'and asked nothing more').toHaveLength(questions)
  })

  it('[a page that comes at the last moment] leaves an honest one the time for 100,000 entries', async () => {
    // 400 pages at the ten a second that a peer may ask for, each 100 ms under way.
    expect(LISTING_MS).toBeGreaterThan(400 * (100 + 100))
  })

  it('[pages that do not ascend] are no answers, to a list and to a question for commitments alike', () => {
    const at = (first: number, last = 0): Uint8Array => new Uint8Array(32).fill(0).with(0, first).with(31, last)
    const list = (
      keys: readonly Uint8Array[],
      { after, bits = 0 }: { after?: Uint8Array; bits?: number } = {}
    ): unknown => {
      const entries = keys.map((key) => ({ key, state: 'settled', claim: key }) as const)
      return decodeAnswer(
        { type: 'list', key: at(0x80), bits, ...(after !== undefined && { after }) },
        encodeMessage({ type: 'listed', entries, more: true })
      )
    }
    const commitments = (keys: readonly Uint8Array[], after?: Uint8Array): unknown => {
      const held = keys.map((commitment) => ({ commitment, seen: 1 }))
      return decodeAnswer(
        { type: 'commitments', ...(after !== undefined && { after }) },
        encodeMessage({ type: 'commitments', commitments: held, more: true })
      )
    }
    expect(list([at(0x80), at(0x80, 1), at(0x90)], { after: at(0x7f, 255), bits: 1 })).toMatchObject({ more: true })
    expect(commitments([at(1), at(2)], at(0, 9))).toMatchObject({ more: true })
    for (const keys of [
      [at(2), at(1)],
      [at(1), at(1)],
      [at(1), at(2), at(2)]
    ]) {
      expect(() => list(keys)).toThrow(/ascend/)
      expect(() => commitments(keys)).toThrow(/ascend/)
    }
    for (const after of [at(1), at(1, 1), at(2)]) {
      expect(() => list([at(1), at(3)], { after }), 'behind the page before').toThrow(/ascend/)
      expect(() => commitments([at(1), at(3)], after)).toThrow(/ascend/)
    }
    for (const outside of [at(0x7f), at(0xc0)])
      expect(() => list([outside], { bits: 2 }), 'under the prefix').toThrow(/prefix/)
    expect(() => list([])).toThrow(/empty/)
    expect(() => commitments([])).toThrow(/empty/)
  })
})

describe('liars among those who are asked whether a name is free', () => {
  it('[liars who list every name] are not believed, be they one of three or all: a name is taken by a record that verifies', async () => {
    const theirs = lab.reveal('other.chronym', lab.owner('mallory'), { p: lab.round })
    const forged: Reveal = {
      ...lab.reveal(WANTED, lab.owner('mallory'), { p: lab.round }),
      signature: new Uint8Array(64)
    }
    const entry = (record: Reveal | undefined): Answer => ({
      type: 'entry',
      state: 'settled',
      claim: sha256(utf8(WANTED)),
      ...(record !== undefined && { record: encodeReveal(record) })
    })
    for (const get of [
      () => ({ type: 'none' }) as const,
      () => entry(undefined),
      () => entry(theirs),
      () => entry(forged)
    ]) {
      for (const liars of [5, 9, 11, K]) {
        const { parts } = twenty(liars, { get })
        const { answers } = await probed(parts)
        expect(
          answers.filter(({ claim }) => claim !== undefined),
          `${liars} of ${K}`
        ).toEqual([])
      }
    }
    const { parts, penalised } = twenty(K, { get: (peer) => entry(peer === 7 ? forged : undefined) })
    expect((await probed(parts)).silent).toEqual([{ peer: modelledPeer(7).peer, reason: 'invalid' }])
    expect(penalised.map(({ peer }) => peer)).toEqual([modelledPeer(7).peer])
  })

  it('[liars who list every name] hide no name either that one honest holder of those who list it can show', async () => {
    const owner = lab.owner('alice')
    const taken = lab.reveal(WANTED, owner, { p: lab.round })
    const claim = claimId(WANTED, lab.commitment(WANTED, owner), taken.drand_pulse, lab.hash)
    const { parts } = twenty(K, {
      get: (peer, key) =>
        peer === 13 && toHex(key) === toHex(wantedKey)
          ? { type: 'entry', state: 'settled', claim, record: encodeReveal(taken) }
          : { type: 'none' }
    })
    const { answers } = await probed(parts)
    expect(answers.filter((answer) => answer.claim !== undefined)).toMatchObject([
      { peer: modelledPeer(13).peer, claim: { pubkey: owner.publicKey } }
    ])
  })

  it('[a name that a liar lists to learn it] is asked for only where most list it, and then among seven others, the same each time', async () => {
    for (const liars of [1, 4, 10]) {
      const { parts, asked } = twenty(liars)
      await probed(parts)
      expect(new Set(asked.flat().map(({ type }) => type)), `${liars} of ${K}`).toEqual(new Set(['list']))
      expect(JSON.stringify(asked)).not.toContain(toHex(wantedKey))
    }
    const most = twenty(11)
    await probed(most.parts)
    const keys = most.keysAsked(0)
    expect(keys).toHaveLength(8)
    expect(keys).toContain(toHex(wantedKey))
    expect(keys, 'the order tells nothing').toEqual(keys.toSorted())
    const listed = new Set(HONEST_ENTRIES.map(({ key }) => toHex(key)))
    expect(
      keys.filter((key) => listed.has(key)),
      'names that the honest list as well'
    ).toHaveLength(7)
    for (let peer = 1; peer < 11; peer++) expect(most.keysAsked(peer)).toEqual(keys)
    for (let peer = 11; peer < K; peer++) expect(most.keysAsked(peer)).toEqual([])
    // Nor are liars who list nothing else asked for it alone.
    const lone = twenty(11, { only: true })
    await probed(lone.parts)
    expect(lone.keysAsked(0)).toHaveLength(8)
    // What two questions have in common would be the name.
    await probed(most.parts)
    expect(most.keysAsked(0)).toEqual([...keys, ...keys])
    // Nor does another name show it, by the others being the same.
    const other = twenty(K)
    await probe(other.parts, DICTIONARY[0]!)
    expect(other.keysAsked(0)).not.toEqual(keys)
    expect(other.keysAsked(0).filter((key) => keys.includes(key)).length).toBeLessThan(7)
  })

  it('[a name that a liar lists to learn it] where fewer than five could hold it, all of them must list it', () => {
    const isAsked = (showing: number, heard: number, asked: number, profile = lab.profile): boolean =>
      isShownByMost({ showing, heard, asked }, profile)
    expect([isAsked(1, 3, 3), isAsked(2, 3, 3), isAsked(2, 2, 3), isAsked(3, 3, 3)]).toEqual([
      false,
      false,
      false,
      true
    ])
    expect([isAsked(5, 17, 17), isAsked(8, 17, 17), isAsked(9, 17, 17), isAsked(4, 6, 20), isAsked(5, 9, 20)]).toEqual([
      false,
      false,
      true,
      false,
      true
    ])
    // Where prefixes do not count, one machine of a few may be switched off.
    const home = labProfile()
    expect([isAsked(1, 1, 3, home), isAsked(2, 2, 3, home), isAsked(1, 1, 1, home), isAsked(0, 0, 0, home)]).toEqual([
      false,
      true,
      true,
      false
    ])
  })
})

describe('a registration', () => {
  const bench = useWorkbench()

  it('[liars who list every name] do not stop it, and the log says how many list the name without showing it', async () => {
    const [node, other] = [await bench.start(), await bench.start({ self: 'peer-1', seed: 2 })]
    await bench.registered(other)
    const warned = vi.spyOn(node.dependencies.log, 'warn')
    const liar = bench.world.peers[1]!.reveals.get(ALICE)!
    for (const peer of bench.world.peers.slice(2)) peer.reveals.delete(ALICE)
    expect((await node.registry.register(ALICE, {})).status, 'one of four').toBe('running')
    expect(warned).toHaveBeenCalledWith(
      expect.objectContaining({ name: ALICE, listed_by: 1, of: 4, shown_by: 0 }),
      expect.any(String)
    )
    warned.mockRestore()
    const third = await bench.start({ self: 'peer-0', seed: 3 })
    for (const peer of bench.world.peers) peer.reveals.set(ALICE, liar)
    third.network.hides = true
    expect((await third.registry.register(ALICE, {})).status, 'all of them, who show nothing').toBe('running')
    expect(third.network.sent).not.toContain(`get ${ALICE}`)
    const fourth = await bench.start({ self: 'peer-0', seed: 4 })
    await expect(fourth.registry.register(ALICE, {})).rejects.toThrow(code('SVC-REG-001'))
    expect(fourth.network.sent, 'it is never asked for alone').not.toContain(`get ${ALICE}`)
  })
})
