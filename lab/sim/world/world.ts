/** A network in virtual time: nodes, beacon, transport, and who watches them. */
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { profileHash, parseProfile, type NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { clockRound, roundTimeMs } from '../../../src/protocol/time.ts'
import { diverseFirst } from '../../../src/protocol/neighbourhood/diversity.ts'
import type { Peer } from '../../../src/network/peers.ts'
import { Verdicts } from './claims.ts'
import { Random, fastKeyPair } from './random.ts'
import { Beacon, Timeline } from './timeline.ts'
import type { Routing } from '../ports.ts'
import { Addresses } from '../network/addresses.ts'
import { Faults, NO_FAULTS, type FaultRates } from '../network/faults.ts'
import { fillTables } from '../network/routed/fill.ts'
import type { SimLibp2p } from '../network/routed/libp2p.ts'
import { Places } from '../network/routed/places.ts'
import { Ledger } from '../network/ledger.ts'
import { Topology } from '../network/topology.ts'
import { Transport } from '../network/transport.ts'
import { SimNode, type NodesWorld, type SimNodeOptions, type Watcher } from './sim-node.ts'

/** Round at which every run begins. */
const FIRST_ROUND = 30_000_000

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** How often a node looks at its unsettled entries: real ones do with each pulse, but ask every six hours at most. */
const TICK_MS = 10 * MINUTE_MS

/** Where settling is quicker, that many times while it lasts. */
const TICKS_OF_SETTLING = 16

/** The first replication comes this soon after a node's start (src/network/upkeep/maintenance.ts). */
const FIRST_REPLICATION_MS = 2 * MINUTE_MS

/** Network `main`, whose stamps cost what `stamp_bits` says and are not searched for. */
export const SIM_PROFILE: NetworkProfile = parseProfile({ ...builtInProfiles.main, id: 'sim', stamp_bits: 0 })

/** The same with leases of ten days and two days of grace, for moves that outlive one. */
export const SHORT_LEASE: NetworkProfile = parseProfile({ ...SIM_PROFILE, lease: 288_000, grace: 57_600 })

/** First peers of a node that joins, as those of a profile. */
const FIRST_PEERS = 3

export class World implements NodesWorld {
  readonly profile: NetworkProfile
  readonly hash: Uint8Array
  readonly seed: string
  /** What the network itself draws. Populations and moves fork streams of their own. */
  readonly chance: Random
  readonly timeline: Timeline
  readonly topology: Topology<SimNode>
  readonly ledger = new Ledger()
  readonly faults: Faults<SimNode>
  readonly transport: Transport<SimNode>
  readonly beacon: Beacon
  readonly verdicts: Verdicts
  readonly addresses: Addresses
  readonly watchers: Watcher[] = []
  readonly routing: Routing
  readonly places = new Places<SimLibp2p>()
  /** The peers that a joining node dials: any honest ones, unless a move has others. */
  firstPeers: (joining: SimNode) => readonly SimNode[] = (joining) => this.#honestPeers(joining)
  readonly #byPeer = new Map<string, SimNode>()
  readonly #ticking = new Set<SimNode>()
  #keys = 0
  #isEstablished = false

  constructor(seed: string, profile = SIM_PROFILE, rates: FaultRates = NO_FAULTS, routing: Routing = 'modelled') {
    this.routing = routing
    this.seed = seed
    this.profile = profile
    this.hash = profileHash(profile)
    this.chance = this.random('network')
    this.timeline = new Timeline(roundTimeMs(FIRST_ROUND, profile.beacon))
    this.topology = new Topology(profile)
    this.faults = new Faults(this.random('faults'), rates)
    this.transport = new Transport(this.timeline, this.faults, this.ledger, this.events.arrived)
    this.beacon = new Beacon(this.timeline, profile)
    this.verdicts = new Verdicts(profile)
    this.addresses = new Addresses(this.random('addresses'))
  }

  readonly events: Required<Watcher> = {
    held: (node, name, before, after) => {
      if (node.contentVersion > 0) this.topology.markContent(node)
      if (after !== undefined && after.state !== 'settled') this.#startTicking(node)
      for (const watcher of this.watchers) watcher.held?.(node, name, before, after)
    },
    documented: (node, kind, did) => {
      this.topology.markContent(node)
      for (const watcher of this.watchers) watcher.documented?.(node, kind, did)
    },
    penalised: (by, penalised, reason) => {
      for (const watcher of this.watchers) watcher.penalised?.(by, penalised, reason)
    },
    answered: (node, request, answer, from) => {
      for (const watcher of this.watchers) watcher.answered?.(node, request, answer, from)
    },
    arrived: (at, request, answer, from) => {
      for (const watcher of this.watchers) watcher.arrived?.(at, request, answer, from)
    }
  }

  random(label: string): Random {
    return new Random(`${this.seed}/${label}`)
  }

  /** The round that is due by true time. */
  round(): number {
    return clockRound(this.timeline.nowMs, this.profile.beacon)
  }

  newKey(): KeyPair {
    return fastKeyPair(this.random(`key ${this.#keys++}`).bytes(32))
  }

  nodeOf({ peer }: Pick<Peer, 'peer'>): SimNode {
    const node = this.#byPeer.get(peer)
    if (node === undefined) throw new Error(`no such node: ${peer}`)
    return node
  }

  addNode(options: Partial<SimNodeOptions> = {}): SimNode {
    const node = new SimNode(this, {
      key: options.key ?? this.newKey(),
      prefix: options.prefix ?? this.addresses.honest(),
      ...options
    })
    this.#byPeer.set(node.peer.peer, node)
    if (this.#isEstablished) this.#join(node)
    if (!node.isListed) return node
    this.topology.add(node)
    if (node.isHolder) this.#startReplicating(node)
    return node
  }

  /** A daemon that only asks: of an owner or a resolver. */
  addClient(options: Partial<SimNodeOptions> = {}): SimNode {
    return this.addNode({ ...options, isClient: true })
  }

  /**
   * Nodes so far have run for long when a run begins; those that are added later join by themselves.
   *
   * @param looking those that look for peers during the run: all of them, but for measurements
   */
  async establish(looking: readonly SimNode[] = [...this.topology.all()]): Promise<void> {
    if (this.routing === 'modelled') return
    const routed = (nodes: readonly SimNode[]) => nodes.map((node) => node.routed!)
    await fillTables(routed([...this.topology.all()]), routed(looking), this.random('tables'))
    this.#isEstablished = true
  }

  remove(node: SimNode): void {
    node.isAwake = false
    node.routed?.stop()
    this.topology.remove(node)
  }

  sleep(milliseconds: number): Promise<void> {
    return this.timeline.sleep(milliseconds)
  }

  /** The honest nodes that should hold a name now, nearest first, without liars. */
  holdersOf(key: Uint8Array): SimNode[] {
    return diverseFirst(
      this.topology.near(key).map(({ peer }) => peer),
      this.profile.k,
      this.profile
    )
      .map((peer) => this.nodeOf(peer))
      .filter((node) => node.isHolder && node.isAwake)
  }

  #join(node: SimNode): void {
    const { routed } = node
    if (routed === undefined || node.isPassive) return
    // In an event of its own: only then do the timers of src wait in virtual time.
    node.joined = this.sleep(0).then(() => routed.join(() => this.firstPeers(node).map((peer) => peer.routed)))
  }

  #honestPeers(joining: SimNode): SimNode[] {
    const others = [...this.topology.all()].filter(
      (node) => node !== joining && node.isAwake && (joining.isAttacker || !node.isAttacker)
    )
    return this.chance.shuffled(others).slice(0, FIRST_PEERS)
  }

  #startTicking(node: SimNode): void {
    if (this.#ticking.has(node)) return
    this.#ticking.add(node)
    const again = (): void => {
      const { settle, beacon } = this.profile
      const tickMs = Math.min(TICK_MS, (settle * beacon.period * 1000) / TICKS_OF_SETTLING)
      void this.timeline.after(tickMs, () => {
        if (!node.hasUnsettled) {
          this.#ticking.delete(node)
          return
        }
        void node.tick()
        again()
      })
    }
    again()
  }

  /** Hourly with jitter. A round that can find nothing new is left out: nothing changed at the node or its neighbours. */
  #startReplicating(node: SimNode): void {
    let seen = ''
    const again = (inMs: number): void => {
      void this.timeline.after(inMs, () => {
        if (!node.isAwake && !this.topology.near(node.position).includes(node)) return
        // What carries a document may end while nothing else changes.
        const now = `${this.#surroundings(node)}${node.documents > 0 ? Math.floor(this.timeline.nowMs / DAY_MS) : ''}`
        if (now !== seen && node.isAwake) {
          seen = now
          void node.replicate()
        } else node.forgetOld()
        again(HOUR_MS * (0.9 + 0.2 * this.chance.next()))
      })
    }
    again(this.chance.next() * FIRST_REPLICATION_MS)
  }

  #surroundings(node: SimNode): string {
    return this.topology.mayHaveContent(node.position, this.profile.k + 1) ? this.changesAround(node.position) : ''
  }

  /** Equal at two times where nothing can be new to those around a key: the same nodes, content, sleepers and partitions. */
  changesAround(key: Uint8Array): string {
    const around = this.topology.near(key).slice(0, this.profile.k + 1)
    if (!around.some(({ contentVersion }) => contentVersion > 0)) return ''
    const nodes = around.map(
      ({ peer, contentVersion, isAwake }) => `${peer.peer.slice(-6)}${contentVersion}${isAwake ? '' : '-'}`
    )
    return `${this.faults.cuts} ${nodes.join()}`
  }
}
