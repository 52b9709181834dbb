/** Moves by lists: names that liars cannot show, and pages that come late. */
import { equalBytes, sha256, toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { ListedEntry, ListRequest } from '../../../../src/network/wire/list.ts'
import { empty, showing } from '../../people/adversary.ts'
import type { Random } from '../../world/random.ts'
import type { Answerer } from '../../world/sim-node.ts'
import { probe } from '../../../../src/network/client/blinded.ts'
import { claimsIn, isHeldByMost } from '../../../../src/registry/resolution/survey.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { blindedPrefixBits } from '../../../../src/protocol/neighbourhood/key-space.ts'

/** Names that differ in what follows these bytes lie under one prefix, however large the network is. */
const SHARED_BYTES = 2

/** An entry of the next key behind the last one, under the prefix that is asked for: a list without end. */
function nextInvented({ key, bits, after }: Pick<ListRequest, 'key' | 'bits' | 'after'>): ListedEntry {
  const next = Uint8Array.from(after ?? key.map((byte, index) => byte & maskOf(bits - 8 * index)))
  for (let index = next.length - 1; index >= 0; index--) {
    next[index] = (next[index]! + 1) & 0xff
    if (next[index] !== 0) break
  }
  return listed(next)
}

/** Lists a key among that many that nobody has, and shows no record. */
function listingAmong(wanted: Uint8Array, names: number, random: Random): Answerer {
  const others = Array.from({ length: names }, () =>
    Uint8Array.from([...wanted.subarray(0, SHARED_BYTES), ...random.bytes(wanted.length - SHARED_BYTES)])
  )
  const entries = [wanted, ...others].sort((left, right) => Buffer.compare(left, right)).map(listed)
  return (request) => (request.type === 'list' ? { type: 'listed', entries, more: false } : empty(request))
}

/** The first of a byte's bits. */
function maskOf(bits: number): number {
  return 0xff << (8 - Math.max(0, Math.min(8, bits)))
}

function listed(key: Uint8Array): ListedEntry {
  return { key, state: 'settled', claim: sha256(key), record: sha256(key) }
}

const NAMES = 100

/** Ids around a free name list it beside invented ones, and show no record of any. */
const listEveryName: Move = {
  id: 'list-every-name',
  attacks: ['liars who list every name'],
  begins: 'start',
  leadDays: 0.1,
  days: 1.5,
  ids: 16,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const listing = listingAmong(victim.recordKey, NAMES, world.random('listed'))
    // Once it is published they are as honest nodes: what they do to a publication is another move's matter.
    const lie: Answerer = (request, from) =>
      victim.reveal === undefined ? listing(request, from) : showing(victim.reveal, world.hash)(request, from)
    adversary.joinNear(victim.recordKey, ids, lie)
    await world.sleep(HOUR_MS)
    const found = await probe(victim.node.client, victim.name)
    const { claims, heard, proved } = claimsIn(found)
    remark(`${claims} of the ${heard} that answer list the name, ${proved.length} show it: it counts as free`)
    if (claims === 0) breach('nobody listed the name: the move tried nothing')
    if (isHeldByMost(found)) breach(`a free name counts as taken where ${claims} list it`)
  }
}

/** The wanted one, and seven others. */
const ASKED_FOR = 8

/** Ids around a name list it beside a hundred others, to learn from the questions for records which one is wanted. */
const listedToLearnAName: Move = {
  id: 'listed-to-learn-a-name',
  attacks: ['a name that a liar lists to learn it'],
  begins: 'start',
  leadDays: 0.2,
  days: 1.5,
  ids: 11,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    let learnt = new Set<string>()
    const listing = listingAmong(victim.recordKey, NAMES, world.random('listed'))
    const lie: Answerer = (request, from) => {
      if (request.type === 'get' && from === victim.node) learnt.add(toHex(request.key))
      return listing(request, from)
    }
    adversary.joinNear(victim.recordKey, ids, lie)
    const looks: Set<string>[] = []
    for (let look = 0; look < 2; look++) {
      await world.sleep(HOUR_MS)
      learnt = new Set()
      await probe(victim.node.client, victim.name)
      looks.push(learnt)
    }
    adversary.leave()
    const wanted = toHex(victim.recordKey)
    const [first, second] = looks as [Set<string>, Set<string>]
    const both = new Set([...first].filter((key) => second.has(key)))
    remark(
      `the owner asks the liars for ${first.size} of the ${NAMES + 1} names that they list; ` +
        `a second look has ${both.size} of them in common`
    )
    if (first.size === 0) return
    if (ids < world.profile.witness_quorum) breach('fewer than a quorum list the name, and its owner asks for it')
    if (!first.has(wanted)) breach('the wanted name is not among those asked for')
    if (first.size < ASKED_FOR || both.size < ASKED_FOR) breach(`the wanted name is one of ${both.size} only`)
  }
}

/** A question is given up after ten seconds, both ways included. */
const PAGE_MS = 9_700

/** What answers and look-ups take beside. */
const OTHER_MS = 3_000

const LOOKS = 3

/** A node lists invented names without end, each page at the last moment that counts, to an owner who looks before it claims. */
const lastMomentPages: Move = {
  id: 'last-moment-pages',
  attacks: ['a page that comes at the last moment'],
  rows: ['a registration held up by lists'],
  begins: 'start',
  leadDays: 0.2,
  days: 1.5,
  ids: 1,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const listers = new Set<string>()
    let slow = true
    const lie = async (request: Request): Promise<Answer | undefined> => {
      if (!slow) return undefined
      if (request.type !== 'list') return empty(request)
      await world.sleep(PAGE_MS)
      return { type: 'listed', entries: [nextInvented(request)], more: true }
    }
    for (const { peer } of adversary.joinNear(victim.recordKey, ids, lie)) listers.add(peer.peer)
    let longestMs = 0
    for (let look = 0; look < LOOKS; look++) {
      const beganMs = world.timeline.nowMs
      const { asked, silent } = await probe(victim.node.client, victim.name)
      const tookMs = world.timeline.nowMs - beganMs
      longestMs = Math.max(longestMs, tookMs)
      const lying = silent.filter(({ peer }) => listers.has(peer)).length
      const mostMs = (lying * 2 < asked ? 10_000 : 120_000) + OTHER_MS
      remark(
        `${lying} of ${asked} that are asked lie; a look before a claim takes ${Math.round(longestMs / 1000)} s at most`
      )
      if (lying === 0) breach('no liar was asked: the move tried nothing')
      if (tookMs > mostMs) breach(`a look took ${Math.round(tookMs / 1000)} s where ${lying} of ${asked} lie`)
      await world.sleep(HOUR_MS / 2)
    }
    slow = false
    adversary.leave()
  }
}

/** A list and its records, commitments, and a question under way at the end of each. */
const MOST_MS = 2.5 * MINUTE_MS + 2 * 10_000

/** The others of a round, and what it takes from them. */
const OTHERS_MS = 2 * MINUTE_MS

const ROUNDS = 3

/** Neighbours of a name answer hourly rounds with pages without end, each at the last moment. */
const slowNeighbours: Move = {
  id: 'slow-neighbours',
  attacks: ['a neighbour that takes its time'],
  begins: 'settled',
  days: 4.5,
  ids: 2,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const lie = async (request: Request): Promise<Answer> => {
      if (request.type === 'list' || request.type === 'commitments') await world.sleep(PAGE_MS)
      if (request.type === 'list') return { type: 'listed', entries: [nextInvented(request)], more: true }
      if (request.type !== 'commitments') return empty(request)
      const { key } = nextInvented({ key: new Uint8Array(32), bits: 0, ...request })
      return { type: 'commitments', commitments: [{ commitment: key, seen: world.round() - 50 }], more: true }
    }
    adversary.joinNear(victim.recordKey, ids, lie)
    let longestMs = 0
    for (let round = 0; round < ROUNDS; round++) {
      await world.sleep(HOUR_MS)
      const [nearest] = world.holdersOf(victim.recordKey)
      const beganMs = world.timeline.nowMs
      await nearest!.replicate()
      longestMs = Math.max(longestMs, world.timeline.nowMs - beganMs)
      remark(`with ${ids} of them an hourly round takes ${Math.round(longestMs / MINUTE_MS)} minutes at most`)
      if (longestMs > ids * MOST_MS + OTHERS_MS)
        breach(`an hourly round takes ${Math.round(longestMs / MINUTE_MS)} minutes with ${ids} slow neighbours`)
    }
    adversary.leave()
  }
}

/** Ids around the name, and as many anywhere, write down what its owner asks before it reveals. */
const lookUpBeforeTheClaim: Move = {
  id: 'look-up-before-the-claim',
  attacks: ['looking a name up announces it'],
  begins: 'start',
  leadDays: 0.1,
  days: 0.4,
  ids: 20,
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids, breach, remark }) {
    const seen = { requests: 0, bits: 0 }
    const lie: Answerer = (request, from) => {
      if (from === victim.node && victim.reveal === undefined) {
        seen.requests++
        if ('key' in request && equalBytes(request.key, victim.recordKey)) breach(`${request.type} shows K itself`)
        if (request.type === 'list') {
          seen.bits = Math.max(seen.bits, request.bits)
          const most = blindedPrefixBits(2 * world.topology.size)
          if (request.bits > most) breach(`a list under ${request.bits} bits of K, and ${most} are allowed`)
        }
      }
      return victim.reveal === undefined ? empty(request) : undefined
    }
    adversary.joinNear(victim.recordKey, Math.ceil(ids / 2), lie)
    adversary.joinAnywhere(Math.floor(ids / 2), lie)
    await victim.node.joined
    await world.sleep(HOUR_MS / 2)
    await probe(victim.node.client, victim.name)
    await world.sleep(HOUR_MS / 2)
    await probe(victim.node.client, victim.name)
    while (victim.reveal === undefined) await world.sleep(1_000)
    remark(
      `${seen.requests} requests of the owner's reached the ids before its reveal; they show ${seen.bits} bits of K`
    )
    if (seen.requests === 0) breach('no request reached an id: the move tried nothing')
    adversary.leave()
  }
}

export const listMoves: readonly Move[] = [
  listEveryName,
  listedToLearnAName,
  lastMomentPages,
  slowNeighbours,
  lookUpBeforeTheClaim
]
