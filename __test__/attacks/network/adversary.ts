/** Peers that lie: real libp2p nodes at an address of this machine, with the answers that a test gives them. */
import { CODE_P2P, multiaddr } from '@multiformats/multiaddr'
import type { Node } from '../../../src/network/libp2p.ts'
import type { RevealLookup } from '../../../src/network/types.ts'
import type { FindAnswer } from '../../../src/network/wire/find.ts'
import type { Handlers } from '../../../src/network/wire/exchange.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { decodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import { claimIdOf, encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { tally, type Tally } from '../../../src/protocol/resolution/quorum.ts'
import { answering, seedsNear, startBareNode } from '../../network/bare-node.ts'
import { labProfile, type Lab } from '../../network/lab.ts'

const DIALS = 10

/** A busy node drops a connection that it has no time to set up. */
async function dialPatiently(node: Node, address: string): Promise<void> {
  for (let left = DIALS - 1; ; left--) {
    try {
      await node.dial(multiaddr(address))
      return
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/**
 * How many first bits the places of adversaries share with a key: nearer than every honest id in networks of some
 * twenty.
 */
export const NEAR_BITS = 8

/** A port of this machine that refuses. */
const NOBODY_LISTENS = 1

export class Adversaries {
  readonly nodes: Node[] = []
  readonly #lab: Lab

  constructor(lab: Lab) {
    this.#lab = lab
  }

  /**
   * Starts `count` ids near a key, each at the place of its index. They know each other, and name only each other in
   * answers about a key.
   *
   * @param handlers of all, or by index
   * @param after ids near this key that were started before
   * @param isDialable otherwise they announce an address of their place at which nobody listens
   */
  async start(
    near: Uint8Array,
    count: number,
    place: (index: number) => string,
    handlers: Partial<Handlers> | ((index: number) => Partial<Handlers>),
    { after = 0, isDialable = true } = {}
  ): Promise<void> {
    for (const [index, seed] of seedsNear(near, NEAR_BITS, after + count).entries()) {
      if (index < after) continue
      const nowhere = {
        listen: [],
        announced: () => [multiaddr(`/ip4/${place(index)}/tcp/${NOBODY_LISTENS}`)]
      }
      const node = await startBareNode(seed, this.#lab.profile, place(index), isDialable ? {} : nowhere)
      this.nodes.push(node)
      await answering(node, this.#lab.profile, {
        find: () => this.#eachOther(),
        ...(typeof handlers === 'function' ? handlers(index) : handlers)
      })
    }
  }

  /** Has each of them connect to addresses of its IP version, such as those of all honest nodes. */
  async connect(addresses: readonly string[]): Promise<void> {
    for (const node of this.nodes) {
      const [version] = node.getMultiaddrs().map((address) => address.toString().slice(0, 5))
      for (const address of addresses.filter((each) => each.startsWith(version ?? '/')))
        await dialPatiently(node, address)
    }
  }

  async stop(): Promise<void> {
    for (const node of this.nodes.splice(0)) await node.stop()
  }

  #eachOther(): FindAnswer {
    return {
      type: 'found',
      peers: this.nodes.map((node) => ({
        peer: node.peerId.toMultihash().bytes,
        addresses: node.getMultiaddrs().map((address) => address.decapsulateCode(CODE_P2P).bytes)
      }))
    }
  }
}

/** A network that counts prefixes as `main` does, with quorums that fit two dozen nodes. */
export function diverseProfile(k: number): NetworkProfile {
  return labProfile({
    scope: 'test',
    k,
    answers_per_prefix: 2,
    answers_per_wide_prefix: 4,
    witness_quorum: 3,
    repair_quorum: 5
  })
}

/** Answers of one that shows a record as settled, whatever others hold, and takes everything without keeping it. */
export function showing(reveal: Reveal, lab: Lab): Partial<Handlers> {
  const claim = claimIdOf(reveal, decodeVdfProof(reveal.vdf_proof), lab.hash).id
  return {
    put: () => ({ type: 'stored' }),
    get: ({ brief }) => ({
      type: 'entry',
      state: 'settled',
      claim,
      ...(brief !== true && { record: encodeReveal(reveal) })
    })
  }
}

/** Answers of one that says that it stores everything, and holds nothing. */
export function keepingNothing(): Partial<Handlers> {
  return {
    put: () => ({ type: 'stored' }),
    get: () => ({ type: 'none' }),
    list: () => ({ type: 'listed', entries: [], more: false }),
    commitments: () => ({ type: 'commitments', commitments: [], more: false })
  }
}

/** As the registry weighs a look-up (src/registry/resolution/survey.ts). */
export function weighed({ answers, asked }: RevealLookup, { profile }: Lab): Tally {
  const votes = answers.map(({ peer, state, claim }) => ({
    peer,
    prefix: peer,
    ...(claim !== undefined && state !== 'none' && { held: { claim, state } })
  }))
  return tally(votes, { asked, done: true }, profile)
}
