/**
 * The peers as one node sees them. Look-ups are modelled: they find the nearest nodes that answer, after as many hops as
 * Kademlia takes, and tables know the same. A node that failed to answer is left out until it shows up again.
 */
import { sha256 } from '../../../src/protocol/encoding/bytes.ts'
import { distance, isWithin, radius, blindedPrefixBits } from '../../../src/protocol/neighbourhood/key-space.ts'
import { diverse, diverseFirst, hasDiverse } from '../../../src/protocol/neighbourhood/diversity.ts'
import { lookUpsUnder, type Peer, type Peers } from '../../../src/network/peers.ts'
import type { AnswerTo, Request } from '../../../src/network/wire/messages.ts'
import type { NodePort, WorldPort } from '../ports.ts'

/** As src/network/peers.ts. */
const NEIGHBOURHOOD_PARTS = 4
const HOLDING_SLACK = 2

/** How long a node leaves out a peer that did not answer. */
const LOST_MS = 30 * 60_000

/** No run takes a week. */
const NEVER_MS = 7 * 24 * 3_600_000

/** The peers as a node of the simulation sees them, by real or by modelled routing. */
export interface NodeView extends Peers {
  /** A question to it had no answer in ten seconds. */
  lost(node: NodePort): void
  /** The parts hear each other again: both dial. */
  refresh(): void
}

/** Hops of a modelled look-up: half of log2(N / k), at least one. */
export function modelledHops(size: number, k: number): number {
  return Math.max(1, Math.ceil(Math.log2(Math.max(2, size / k)) / 2))
}

export class View implements NodeView {
  readonly #world: WorldPort
  readonly #node: NodePort
  readonly #isLongKnown = (peer: Pick<Peer, 'peer'>): boolean =>
    this.#metAt(peer) < this.#node.clock.time().now - this.#world.profile.settle
  readonly #lost = new Map<NodePort, number>()

  constructor(world: WorldPort, node: NodePort) {
    this.#world = world
    this.#node = node
  }

  get ownPosition(): Uint8Array {
    return this.#node.position
  }

  lost(node: NodePort): void {
    this.#lost.set(node, this.#world.timeline.nowMs + LOST_MS)
  }

  refresh(): void {
    this.#lost.clear()
  }

  /** Its time is not this machine's: nobody is late. */
  waitMs(): number {
    return NEVER_MS
  }

  known(): number {
    return this.#world.topology.size - (this.#node.isListed ? 1 : 0)
  }

  knowsAny(): boolean {
    return this.known() > 0
  }

  origins(): Peer[] {
    return this.nearest(this.ownPosition)
  }

  networkSize(): number {
    return this.#world.topology.size
  }

  isNear(key: Uint8Array): boolean {
    const { k } = this.#world.profile
    if (isWithin(key, this.ownPosition, radius(HOLDING_SLACK * k, this.networkSize()))) return true
    const own = distance(key, this.ownPosition)
    const nearer = this.#known(key).filter(({ position }) => distance(key, position) < own)
    return !hasDiverse(
      nearer.map(({ peer }) => peer),
      HOLDING_SLACK * k,
      this.#world.profile
    )
  }

  nearest(key: Uint8Array): Peer[] {
    return this.diverseFirst(
      this.#known(key).map(({ peer }) => peer),
      this.#world.profile.k
    )
  }

  within(key: Uint8Array): Peer[] {
    const reach = radius(this.#world.profile.k, this.networkSize())
    return this.nearest(key).filter((peer) => isWithin(key, this.#world.nodeOf(peer).position, reach))
  }

  async closest(preimage: Uint8Array, signal?: AbortSignal): Promise<Peer[]> {
    await this.#lookUp(signal)
    const answering = this.#known(sha256(preimage)).filter((node) => this.#answers(node))
    return this.diverseFirst(
      answering.map(({ peer }) => peer),
      this.#world.profile.k
    )
  }

  async neighbourhood(key: Uint8Array, signal?: AbortSignal): Promise<{ peers: Peer[]; bits: number }> {
    const bits = blindedPrefixBits(this.networkSize())
    await this.#lookUp(signal, lookUpsUnder(bits, this.known(), this.#world.profile.k))
    const sharing = this.#world.topology
      .sharing(key, bits)
      .filter((node) => node !== this.#node && this.#answers(node))
      .map(({ peer }) => peer)
    return {
      peers: this.diverseFirst(this.#world.chance.shuffled(sharing), NEIGHBOURHOOD_PARTS * this.#world.profile.k),
      bits
    }
  }

  ask<R extends Request>(peer: Peer, request: R, signal?: AbortSignal): Promise<AnswerTo<R>> {
    return this.#world.transport.ask(this.#node, this.#world.nodeOf(peer), request, signal)
  }

  diverse(peers: readonly Peer[]): Peer[] {
    return diverse(peers, this.#world.profile, this.#isLongKnown)
  }

  diverseFirst(peers: readonly Peer[], count: number): Peer[] {
    return diverseFirst(peers, count, this.#world.profile, this.#isLongKnown)
  }

  /** Nodes meet their neighbours when the later of the two joins. */
  met(peer: Peer): number | undefined {
    return this.#metAt(peer)
  }

  #metAt(peer: Pick<Peer, 'peer'>): number {
    return this.#node.byOwnClock(Math.max(this.#world.nodeOf(peer).bornRound, this.#node.bornRound))
  }

  penalise(peer: Peer, reason: string): void {
    this.#world.events.penalised(this.#node, this.#world.nodeOf(peer), reason)
  }

  #known(key: Uint8Array): NodePort[] {
    const now = this.#world.timeline.nowMs
    return this.#world.topology.near(key).filter((node) => node !== this.#node && (this.#lost.get(node) ?? 0) <= now)
  }

  #answers(node: NodePort): boolean {
    return this.#world.transport.reaches(this.#node, node) && !node.isSilentToLookUps
  }

  /** That many, at the same time. */
  async #lookUp(signal?: AbortSignal, count = 1): Promise<void> {
    const { k } = this.#world.profile
    const hops = modelledHops(this.networkSize(), k)
    for (let each = 0; each < count; each++)
      this.#world.ledger.lookUp(this.#node.isAttacker, hops, Math.min(k, this.known()))
    let wait = 0
    for (let hop = 0; hop < hops; hop++) wait += 2 * this.#world.faults.delayMs()
    await this.#world.timeline.sleep(wait)
    signal?.throwIfAborted()
  }
}
