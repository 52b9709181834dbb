/** The same nodes, by the same keys and prefixes, in the simulator. */
import { CODE_P2P } from '@multiformats/multiaddr'
import { empty, showing } from '../../sim/people/adversary.ts'
import { makeReveal } from '../../sim/world/claims.ts'
import { modelledHops } from '../../sim/network/view.ts'
import { told } from '../../sim/network/routed/told.ts'
import type { Answerer, SimNode } from '../../sim/world/sim-node.ts'
import { Resolver } from '../../sim/people/resolver.ts'
import { HOUR_MS, MINUTE_MS, World } from '../../sim/world/world.ts'
import type { Routing } from '../../sim/ports.ts'
import { commit } from '../../../src/network/client/blinded.ts'
import { publish } from '../../../src/network/client/publish.ts'
import { sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import { recordKey, distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { keyPairFromSeed, type KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { stampHolds } from '../../../src/protocol/crypto/domain.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { NEAR_BITS } from '../../../__test__/attacks/network/adversary.ts'
import { seedsNear } from '../../../__test__/network/bare-node.ts'
import { saltOf } from '../../../__test__/network/lab.ts'
import { FIRST_PEERS, NAME, placeOf, placeOfLiar, prefixOf, rentedFrom } from './places.ts'
import { counted, ofMost, PEOPLE, type Look, type Put, type Side, type Size, type Who } from './side.ts'
import { Traffic, type Counts } from './traffic.ts'

/** Longer than all questions of a step, of which each waits ten seconds at most. */
const STEP_MS = MINUTE_MS

/** Daemons that ask, which are there before the scenario begins: a real one joins while no round passes. */
const CLIENTS = 8

export async function simulatedSide(profile: NetworkProfile, { nodes }: Size, routing: Routing): Promise<Side> {
  const world = new World('compared', profile, undefined, routing)
  const traffic = new Traffic()
  count(world, traffic)
  const roundMs = profile.beacon.period * 1000
  const passes = async (milliseconds: number): Promise<void> => {
    await world.timeline.runUntil(world.timeline.nowMs + milliseconds)
  }
  const honest = Array.from({ length: nodes }, (_, index) =>
    world.addNode({ key: keyPairFromSeed(sha256(utf8('node'), u64be(index))), prefix: prefixOf(placeOf(index)) })
  )
  const liars: SimNode[] = []
  const first = honest.slice(0, FIRST_PEERS)
  world.firstPeers = (joining) => (liars.includes(joining) ? honest : first)
  await world.establish()
  const waiting = Array.from({ length: CLIENTS }, (_, index) =>
    world.addClient({ prefix: prefixOf(rentedFrom(index)) })
  )
  await passes(MINUTE_MS)
  const client = (): SimNode => {
    const node = waiting.shift()
    if (node === undefined) throw new Error(`a scenario has more than ${CLIENTS} daemons that ask`)
    return node
  }
  const committers = new Map<Who, SimNode>()
  const at = (who: Who): SimNode => {
    const node = committers.get(who) ?? client()
    committers.set(who, node)
    return node
  }
  const keyOf = (who: Who): KeyPair => keyPairFromSeed(sha256(utf8(who)))
  const whose = (pubkey: string): Who => PEOPLE.find((who) => toHex(keyOf(who).publicKey) === pubkey)!
  const recordsKey = recordKey('reveal', NAME, world.hash)
  const records = new Map<Who, Reveal>()
  const recordOf = (who: Who): Reveal => {
    const record =
      records.get(who) ??
      makeReveal({ name: NAME, owner: keyOf(who), salt: saltOf(who), round: world.round() }, profile)
    records.set(who, record)
    return record
  }
  let newcomer: SimNode | undefined

  /** Lets virtual time pass until that is done. */
  async function done<T>(work: () => Promise<T>): Promise<T> {
    let ended: { readonly result: T } | { readonly error: unknown } | undefined
    const startMs = world.timeline.nowMs
    world.timeline.after(0, () => {
      void work().then(
        (result) => (ended = { result }),
        (error: unknown) => (ended = { error })
      )
    })
    while (ended === undefined) {
      if (world.timeline.nowMs - startMs > STEP_MS) throw new Error('the step does not end')
      await passes(10)
    }
    if ('error' in ended) throw ended.error
    return ended.result
  }

  /** Likewise, and counts what a node asks for it. What all nodes send is the ledger's own figure. */
  async function counting<T>(node: SimNode, work: () => Promise<T>): Promise<{ result: T; counts: Counts }> {
    const known = node.routed === undefined ? honest : node.routed.libp2p.services.table.nearest(recordsKey)
    const ids = known.map((each) => ('id' in each ? each.id : each.peer.id))
    const { honest: ours, attacker } = world.ledger
    const before = ours.bytes + attacker.bytes
    const { result, counts } = await traffic.of(node.peer.id, ids, () => done(work))
    // Modelled look-ups ask nobody.
    const hops = routing === 'real' ? counts.hops : modelledHops(world.topology.size, profile.k)
    return { result, counts: { ...counts, hops, carried: ours.bytes + attacker.bytes - before } }
  }

  return {
    async commit(who) {
      const commitment = commitmentHash(NAME, keyOf(who).publicKey, saltOf(who), world.hash)
      let nonce = 0
      while (!stampHolds(commitment, u64be(nonce), profile.stamp_bits, world.hash)) nonce++
      const { receipts, of } = await done(() => commit(at(who).client, NAME, commitment, u64be(nonce)))
      return { receipts: receipts.length, of }
    },
    advance: (rounds) => passes(rounds * roundMs),
    async put(who): Promise<Put> {
      const node = at(who)
      const { client: parts, store, clock } = node
      const record = { kind: 'reveal', id: NAME, bytes: encodeReveal(recordOf(who)) } as const
      const { result, counts } = await counting(node, () => publish(parts, { store, clock }, record))
      const { storedBy, of, refusals } = result
      return { storedBy, of, refusals: ofMost(refusals.map(({ code }) => code)), counts }
    },
    async look(): Promise<Look> {
      const resolver = new Resolver(world, client())
      const { result, counts } = await counting(resolver.node, () => resolver.resolve(NAME))
      const { kind, owner: seen, answers, asked } = result
      const shown = kind === 'owner' ? whose(seen!) : kind
      return { shown, asked, answered: answers.length, networkSize: resolver.node.view.networkSize(), counts }
    },
    holders() {
      return counted(honest.flatMap(({ held }) => held.get(NAME) ?? []).map(({ owner }) => whose(owner)))
    },
    async lie(count, how) {
      const seeds = seedsNear(recordsKey, NEAR_BITS, liars.length + count)
      const lie: Answerer = how === 'show' ? showing(recordOf('thief'), world.hash) : empty
      for (const seed of seeds.slice(liars.length)) {
        const prefix = prefixOf(placeOfLiar(liars.length))
        const liar = world.addNode({
          key: keyPairFromSeed(seed),
          prefix,
          isAttacker: true,
          lie: (request, from) => (request.type === 'find' ? eachOther(liars) : lie(request, from))
        })
        liars.push(liar)
      }
      if (routing === 'real') await passes(roundMs / 10)
    },
    async settle() {
      await passes((profile.settle + 2) * roundMs)
      while (honest.some(({ held }) => !['settled', undefined].includes(held.get(NAME)?.state))) await passes(roundMs)
    },
    async replaceNearest() {
      const away = ({ position }: SimNode): number => distance(recordsKey, position)
      const [nearest] = honest.slice(FIRST_PEERS).sort((left, right) => away(left) - away(right))
      honest.splice(honest.indexOf(nearest!), 1)
      world.remove(nearest!)
      const [seed] = seedsNear(recordsKey, NEAR_BITS, 1)
      newcomer = world.addNode({ key: keyPairFromSeed(seed!), prefix: prefixOf(placeOf(nodes)) })
      honest.push(newcomer)
      await passes(roundMs)
    },
    async handedOver() {
      for (let hours = 0; hours < MOST_HOURS; hours++) {
        const held = newcomer?.held.get(NAME)
        if (held !== undefined) return whose(held.owner)
        await passes(HOUR_MS)
      }
      throw new Error('the newcomer does not hold the name')
    },
    bytes: () => ({ ...traffic.all }),
    close: () => Promise.resolve()
  }
}

/** A newcomer that has not got a name by then will not get it. */
const MOST_HOURS = 24

/** Their answer about any key, as the real ones give it. */
function eachOther(liars: readonly SimNode[]): ReturnType<typeof told> {
  const named = liars.flatMap(({ peer, routed }) =>
    routed === undefined ? [] : [{ id: peer.id, address: routed.libp2p.address.decapsulateCode(CODE_P2P) }]
  )
  return told(named)
}

/** Each question that has its answer, as at real nodes. */
function count({ transport }: World, traffic: Traffic): void {
  const ask = transport.ask.bind(transport)
  transport.ask = async (from, to, request, signal) => {
    const answer = await ask(from, to, request, signal)
    traffic.note({ from: from.peer.id, to: to.peer.id, request, answer })
    return answer
  }
}
