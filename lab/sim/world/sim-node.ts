/**
 * A node of the simulation: the project's own holder, questions and replication, over a store in memory and a modelled
 * view of the network. A liar is a node with answers of its own.
 */
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { createBudget } from '../../../src/network/budget/budget.ts'
import { getDocuments } from '../../../src/network/client/get.ts'
import type { ClientParts } from '../../../src/network/client/holders.ts'
import { send } from '../../../src/network/client/publish.ts'
import { Holder } from '../../../src/network/holder/holder.ts'
import type { Peer } from '../../../src/network/peers.ts'
import { positionOf } from '../../../src/network/table.ts'
import { EntryQuestions } from '../../../src/network/upkeep/maintenance.ts'
import { askForCommitments, dropDisplaced, handOver } from '../../../src/network/upkeep/replication.ts'
import type { FindRequest } from '../../../src/network/wire/find.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { fromHex, sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import type { EntryState } from '../../../src/protocol/admission/entry.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { Store } from '../../../src/store/types.ts'
import type { RoundClock } from '../../../src/time/clock.ts'
import type { RoutedWorld } from '../network/routed/libp2p.ts'
import { Routed } from '../network/routed/routed.ts'
import type { Routing } from '../ports.ts'
import { View, type NodeView } from '../network/view.ts'
import { answerOf, createSimClock, createSimVerifier, judgeHere } from './stand-ins.ts'
import { type ProcessStore, createMemoryStore, openProcessStore } from './memory-store.ts'

/** How a node answers who is not honest; undefined: not at all. */
export type Answerer = (request: Request, from: SimNode) => Answer | undefined | Promise<Answer | undefined>

export interface SimNodeOptions {
  readonly key: KeyPair
  readonly prefix: string
  readonly clockOffMs?: number
  /** Lies with these answers; honest without. */
  readonly lie?: Answerer
  /** Asks only: no peer knows it. */
  readonly isClient?: boolean
  readonly isAttacker?: boolean
  /** When it joined, where that was before the run began. */
  readonly bornRound?: number
  /** Answers where it listens, but looks for nobody, and is in no table. */
  readonly isPassive?: boolean
}

export interface HeldName {
  readonly claimId: string
  readonly state: EntryState
  readonly owner: string
  /** The last round of its lease's grace. */
  readonly endRound: number
}

/** Told of what happens at nodes. */
export interface Watcher {
  held?(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void
  /** An honest node has stored an identity record or a manifest. */
  documented?(node: SimNode, kind: 'kid' | 'manifest', did: string): void
  penalised?(by: SimNode, penalised: SimNode, reason: string): void
  /** An honest node's answer as it leaves the node. */
  answered?(node: SimNode, request: Request, answer: Answer, from: SimNode): void
  /** Anybody's answer as it comes to the node that asked, whether that still waits for it or not. */
  arrived?(at: SimNode, request: Request, answer: Answer, from: SimNode): void
}

/** The world as its nodes see it. */
export interface NodesWorld extends RoutedWorld {
  readonly hash: Uint8Array
  readonly routing: Routing
  readonly events: Required<Watcher>
  readonly topology: RoutedWorld['topology'] & { markContent(node: SimNode): void }
}

/** What runs on a node until it is killed. */
interface Daemon {
  readonly process: ProcessStore
  readonly holder: Holder
  readonly questions: EntryQuestions
}

export class SimNode {
  readonly peer: Peer
  readonly position: Uint8Array
  readonly bornRound: number
  readonly isAttacker: boolean
  readonly isListed: boolean
  readonly isPassive: boolean
  readonly view: NodeView
  /** Its own routing; undefined where look-ups are modelled. */
  readonly routed: Routed | undefined
  /** Resolves when its user may ask it. */
  joined: Promise<void> = Promise.resolve()
  readonly clock: RoundClock
  readonly client: ClientParts
  readonly store: Store = createMemoryStore()
  /** What it holds, by name: for those who look at the run from outside. */
  readonly held = new Map<string, HeldName>()
  isAwake = true
  /** Look-ups end at nodes that answer; liars may be silent even to them. */
  isSilentToLookUps = false
  /** Changes with each record that it stores or drops. */
  contentVersion = 0
  readonly #world: NodesWorld
  readonly #options: SimNodeOptions
  #daemon: Daemon | undefined
  #isReplicating = false
  #clockOffMs: number

  constructor(world: NodesWorld, options: SimNodeOptions) {
    this.#world = world
    this.#options = options
    const id = peerIdFromPublicKey(publicKeyFromRaw(options.key.publicKey))
    this.peer = { id, peer: id.toString(), prefix: options.prefix }
    this.position = positionOf(id)
    this.bornRound = options.bornRound ?? world.round()
    this.isAttacker = options.isAttacker ?? options.lie !== undefined
    this.isPassive = options.isPassive === true
    this.isListed = options.isClient !== true && !this.isPassive
    this.#clockOffMs = options.clockOffMs ?? 0
    this.clock = createSimClock(world, this.store, () => this.#clockOffMs)
    this.routed = world.routing === 'real' ? new Routed(world, this) : undefined
    this.view = this.routed === undefined ? new View(world, this) : viewOf(this.routed)
    const verifier = createSimVerifier(world, this.isAttacker)
    this.client = {
      profile: world.profile,
      verifier,
      judge: judgeHere,
      clock: this.clock,
      peers: () => this.view,
      holder: () => undefined,
      ownPeerId: this.peer.peer,
      random: (length) => world.chance.bytes(length),
      decoySecret: sha256(id.toMultihash().bytes)
    }
  }

  /** Somebody sets its clock: milliseconds ahead of true time, or behind it. */
  setClock(offMs: number): void {
    this.#clockOffMs = offMs
  }

  /** A round by the clock that it began with. One that is behind goes by pulses. */
  byOwnClock(round: number): number {
    const offMs = Math.max(0, this.#options.clockOffMs ?? 0)
    return round + Math.floor(offMs / 1000 / this.#world.profile.beacon.period)
  }

  /** Whether it holds records: liars and clients do not. */
  get isHolder(): boolean {
    return this.#options.lie === undefined && this.isListed
  }

  get holder(): Holder | undefined {
    return this.#running()?.holder
  }

  /** Made when first needed: most of 10^5 nodes hold nothing and are asked nothing. */
  #running(): Daemon | undefined {
    if (this.isHolder) this.#daemon ??= this.#start()
    return this.#daemon
  }

  #start(): Daemon {
    const process = openProcessStore(this.store)
    return { process, holder: this.#openHolder(process), questions: this.#newQuestions() }
  }

  /** The answer to a request as it comes from the network. */
  async answer(request: Request, from: SimNode): Promise<Answer | undefined> {
    if (this.#options.lie !== undefined) {
      const lie = await this.#options.lie(request, from)
      return request.type === 'find' && lie?.type !== 'found' ? this.#found(request) : lie
    }
    const answer = await this.#honestAnswer(request, from)
    if (answer !== undefined && this.isAwake) this.#world.events.answered(this, request, answer, from)
    return answer
  }

  async #honestAnswer(request: Request, from: SimNode): Promise<Answer | undefined> {
    const { holder } = this
    if (holder === undefined) return undefined
    return request.type === 'find' ? this.#found(request) : answerOf(holder, request, from.peer)
  }

  /** As `tick` of src/network/upkeep/maintenance.ts. */
  async tick(): Promise<void> {
    const running = this.#running()
    if (running === undefined || !this.isAwake) return
    running.questions.begin(running.holder.entries.tickUnsettled(), this.clock.time().verified)
    await running.holder.reveals.applyWaiting()
  }

  get hasUnsettled(): boolean {
    return [...this.held.values()].some(({ state }) => state !== 'settled')
  }

  /** How many it holds. */
  get documents(): number {
    return this.#daemon?.holder.documents.count() ?? 0
  }

  /** What a round does also where it has nothing to replicate. */
  forgetOld(): void {
    this.#daemon?.holder.commitments.forget()
    this.#daemon?.holder.reveals.forgetChanges()
  }

  /** As `replicate` of src/network/upkeep/maintenance.ts, without this node's own records. */
  async replicate(): Promise<void> {
    const { holder } = this
    if (holder === undefined || !this.isAwake || this.#isReplicating) return
    const isStopped = (): boolean => holder !== this.holder || !this.isAwake
    const now = (): number => this.#world.timeline.nowMs
    this.#isReplicating = true
    try {
      this.forgetOld()
      await holder.entries.dropDead()
      const coded = holder.coded.entries.count()
      await holder.coded.entries.dropDead()
      await holder.documents.dropUnkept()
      for (const name of [...this.held.keys()]) this.#note(name)
      holder.commitments.takeOver(await askForCommitments(this.view, isStopped, now, this.#world.chance.bytes(32)))
      await handOver(holder, this.view, this.#world.profile, isStopped, now)
      await dropDisplaced(holder, this.#world.profile, (record) => send(this.client, record), isStopped, now)
      if (holder.coded.entries.count() < coded) this.contentVersion++
    } finally {
      this.#isReplicating = false
    }
  }

  /** Loses what only memory had, and begins again with its store. */
  restart(): void {
    if (!this.isHolder) return
    this.#daemon?.process.end()
    this.#daemon = undefined
    this.isAwake = true
    this.view.refresh()
  }

  /** Its process ends at the n-th write from now, which is lost; `restart` begins another one. */
  killAtWrite(count: number): void {
    this.#running()?.process.killAtWrite(count, () => {
      this.isAwake = false
    })
  }

  /** Liars answer look-ups as others do, unless their answer is another list. */
  async #found(request: FindRequest): Promise<Answer | undefined> {
    return this.isSilentToLookUps ? undefined : this.routed?.finder.answer(request)
  }

  #openHolder(process: ProcessStore): Holder {
    const { profile, timeline } = this.#world
    return new Holder({
      profile,
      store: process.store,
      clock: this.clock,
      verifier: this.client.verifier,
      judge: judgeHere,
      budget: createBudget(profile.answers_per_prefix > 0, () => timeline.nowMs),
      nodeKey: this.#options.key,
      peers: () => this.view,
      fetchIdentities: (did) => getDocuments(this.client, 'kid', did),
      random: (length) => this.#world.random(`documents ${this.peer.peer}`).bytes(length),
      onStored: (kind, id) => {
        if (kind === 'reveal') {
          this.#note(id)
          return
        }
        this.contentVersion++
        this.#world.topology.markContent(this)
        if (kind !== 'coded') this.#world.events.documented(this, kind, id)
      }
    })
  }

  #newQuestions(): EntryQuestions {
    return new EntryQuestions({
      profile: this.#world.profile,
      random: this.#world.chance.next,
      ask: async (id) => {
        await this.#daemon?.holder.reveals.revise(fromHex(id))
      }
    })
  }

  #note(name: string): void {
    const entry = this.#daemon?.holder.entries.load(recordKey('reveal', name, this.#world.hash))?.entry
    const before = this.held.get(name)
    if (entry === undefined) {
      if (this.held.delete(name)) this.contentVersion++
    } else {
      const claimId = toHex(entry.claim.id)
      const { lease, grace } = this.#world.profile
      const endRound = entry.claim.newestRound + lease + grace
      this.held.set(name, { claimId, state: entry.state, owner: toHex(entry.claim.pubkey), endRound })
      if (before?.claimId !== claimId || before.owner !== toHex(entry.claim.pubkey)) this.contentVersion++
    }
    this.#world.events.held(this, name, before, this.held.get(name))
  }
}

function viewOf(routed: Routed): NodeView {
  return { ...routed.peers, lost: (node) => routed.lost(node), refresh: () => undefined }
}
