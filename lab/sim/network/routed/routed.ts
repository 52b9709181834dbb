/**
 * A node that finds its peers by the project's own code: look-ups, tables, prefixes, whereabouts and discovery, over
 * simulated connections.
 */
import type { PeerId } from '@libp2p/interface'
import { type ask, AskError } from '../../../../src/network/wire/exchange.ts'
import type { FindAnswer } from '../../../../src/network/wire/find.ts'
import { createPeers, type Peers } from '../../../../src/network/peers.ts'
import { Acquaintances, keepAcquainted } from '../../../../src/network/routing/acquaintances.ts'
import { createFinder, type Finder, createLookUps, type LookUps } from '../../../../src/network/routing/look-ups.ts'
import { readAddresses } from '../../../../src/network/routing/address-book.ts'
import { keepTable } from '../../../../src/network/routing/keep-table.ts'
import { createPrefixes, type SettledPrefixes } from '../../../../src/network/routing/prefixes.ts'
import { discoverPeers } from '../../../../src/network/routing/refresh.ts'
import type { Random } from '../../world/random.ts'
import type { NodePort } from '../../ports.ts'
import { SimLibp2p, type RoutedWorld } from './libp2p.ts'
import { LookUpLog } from './look-up-log.ts'

const MINUTE_MS = 60_000

/** A node that found nobody tries its first peers again after this time. */
const AGAIN_MS = MINUTE_MS

/** A user asks a new daemon this long after its start. */
const FIRST_QUESTION_MS = 20_000

/** Replaces the refresh of the table (refresh.ts): looks again where nodes have come or gone. */
const REFRESH_MS = 60 * MINUTE_MS

/** Of this machine's time: as long as look-ups wait for a false address before they ask another one. */
const SLOW_MS = 500

export class Routed {
  readonly libp2p: SimLibp2p
  readonly peers: Peers
  readonly finder: Finder
  readonly lookUps: LookUps
  readonly prefixes: SettledPrefixes
  readonly #world: RoutedWorld
  readonly #node: NodePort
  readonly #random: Random
  readonly #log: LookUpLog
  readonly #offer: (peer: PeerId) => Promise<void>
  #ends: (() => void)[] = []

  constructor(world: RoutedWorld, node: NodePort) {
    this.#world = world
    this.#node = node
    const { profile } = world
    this.#random = world.random(`routing ${node.peer.peer}`)
    this.libp2p = new SimLibp2p(world, node)
    const libp2p = this.libp2p.node
    this.prefixes = createPrefixes(libp2p, profile, () => world.timeline.nowMs)
    this.#offer = keepTable(libp2p, profile, this.prefixes, () => world.timeline.nowMs)
    const patience = { ask: this.#exchange, waitMs: () => SLOW_MS, roundTripMs: () => 0 }
    this.#log = new LookUpLog((counts) => world.ledger.lookedUp(counts))
    const acquaintances = new Acquaintances(node.store, () => node.clock.time().now, profile)
    this.finder = this.#log.watch(
      createFinder(
        libp2p,
        profile,
        this.prefixes,
        this.#offer,
        (origin) => acquaintances.isLongKnown(origin),
        patience,
        () => () => true,
        readAddresses(libp2p)
      ),
      (key) => this.peers.nearest(key)
    )
    this.lookUps = createLookUps(libp2p, this.finder, profile, this.prefixes, () => world.timeline.nowMs)
    const parts = {
      lookUps: this.lookUps,
      prefixes: this.prefixes,
      acquaintances,
      patience,
      random: (length: number) => this.#random.bytes(length)
    }
    this.peers = createPeers(libp2p, profile, parts, (peer, reason) => {
      world.events.penalised(node, world.nodeOf({ peer: peer.toString() }), reason)
    })
    const timers = {
      every: (milliseconds: number, listener: () => void) =>
        this.#every(milliseconds, () => {
          if (node.isAwake) listener()
        })
    }
    this.#ends = [
      keepAcquainted(libp2p, acquaintances, { profile, prefixes: this.prefixes, lookUps: this.lookUps, timers })
    ]
  }

  /** Looks for peers from now on. */
  start(): void {
    const { profile } = this.#world
    const silent = { debug: () => undefined }
    const every = this.#every.bind(this)
    const random = (length: number): Uint8Array => this.#random.bytes(length)
    let seen = this.#world.topology.version
    const refresh = (): void => {
      if (!this.#node.isAwake || seen === this.#world.topology.version) return
      seen = this.#world.topology.version
      this.lookUps.askNetwork(this.#node.position).catch(() => undefined)
    }
    this.#ends.push(
      discoverPeers(this.libp2p.node, profile.k, this.lookUps, { every }, silent, random),
      every(REFRESH_MS * this.#random.between(0.9, 1.1), refresh)
    )
  }

  /** Has met a node before the run began. */
  async meet({ libp2p }: Routed): Promise<void> {
    await this.libp2p.meet(libp2p, () => this.#offer(libp2p.peerId))
  }

  /** Begins with a table as after a long time: its discovery samples the network as after a growth. */
  established(): void {
    this.start()
    this.#world.timeline.after(this.#random.next() * MINUTE_MS, () => {
      this.libp2p.dispatchEvent(new CustomEvent('self:peer:update'))
    })
  }

  /** Dials its first peers until one answers. Resolves when its user asks it the first time. */
  async join(firstPeers: () => readonly (Routed | undefined)[]): Promise<void> {
    this.start()
    const askedMs = this.#world.timeline.nowMs + FIRST_QUESTION_MS
    const dial = async (): Promise<void> => {
      await Promise.all(firstPeers().map((peer) => this.libp2p.dial(peer!.libp2p.address).catch(() => undefined)))
    }
    await dial()
    while (this.#node.isAwake && this.libp2p.getConnections().length === 0) {
      await this.#world.sleep(AGAIN_MS)
      await dial()
    }
    await this.#world.sleep(Math.max(0, askedMs - this.#world.timeline.nowMs))
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end()
    this.libp2p.hangUpAll()
  }

  /** A question had no answer: a connection to a machine that is gone ends. */
  lost(node: NodePort): void {
    if (this.#world.transport.reaches(this.#node, node)) return
    for (const connection of this.libp2p.getConnections(node.peer.id)) void connection.close()
  }

  /** Peers in the table. */
  get known(): number {
    return this.libp2p.services.table.size
  }

  #every(milliseconds: number, listener: () => void): () => void {
    let isOn = true
    const again = (): void => {
      this.#world.timeline.after(milliseconds, () => {
        if (!isOn) return
        listener()
        again()
      })
    }
    again()
    return () => {
      isOn = false
    }
  }

  #exchange: typeof ask = async (_node, peer: PeerId, request, _profile, signal) => {
    try {
      const { other } = await this.libp2p.dial(peer, signal === undefined ? {} : { signal })
      if (request.type === 'find') this.#log.asked(request)
      const answer = await this.#world.transport.ask(this.#node, other.sim, request, signal)
      if (request.type === 'find') this.#log.answered(request, peer, answer as FindAnswer)
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof AskError ? error : new AskError((error as Error).message, { cause: error })
    }
  }
}
