/** Real libp2p nodes on loopback, each honest one in a /16 of its own. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { peerIdFromString } from '@libp2p/peer-id'
import { positionOf } from '../../../src/network/table.ts'
import { EXCHANGES } from '../../../src/network/wire/exchange.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey, distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { tally } from '../../../src/protocol/resolution/quorum.ts'
import { Adversaries, keepingNothing, NEAR_BITS, showing } from '../../../__test__/attacks/network/adversary.ts'
import { seedsNear } from '../../../__test__/network/bare-node.ts'
import { Lab, saltOf, type LabNode } from '../../../__test__/network/lab.ts'
import { waitFor } from '../../../__test__/wait-for.ts'
import { FIRST_PEERS, NAME, placeOf, placeOfLiar, rentedFrom } from './places.ts'
import { counted, ofMost, PEOPLE, type Look, type Put, type Side, type Size, type Who } from './side.ts'
import { Traffic, type Asked, type Counts } from './traffic.ts'

/** Past the jitter of the hourly round. */
const HOUR_AND_HALF_S = 5_500

/** A newcomer that has not got a name by then will not get it. */
const MOST_ROUNDS = 16

export async function realSide(profile: NetworkProfile, { nodes, k }: Size): Promise<Side> {
  const lab = new Lab(profile)
  const liars = new Adversaries(lab)
  const traffic = new Traffic()
  const onExchange = (message: unknown): void => traffic.note(message as Asked)
  subscribe(EXCHANGES.name, onExchange)
  const key = recordKey('reveal', NAME, lab.hash)
  const honest: LabNode[] = []
  for (let index = 0; index < nodes; index++) {
    const node = await lab.addNode({ place: placeOf(index) })
    honest.push(node)
    // One after the other: handshakes that all begin at once time out on one event loop.
    await waitFor(() => {
      if (index > 0 && node.network.knownPeers() === 0) throw new Error(`node ${index} knows nobody`)
    })
  }
  await lab.connected(Math.min(nodes - 1, k))
  const idOf = ({ network }: LabNode): ReturnType<typeof peerIdFromString> => peerIdFromString(network.status().peer_id)
  const away = (node: LabNode): number => distance(key, positionOf(idOf(node)))
  const nearestFirst = (nodes: readonly LabNode[]): LabNode[] =>
    nodes.toSorted((left, right) => away(left) - away(right))
  // Those that will hold the name know each other for longer than the liars: a witness counts nobody else.
  const near = nearestFirst(honest).slice(0, k)
  await waitFor(() => {
    for (const node of near) {
      const known = node.network.peers().flatMap(({ peer, isInTable }) => (isInTable ? [peer] : []))
      const unknown = near.filter((other) => other !== node && !known.includes(idOf(other).toString()))
      if (unknown.length > 0) throw new Error(`a node near the name lacks ${unknown.length} others there`)
    }
  })
  let clients = 0
  const light = async (): Promise<LabNode> => {
    const node = await lab.addNode({
      mode: 'light',
      place: rentedFrom(clients++),
      bootstrap: honest.slice(0, FIRST_PEERS).map(({ address }) => address)
    })
    await waitFor(() => {
      if (node.network.knownPeers() < k) throw new Error(`a light node knows ${node.network.knownPeers()} of ${k}`)
    })
    return node
  }
  const committers = new Map<Who, LabNode>()
  const at = async (who: Who): Promise<LabNode> => {
    const node = committers.get(who) ?? (await light())
    committers.set(who, node)
    return node
  }
  const records = new Map<Who, Reveal>()
  const recordOf = (who: Who): Reveal => {
    const record = records.get(who) ?? lab.reveal(NAME, lab.owner(who), { p: lab.round, salt: saltOf(who) })
    records.set(who, record)
    return record
  }
  const whose = (pubkey: Uint8Array): Who => PEOPLE.find((who) => toHex(lab.owner(who).publicKey) === toHex(pubkey))!
  const counting = async <T>(node: LabNode, work: () => Promise<T>): Promise<{ result: T; counts: Counts }> => {
    await traffic.quiet()
    const known = node.network.peers().map(({ peer }) => peerIdFromString(peer))
    return traffic.of(idOf(node), known, work)
  }
  let newcomer: LabNode | undefined

  return {
    async commit(who) {
      const { receipts, of } = await lab.commit(await at(who), NAME, lab.owner(who), saltOf(who))
      return { receipts: receipts.length, of }
    },
    advance(rounds) {
      lab.advance(rounds)
      return Promise.resolve()
    },
    async put(who): Promise<Put> {
      const node = await at(who)
      const { result, counts } = await counting(node, () => node.network.putReveal(recordOf(who)))
      const { storedBy, of, refusals } = result
      return { storedBy, of, refusals: ofMost(refusals.map(({ code }) => code)), counts }
    },
    async look(): Promise<Look> {
      const node = await light()
      const { result, counts } = await counting(node, () => node.network.getReveals(NAME, undefined, 'everybody'))
      const { answers, asked, networkSize } = result
      const votes = answers.map(({ peer, state, claim }) => ({
        peer,
        prefix: peer,
        ...(claim !== undefined && state !== 'none' && { held: { claim, state } })
      }))
      const seen = tally(votes, { asked: Math.max(votes.length, asked), done: true }, profile)
      const shown = seen.kind === 'owner' ? whose(seen.owner.pubkey) : seen.kind === 'undecided' ? 'silence' : seen.kind
      return { shown, asked, answered: answers.length, networkSize, counts }
    },
    holders() {
      return counted(
        honest.flatMap(({ network }) => network.heldHere(NAME) ?? []).map(({ claim }) => whose(claim.pubkey))
      )
    },
    async lie(count, how) {
      // A round that goes on would hear them.
      await traffic.quiet()
      const lie = how === 'show' ? showing(recordOf('thief'), lab) : keepingNothing()
      await liars.start(key, count, placeOfLiar, lie, { after: liars.nodes.length })
      await liars.connect(honest.map(({ address }) => address))
    },
    settle: () =>
      waitFor(() => {
        lab.advance(1)
        for (const { network } of honest) {
          const state = network.heldHere(NAME)?.state
          if (state !== undefined && state !== 'settled') throw new Error(`a holder is ${state}`)
        }
      }),
    async replaceNearest() {
      const [nearest] = nearestFirst(honest.slice(FIRST_PEERS))
      honest.splice(honest.indexOf(nearest!), 1)
      await lab.stopNode(nearest!)
      const [seed] = seedsNear(key, NEAR_BITS, 1)
      newcomer = await lab.addNode({ place: placeOf(nodes), seed: seed! })
      honest.push(newcomer)
      await lab.connected(Math.min(nodes - 1, k))
    },
    async handedOver() {
      for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        const held = newcomer?.network.heldHere(NAME)
        if (held !== undefined) return whose(held.claim.pubkey)
        lab.advance(Math.ceil(HOUR_AND_HALF_S / profile.beacon.period))
        // The hourly rounds of all nodes take seconds of a core, and a node in a round begins no other one.
        await traffic.quiet()
      }
      throw new Error('the newcomer does not hold the name')
    },
    bytes: () => ({ ...traffic.all }),
    async close() {
      unsubscribe(EXCHANGES.name, onExchange)
      await liars.stop()
      await lab.close()
    }
  }
}
