/**
 * Attacks on look-ups and on what they tell of the network, at k = 20. Ids and addresses are made up; who answers what
 * is the test's.
 */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { Connection, PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { peerOf } from '../../../src/network/transport/addresses.ts'
import { contactsOf } from '../../../src/network/routing/contacts.ts'
import { createFinder, createLookUps } from '../../../src/network/routing/look-ups.ts'
import { lookUp, type LookUpParts, type Named } from '../../../src/network/routing/look-up.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { createPrefixes, contactOf, type Prefixes } from '../../../src/network/routing/prefixes.ts'
import { positionOf } from '../../../src/network/table.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import type { FindAnswer } from '../../../src/network/wire/find.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { distance, blindedPrefixBits } from '../../../src/protocol/neighbourhood/key-space.ts'
import { diverse, diverseFirst, widePrefix, type Origin } from '../../../src/protocol/neighbourhood/diversity.ts'
import { offer, placing, startBareNode } from '../../network/bare-node.ts'
import { labProfile } from '../../network/lab.ts'
import { UNTIMED } from '../../network/modelled-peers.ts'

const K = 20
const PROFILE = labProfile({ k: K, answers_per_prefix: 2, answers_per_wide_prefix: 4 })
const KEY = sha256(utf8('a key that is looked up'))

/** Any 32 bytes are a public key to libp2p as long as they sign nothing. */
const idOf = (text: string): PeerId => peerIdFromPublicKey(publicKeyFromRaw(sha256(utf8(text))))
const away = (id: PeerId, key = KEY): number => distance(key, positionOf(id))
const byDistance = (ids: readonly PeerId[], key = KEY): PeerId[] =>
  ids.toSorted((left, right) => away(left, key) - away(right, key))
const nearestOf = (text: string, count: number, of: number, key = KEY): PeerId[] =>
  byDistance(
    Array.from({ length: of }, (_, index) => idOf(`${text} ${index}`)),
    key
  ).slice(0, count)

/** Each in a /16 of its own. */
const HONEST = Array.from({ length: 200 }, (_, index) => idOf(`honest ${index}`))
const honestPrefix = (index: number): string => `10.${index}.0.0/24`
const prefixes = new Map(HONEST.map((id, index) => [id.toString(), honestPrefix(index)]))
const origin = (id: PeerId): Origin & { id: PeerId } => ({
  id,
  peer: id.toString(),
  prefix: prefixes.get(id.toString()) ?? '192.0.2.0/24'
})
const named = (id: PeerId): Named => ({
  id,
  addresses: [multiaddr(`/ip4/${(prefixes.get(id.toString()) ?? '192.0.2.0/24').replace(/0\/24$/, '1')}/tcp/1`)]
})

/**
 * Look-ups by an honest node. An honest peer names the k nearest of all honest peers and `others`, diverse ones first
 * (finder.ts); all others name what `lies` says.
 */
function look(
  lies: (id: PeerId) => readonly Named[] | undefined,
  others: readonly PeerId[],
  known: readonly PeerId[],
  isLongKnown: LookUpParts['isLongKnown'] = () => false
): ReturnType<typeof lookUp> {
  const parts: LookUpParts = {
    k: K,
    limits: PROFILE,
    isLongKnown,
    own: idOf('ourselves'),
    known,
    prefixOf: ({ id }) => prefixes.get(id.toString()) ?? '192.0.2.0/24',
    ...UNTIMED,
    ask: ({ id }) =>
      Promise.resolve(
        HONEST.includes(id)
          ? diverseFirst(byDistance([...HONEST, ...others]).map(origin), K, PROFILE).map((each) => named(each.id))
          : lies(id)
      )
  }
  return lookUp(KEY, parts)
}

describe('a look-up', () => {
  it('[ids of one address around a key] finds the k nearest of others, though these ids are nearer', async () => {
    const crowd = nearestOf('crowd', K, 20_000)
    expect(away(crowd.at(-1)!)).toBeLessThan(away(byDistance(HONEST)[1]!))
    const { peers, isWhole } = await look(() => crowd.map(named), crowd, HONEST.slice(0, 3))
    expect(isWhole).toBe(true)
    expect(peers.filter((id) => crowd.includes(id))).toHaveLength(PROFILE.answers_per_prefix)
    expect(peers.filter((id) => HONEST.includes(id))).toEqual(
      byDistance(HONEST).slice(0, K - PROFILE.answers_per_prefix)
    )
  })

  it('[ids of one address around a key] has no more of one provider in every /24 of a /16', async () => {
    const crowd = nearestOf('crowd', K, 20_000)
    for (const [index, id] of crowd.entries()) prefixes.set(id.toString(), `192.0.${index}.0/24`)
    const { peers } = await look(() => crowd.map(named), crowd, HONEST.slice(0, 3))
    for (const id of crowd) prefixes.delete(id.toString())
    expect(peers.filter((id) => crowd.includes(id))).toHaveLength(PROFILE.answers_per_wide_prefix)
  })

  it('[ids in the prefixes of honest nodes] finds those that the node knows for long all the same', async () => {
    const neighbours = byDistance(HONEST).slice(0, 3)
    const crowd = nearestOf('crowd', neighbours.length * PROFILE.answers_per_wide_prefix, 20_000)
    for (const [index, id] of crowd.entries()) {
      const beside = prefixes.get(neighbours[index % 3]!.toString())!
      prefixes.set(id.toString(), beside.replace('.0.0/24', `.${1 + ((index >> 1) % 2)}.0/24`))
    }
    const found = async (isLongKnown?: (peer: Origin) => boolean): Promise<number> => {
      const { peers } = await look(() => crowd.map(named), crowd, neighbours, isLongKnown)
      return neighbours.filter((id) => peers.includes(id)).length
    }
    expect(await found(), 'the nearest take the places at a newcomer').toBe(0)
    expect(await found(({ peer }) => HONEST.some((id) => id.toString() === peer))).toBe(neighbours.length)
    for (const id of crowd) prefixes.delete(id.toString())
  })

  it('[peers that nobody can reach] ends with those who answer, however many ids somebody makes up', async () => {
    let tried = 0
    const liars = nearestOf('liar', PROFILE.answers_per_wide_prefix, 1_000)
    const madeUp = nearestOf('made up', 10 * K, 20_000)
    for (const [index, id] of liars.entries()) prefixes.set(id.toString(), `192.0.${index}.0/24`)
    // Each of another /16, as far as the liars say.
    for (const [index, id] of madeUp.entries()) prefixes.set(id.toString(), `172.${index}.0.0/24`)
    const lies = (id: PeerId): Named[] | undefined => {
      if (liars.includes(id)) return madeUp.slice(2 * K * liars.indexOf(id), 2 * K * (liars.indexOf(id) + 1)).map(named)
      tried++
      return undefined
    }
    const { peers, isWhole } = await look(lies, liars, [...liars, ...HONEST.slice(0, 3)])
    expect(isWhole).toBe(true)
    // One question may be under way to each place when the last of them fails.
    expect(tried).toBeLessThan(1.5 * K)
    expect(peers.filter((id) => HONEST.includes(id))).toEqual(byDistance(HONEST).slice(0, K - liars.length))
    for (const id of [...liars, ...madeUp]) prefixes.delete(id.toString())
  })
})

describe('a node', () => {
  let node: Node
  const all: Prefixes = {
    of: (id) => prefixes.get(id.toString()) ?? '192.0.2.0/24',
    known: (id) => prefixes.get(id.toString())
  }
  beforeEach(async () => {
    node = await startBareNode(0, PROFILE)
    placing(node, all)
  })

  afterEach(() => node.stop())

  const namesIn = ({ peerId, services }: Node): string[] =>
    services.table.nearest(positionOf(peerId)).map(({ peer }) => peer)

  it('[ids chosen for each key that is looked up] inflate the size a few times at most', async () => {
    for (const id of HONEST) await offer(node, id)
    const nearest = byDistance(HONEST).slice(0, K)
    const estimate = async (found: readonly PeerId[]): Promise<number> => {
      const lookUps = createLookUps(
        node,
        { find: () => Promise.resolve({ peers: [...found], isWhole: true }) },
        PROFILE,
        all
      )
      for (let index = 0; index < 9; index++) await lookUps.sample(KEY)
      return lookUps.networkSize()
    }
    const honestly = await estimate(nearest)
    // Two /24s of one /16: four of the twenty that are found.
    const crowd = nearestOf('crowd', K, 20_000)
    for (const [index, id] of crowd.entries()) prefixes.set(id.toString(), `192.0.${index % 2}.0/24`)
    const few = await estimate([...crowd.slice(0, 4), ...nearest.slice(0, K - 4)])
    expect(few).toBeLessThan(2 * honestly)
    // As many /16s as there are places: only the density around this node bounds that, and a machine with ids next to
    // it does not count there.
    for (const id of nearestOf('around', K, 10_000, positionOf(node.peerId))) await offer(node, id)
    for (const [index, id] of crowd.entries()) prefixes.set(id.toString(), `172.${index}.0.0/24`)
    const many = await estimate(crowd)
    for (const id of crowd) prefixes.delete(id.toString())
    expect(many).toBeGreaterThan(2 * honestly)
    expect(many).toBeLessThan(8 * HONEST.length)
    expect(blindedPrefixBits(many) - blindedPrefixBits(HONEST.length)).toBeLessThanOrEqual(3)
  })

  it('[ids of one address around a key] gives the places of a full leaf to others who come later', async () => {
    const own = positionOf(node.peerId)
    const shares = (id: PeerId): boolean =>
      ((positionOf(id)[0]! ^ own[0]!) & 0x80) !== 0 && ((positionOf(id)[0]! >> 4) & 7) === 0
    const ofOneLeaf = (text: string, count: number): PeerId[] =>
      Array.from({ length: 2_000 }, (_, index) => idOf(`${text} ${index}`))
        .filter(shares)
        .slice(0, count)
    const [crowd, others] = [ofOneLeaf('crowd', 4 * K), ofOneLeaf('later', K)]
    for (const [index, id] of others.entries()) prefixes.set(id.toString(), `172.${index}.0.0/24`)
    for (const id of crowd) await offer(node, id)
    const before = node.services.table.nearest(own).length
    for (const id of others) await offer(node, id)
    const known = new Set(namesIn(node))
    const taken = others.filter((id) => known.has(id.toString()))
    for (const id of others) prefixes.delete(id.toString())
    expect(new Set([...crowd, ...others].map((id) => widePrefix(all.of(id)))).size).toBe(1)
    expect(taken.length).toBeGreaterThanOrEqual(K - PROFILE.answers_per_prefix)
    expect(known.size).toBeGreaterThanOrEqual(before)
  })

  it('[peers that nobody can reach] take nobody out of a full leaf by being named', async () => {
    const own = positionOf(node.peerId)
    const inLeaf = (id: PeerId): boolean =>
      ((positionOf(id)[0]! ^ own[0]!) & 0x80) !== 0 && ((positionOf(id)[0]! >> 4) & 7) === 0
    const ofOneLeaf = (text: string): PeerId[] =>
      Array.from({ length: 4_000 }, (_, index) => idOf(`${text} ${index}`)).filter(inLeaf)
    // Honest ones of one provider, most of them beyond the limits.
    const provider = ofOneLeaf('provider').slice(0, 4 * K)
    for (const [index, id] of provider.entries()) prefixes.set(id.toString(), `172.30.${index}.0/24`)
    for (const id of provider) await offer(node, id)
    const before = namesIn(node)
    const madeUp = ofOneLeaf('made up').slice(0, K)
    let named = 0
    const exchange = async (_node: Node, id: PeerId): Promise<FindAnswer> => {
      await Promise.resolve()
      if (madeUp.some((each) => each.equals(id))) throw new AskError('nobody is there')
      named++
      const addresses = [multiaddr('/ip4/127.0.0.1/tcp/1').bytes]
      return { type: 'found', peers: madeUp.map((each) => ({ peer: each.toMultihash().bytes, addresses })) }
    }
    const finder = createFinder(
      node,
      PROFILE,
      { ...all, settled: () => Promise.resolve() },
      (id) => offer(node, id),
      () => false,
      { ...UNTIMED, ask: exchange },
      () => () => true
    )
    await finder.find(positionOf(madeUp[0]!))
    const after = namesIn(node)
    for (const id of provider) prefixes.delete(id.toString())
    expect(named).toBeGreaterThan(0)
    expect(after).toEqual(before)
  })

  it('[a crowd around one node] is not all that is remembered of the network for the next start', async () => {
    const crowd = nearestOf('around', 2 * K, 10_000, positionOf(node.peerId))
    for (const id of [...crowd, ...HONEST]) {
      await offer(node, id)
      await node.peerStore.merge(id, { multiaddrs: [...named(id).addresses] })
    }
    const kept = await contactsOf(node, PROFILE)
    const peers = kept.map((address) => peerOf(address))
    expect(peers.filter((id) => crowd.some((each) => each.toString() === id)).length).toBeLessThanOrEqual(
      PROFILE.answers_per_prefix
    )
    expect(peers.filter((id) => HONEST.some((each) => each.toString() === id)).length).toBeGreaterThanOrEqual(
      K - PROFILE.answers_per_prefix
    )
  })

  it('[ids whose address is forgotten] still count as two in the table, however many connect', async () => {
    const remembered = placing(node, createPrefixes(node, PROFILE))
    const connect = (id: PeerId): void => {
      node.dispatchEvent(
        new CustomEvent('connection:open', {
          detail: {
            remotePeer: id,
            remoteAddr: multiaddr('/ip4/192.0.2.1/tcp/1'),
            direction: 'outbound'
          } as Connection
        })
      )
    }
    const crowd = nearestOf('crowd', K, 1_000)
    for (const id of crowd) {
      await offer(node, id)
      connect(id)
    }
    const known = crowd.filter((id) => node.services.table.has(id))
    expect(known.length).toBeGreaterThan(PROFILE.answers_per_wide_prefix)
    for (let index = 0; index < 9_000; index++) connect(idOf(`passer-by ${index}`))
    expect(
      diverse(
        known.map((id) => contactOf(id, remembered)),
        PROFILE
      )
    ).toHaveLength(PROFILE.answers_per_prefix)
    expect(remembered.known(idOf('passer-by 0'))).toBeUndefined()
  })
})
