import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import type { NativePool } from '../native/types.ts'
import { keyPairFromSeed } from '../protocol/ed25519.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import { encodeReveal } from '../protocol/reveal.ts'
import type { Store } from '../store/types.ts'
import { commit } from './client/commit.ts'
import { getDocuments } from './client/documents.ts'
import { getReveals } from './client/get.ts'
import { rememberOwnRecord, type OwnRecord } from './client/own-records.ts'
import type { ClientParts } from './client/parts.ts'
import { probe } from './client/probe.ts'
import { put } from './client/put.ts'
import { satisfies } from './client/satisfies.ts'
import { createRoundClock } from './clock.ts'
import { discoverNeighbours } from './discovery.ts'
import { Holder } from './holder/holder.ts'
import { startMaintenance, type Maintenance } from './maintenance.ts'
import { startNode, type Node } from './node.ts'
import { createPeers, type Peers } from './peers.ts'
import { createPenalties } from './penalties.ts'
import { registryProtocol } from './protocol/messages.ts'
import { serve } from './protocol/serve.ts'
import { systemTimers, type Timers } from './timers.ts'
import type { Network, NetworkEvent, NetworkMode, NetworkStatus, PutOutcome } from './types.ts'
import { createVerifier } from './verifier.ts'
import { watchBootstrap } from './watchdog.ts'

export interface NetworkOptions {
  readonly profile: NetworkProfile
  readonly store: Store
  /** 32 bytes: the seed of the node's Ed25519 key; the peer id comes from it. */
  readonly nodeSeed: Uint8Array
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'>
  /** Multiaddrs to listen on, such as /ip4/127.0.0.1/tcp/7469; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** Multiaddrs with peer ids. */
  readonly bootstrap: readonly string[]
  readonly mode: NetworkMode
  readonly log: Logger
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  readonly timers?: Timers
  /** 0 <= x < 1: spreads what neighbours would otherwise do at the same moment. */
  readonly random?: () => number
  /** Told to peers by identify. */
  readonly agent?: string
}

/** A network that also says how many peers its routing table holds: those that a look-up can begin with. */
export interface OpenableNetwork extends Network {
  knownPeers(): number
}

/** The network; `start` opens it. */
export function createNetwork(options: NetworkOptions): OpenableNetwork {
  return new RegistryNetwork(options)
}

class RegistryNetwork implements OpenableNetwork {
  readonly #options: NetworkOptions
  readonly #timers: Timers
  readonly #holder: Holder
  readonly #client: ClientParts
  readonly #clock
  readonly #penalties
  readonly #peerId: string
  readonly #listeners = new Set<(event: NetworkEvent) => void>()
  #mode: NetworkMode
  #isRunning = false
  #node: Node | undefined
  #peers: Peers | undefined
  #endWatch: (() => void) | undefined
  #maintenance: Maintenance | undefined
  /** Changes of mode happen one after the other. */
  #transition: Promise<void> = Promise.resolve()

  constructor(options: NetworkOptions) {
    const { profile, store, beacon, pool } = options
    const nowMs = options.clock ?? Date.now
    const nodeKey = keyPairFromSeed(options.nodeSeed)
    this.#options = options
    this.#mode = options.mode
    this.#timers = options.timers ?? systemTimers
    this.#peerId = peerIdFromPublicKey(publicKeyFromRaw(nodeKey.publicKey)).toString()
    this.#penalties = createPenalties(nowMs)
    this.#clock = createRoundClock(beacon, profile, store, nowMs)
    const verifier = createVerifier(profile, beacon, pool)
    const peers = (): Peers | undefined => this.#peers
    this.#holder = new Holder({
      profile,
      store,
      clock: this.#clock,
      verifier,
      nodeKey,
      peers,
      fetchIdentities: (did) => this.#peers === undefined ? Promise.resolve([]) : getDocuments({ ...this.#client, holder: () => this.#holder }, 'kid', did),
      onStored: (kind, id, state) => {
        this.#emit({ type: 'record:stored', detail: { kind, id, state } })
      }
    })
    this.#client = { profile, verifier, peers, holder: () => this.#servingHolder(), ownPeerId: this.#peerId }
  }

  async start(): Promise<void> {
    const { profile, store, beacon, log } = this.#options
    await this.#enqueue(async () => {
      if (this.#isRunning) return
      await this.#enter(this.#mode)
      this.#isRunning = true
      this.#maintenance = startMaintenance({
        profile,
        store,
        clock: this.#clock,
        beacon,
        timers: this.#timers,
        random: this.#options.random ?? Math.random,
        log,
        peers: () => this.#peers,
        holder: () => this.#servingHolder(),
        republish: async (record) => {
          await this.#send(record)
        }
      })
    })
  }

  async stop(): Promise<void> {
    await this.#enqueue(async () => {
      this.#isRunning = false
      // The node goes first: what waits for answers of peers ends with it.
      await this.#closeNode()
      await this.#maintenance?.stop()
      this.#maintenance = undefined
    })
  }

  status(): NetworkStatus {
    const peers = this.#node?.getPeers().length ?? 0
    const alone = this.#options.profile.scope === 'loopback' && this.#mode === 'full' && this.#options.bootstrap.length === 0
    const status = this.#node === undefined ? 'offline' : peers > 0 || alone ? 'online' : 'connecting'
    return { status, peers, mode: this.#mode, peer_id: this.#peerId, records: this.#holder.count() }
  }

  knownPeers(): number {
    return this.#peers?.known() ?? 0
  }

  async setMode(mode: NetworkMode): Promise<void> {
    await this.#enqueue(async () => {
      if (mode === this.#mode) return
      if (this.#isRunning) await this.#enter(mode)
      this.#mode = mode
      this.#emit({ type: 'mode', detail: { mode } })
    })
  }

  listenAddresses(): string[] {
    return this.#node?.getMultiaddrs().map(String) ?? []
  }

  commit(name: string, commitment: Uint8Array, nonce: Uint8Array): ReturnType<Network['commit']> {
    return commit(this.#client, name, commitment, nonce)
  }

  async putReveal(reveal: Parameters<Network['putReveal']>[0]): Promise<PutOutcome> {
    return this.#publish({ kind: 'reveal', id: reveal.name, bytes: encodeReveal(reveal) })
  }

  getReveals(name: string, signal?: AbortSignal): ReturnType<Network['getReveals']> {
    return getReveals(this.#client, name, signal)
  }

  probe(name: string, signal?: AbortSignal): ReturnType<Network['probe']> {
    return probe(this.#client, name, signal)
  }

  putIdentity(did: string, log: Uint8Array): Promise<PutOutcome> {
    return this.#publish({ kind: 'kid', id: did, bytes: log })
  }

  getIdentity(did: string, signal?: AbortSignal): Promise<Uint8Array[]> {
    return getDocuments(this.#client, 'kid', did, signal)
  }

  putManifest(did: string, manifest: Uint8Array): Promise<PutOutcome> {
    return this.#publish({ kind: 'manifest', id: did, bytes: manifest })
  }

  getManifest(did: string, signal?: AbortSignal): Promise<Uint8Array[]> {
    return getDocuments(this.#client, 'manifest', did, signal)
  }

  subscribe(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** On disk first, so that it is republished even if nobody takes it now. */
  #publish(record: OwnRecord): Promise<PutOutcome> {
    rememberOwnRecord(this.#options.store, record)
    return this.#send(record)
  }

  #send(record: OwnRecord): Promise<PutOutcome> {
    return put(this.#client, { ...record, isSatisfiedBy: satisfies(record, this.#options.profile) })
  }

  #servingHolder(): Holder | undefined {
    return this.#mode === 'full' ? this.#holder : undefined
  }

  async #enter(mode: NetworkMode): Promise<void> {
    if (mode === 'offline') {
      await this.#closeNode()
      return
    }
    if (this.#node === undefined) {
      await this.#openNode(mode)
    } else {
      await this.#node.services.dht.setMode(mode === 'full' ? 'server' : 'client')
      if (mode === 'light') await this.#node.unhandle(registryProtocol(this.#options.profile))
    }
    if (mode === 'full') await this.#serve()
  }

  async #openNode(mode: Exclude<NetworkMode, 'offline'>): Promise<void> {
    const { profile, nodeSeed, listen, bootstrap, agent = 'chronym' } = this.#options
    const node = await startNode({ profile, nodeSeed, listen, bootstrap, mode, agent, isBanned: (peer) => this.#penalties.isBanned(peer) })
    node.addEventListener('peer:connect', ({ detail }) => {
      this.#emit({ type: 'peer:connect', detail: { peer: detail.toString() } })
    })
    node.addEventListener('peer:disconnect', ({ detail }) => {
      this.#emit({ type: 'peer:disconnect', detail: { peer: detail.toString() } })
    })
    this.#node = node
    this.#peers = createPeers(node, profile, (peer, reason) => {
      this.#penalise(peer, reason)
    })
    const endWatch = watchBootstrap(node, bootstrap, this.#timers)
    const endDiscovery = discoverNeighbours(node, profile.k, this.#options.log)
    this.#endWatch = () => {
      endWatch()
      endDiscovery()
    }
  }

  async #closeNode(): Promise<void> {
    const node = this.#node
    this.#endWatch?.()
    this.#node = undefined
    this.#peers = undefined
    await node?.stop()
  }

  async #serve(): Promise<void> {
    await serve({
      node: this.#node!,
      profile: this.#options.profile,
      handlers: this.#holder.handlers(),
      penalise: (peer, reason) => {
        this.#penalise(peer, reason)
      },
      onFault: (request, error) => {
        this.#options.log.error({ err: error, request }, 'a request of a peer could not be answered')
      }
    })
  }

  #penalise(peer: PeerId, reason: string): void {
    const { log } = this.#options
    log.warn({ peer: peer.toString(), reason }, 'a peer sent what is not valid')
    if (!this.#penalties.add(peer)) return
    log.warn({ peer: peer.toString() }, 'a peer is kept away for a while')
    this.#node?.hangUp(peer).catch((error: unknown) => {
      log.debug({ err: error }, 'closing the connection failed')
    })
  }

  #emit(event: NetworkEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #enqueue(action: () => Promise<void>): Promise<void> {
    const next = this.#transition.then(action)
    // The queue goes on after a failure; the caller sees it.
    this.#transition = next.catch(() => undefined)
    return next
  }
}

