import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import type { DocumentJudge, NativePool } from '../native/types.ts'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import { keyPairFromSeed } from '../protocol/crypto/ed25519.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import { recordKey } from '../protocol/claim/record-key.ts'
import { encodeReveal, type Reveal } from '../protocol/claim/reveal.ts'
import type { RoundClock } from '../time/round-clock.ts'
import type { Store } from '../store/types.ts'
import { Acquaintances } from './routing/acquaintances.ts'
import { createBudget } from './budget/budget.ts'
import { commit } from './client/commit.ts'
import { getDocuments } from './client/documents.ts'
import type { FoundDocuments } from './types.ts'
import { getReveals } from './client/get.ts'
import { forgetOwnRecord, ownRecord, rememberOwnRecord, type OwnRecord } from './client/own-records.ts'
import { isReachable, type ClientParts } from './client/reachable.ts'
import { probe } from './client/probe.ts'
import { publish, send } from './client/publish.ts'
import { refresh } from './client/refresh.ts'
import { Contacts } from './routing/contacts.ts'
import { openConnection, type Connection } from './connection.ts'
import { Holder } from './holder/holder.ts'
import { DEFAULT_HOLDER_LIMITS } from './holder/limits.ts'
import { startMaintenance, type Maintenance } from './upkeep/maintenance.ts'
import type { Peers } from './peers.ts'
import { createPenalties } from './budget/penalties.ts'
import { systemClock, type Clock } from '../time/clock.ts'
import type {
  CommitOutcome,
  HeldEntry,
  LookupBreadth,
  Network,
  NetworkEvent,
  NetworkMode,
  NetworkStatus,
  PutOutcome,
  RevealLookup
} from './types.ts'
import { createVerifier } from './holder/verifier.ts'

/**
 * Peers that have become known are written down this soon, those met together at once; a crash forgets those met since.
 */
const NEW_CONTACTS_MS = 2_000

/** Their addresses change too: so often they are looked at in any case. */
const CONTACTS_INTERVAL_MS = 60_000

export interface NetworkOptions {
  readonly profile: NetworkProfile
  readonly store: Store
  /** 32 bytes: the seed of the node's Ed25519 key; the peer id comes from it. */
  readonly nodeSeed: Uint8Array
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge
  /** Multiaddrs to listen on, such as /ip4/127.0.0.1/tcp/7469; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** The IP address that connections are made from, see NodeOptions. */
  readonly dialFrom?: string
  /** Multiaddrs with peer ids. */
  readonly bootstrap: readonly string[]
  readonly mode: NetworkMode
  readonly log: Logger
  /** The daemon's one: the registry judges by it too. */
  readonly clock: RoundClock
  /**
   * Bytes of the database from which on nothing new of others is taken, unless something less worthy gives way.
   * Default: 2 GiB.
   */
  readonly storageBytes?: number
  /** Monotonic, milliseconds: what peers may cost is counted by it. */
  readonly elapsed?: () => number
  readonly timers?: Pick<Clock, 'every'>
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
  readonly #timers: Pick<Clock, 'every'>
  readonly #clock: RoundClock
  readonly #penalties
  readonly #holder: Holder
  readonly #contacts: Contacts
  readonly #acquaintances: Acquaintances
  readonly #client: ClientParts
  readonly #listeners = new Set<(event: NetworkEvent) => void>()
  #mode: NetworkMode
  #isRunning = false
  /** Undefined while offline. */
  #connection: Connection | undefined
  #maintenance: Maintenance | undefined
  #endsOfKeepingContacts: (() => void)[] = []
  /** A peer has become known that may not be written down. */
  #hasMet = false
  /** The own record that is being sent again: one at a time. */
  #republishing: { readonly id: string; readonly abort: AbortController } | undefined
  /** Changes of mode happen one after the other. */
  #transition: Promise<void> = Promise.resolve()

  constructor(options: NetworkOptions) {
    const { profile, store, beacon, pool, clock } = options
    const nodeKey = keyPairFromSeed(options.nodeSeed)
    this.#options = options
    this.#mode = options.mode
    this.#timers = options.timers ?? systemClock
    this.#penalties = createPenalties(() => clock.nowMs())
    this.#contacts = new Contacts(store)
    this.#acquaintances = new Acquaintances(store, () => clock.time().now)
    this.#clock = clock
    const verifier = createVerifier(profile, beacon, pool)
    const peers = (): Peers | undefined => this.#connection?.peers
    this.#client = {
      profile,
      verifier,
      judge: pool,
      peers,
      holder: () => this.#servingHolder(),
      ownPeerId: peerIdFromPublicKey(publicKeyFromRaw(nodeKey.publicKey)).toString()
    }
    this.#holder = new Holder({
      profile,
      store,
      clock: this.#clock,
      verifier,
      judge: pool,
      ...(options.storageBytes !== undefined && { limits: { ...DEFAULT_HOLDER_LIMITS, bytes: options.storageBytes } }),
      budget: createBudget(profile.answers_per_prefix > 0, options.elapsed),
      nodeKey,
      peers,
      fetchIdentities: (did) => this.#fetchIdentities(did),
      onStored: (kind, id, state) => {
        this.#emit({ type: 'record:stored', detail: { kind, id, state } })
      }
    })
  }

  start(): Promise<void> {
    const { profile, store, beacon, log, random = Math.random } = this.#options
    return this.#enqueue(async () => {
      if (this.#isRunning) return
      await this.#enter(this.#mode)
      this.#isRunning = true
      this.#endsOfKeepingContacts = [
        this.#timers.every(NEW_CONTACTS_MS, () => {
          if (this.#hasMet) void this.#keepContacts()
        }),
        this.#timers.every(CONTACTS_INTERVAL_MS, () => {
          this.#keepAcquaintances()
          void this.#keepContacts()
        })
      ]
      this.#maintenance = startMaintenance({
        profile,
        store,
        clock: this.#clock,
        beacon,
        timers: this.#timers,
        random,
        log,
        peers: () => this.#connection?.peers,
        holder: () => this.#servingHolder(),
        republish: (record) => this.#republish(record),
        send: (record) => send(this.#client, record)
      })
    })
  }

  stop(): Promise<void> {
    return this.#enqueue(async () => {
      this.#isRunning = false
      for (const end of this.#endsOfKeepingContacts) end()
      // The node goes first: what waits for answers of peers ends with it.
      await this.#disconnect()
      await this.#maintenance?.stop()
      this.#maintenance = undefined
    })
  }

  setMode(mode: NetworkMode): Promise<void> {
    return this.#enqueue(async () => {
      if (mode === this.#mode) return
      if (this.#isRunning) await this.#enter(mode)
      this.#mode = mode
      this.#emit({ type: 'mode', detail: { mode } })
    })
  }

  status(): NetworkStatus {
    const { profile, bootstrap } = this.#options
    const peers = this.#connection?.connectedPeers() ?? 0
    // On a network of this machine one node is enough, unless it was told of others.
    const isEnoughAlone = profile.scope === 'loopback' && this.#mode === 'full' && bootstrap.length === 0
    // A connected peer may be of another network, or light; a peer of the table can be asked.
    const canAsk = peers > 0 && this.#connection?.peers.knowsAny() === true
    const status = this.#connection === undefined ? 'offline' : canAsk || isEnoughAlone ? 'online' : 'connecting'
    return { status, peers, mode: this.#mode, peer_id: this.#client.ownPeerId, records: this.#holder.count() }
  }

  canAsk(): boolean {
    return isReachable(this.#client)
  }

  origins(): Origin[] {
    return this.#connection?.peers.origins() ?? []
  }

  knownPeers(): number {
    return this.#connection?.peers.known() ?? 0
  }

  listenAddresses(): string[] {
    return this.#connection?.addresses() ?? []
  }

  commit(name: string, commitment: Uint8Array, nonce: Uint8Array, signal?: AbortSignal): Promise<CommitOutcome> {
    return commit(this.#client, name, commitment, nonce, signal)
  }

  putReveal(reveal: Reveal, signal?: AbortSignal): Promise<PutOutcome> {
    return this.#publish({ kind: 'reveal', id: reveal.name, bytes: encodeReveal(reveal) }, signal)
  }

  withdrawReveal(name: string, former: Reveal | undefined): void {
    const { store } = this.#options
    if (former === undefined) forgetOwnRecord(store, 'reveal', name)
    else rememberOwnRecord(store, { kind: 'reveal', id: name, bytes: encodeReveal(former) })
    if (this.#republishing?.id === name) this.#republishing.abort.abort()
  }

  getReveals(name: string, signal?: AbortSignal, breadth?: LookupBreadth): Promise<RevealLookup> {
    return getReveals(this.#client, name, signal, breadth)
  }

  heldHere(name: string): HeldEntry | undefined {
    const { profile } = this.#options
    const held = this.#servingHolder()?.entries.load(recordKey('reveal', name, profileHash(profile)))
    if (held === undefined) return undefined
    const { state, claim, tenureRound, rivals, equivocation } = held.entry
    return {
      state,
      claim,
      tenureRound,
      rivals: rivals.length,
      isStub: held.record === undefined,
      ...(equivocation && { equivocation })
    }
  }

  probe(name: string, signal?: AbortSignal): Promise<RevealLookup> {
    return probe(this.#client, name, signal)
  }

  putIdentity(did: string, log: Uint8Array): Promise<PutOutcome> {
    return this.#publish({ kind: 'kid', id: did, bytes: log })
  }

  getIdentity(did: string, signal?: AbortSignal): Promise<FoundDocuments> {
    return getDocuments(this.#client, 'kid', did, signal)
  }

  putManifest(did: string, manifest: Uint8Array): Promise<PutOutcome> {
    return this.#publish({ kind: 'manifest', id: did, bytes: manifest })
  }

  async getManifest(did: string, signal?: AbortSignal): Promise<Uint8Array[]> {
    return [...(await getDocuments(this.#client, 'manifest', did, signal)).records]
  }

  subscribe(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #publish(record: OwnRecord, signal?: AbortSignal): Promise<PutOutcome> {
    return publish(this.#client, { store: this.#options.store, clock: this.#clock }, record, signal)
  }

  /** Our holder while it stores for the network. */
  #servingHolder(): Holder | undefined {
    return this.#mode === 'full' ? this.#holder : undefined
  }

  async #republish({ kind, id }: OwnRecord): Promise<void> {
    const bytes = ownRecord(this.#options.store, kind, id)
    // Withdrawn since it was listed.
    if (bytes === undefined) return
    const abort = new AbortController()
    this.#republishing = { id, abort }
    try {
      await refresh(this.#client, { kind, id, bytes }, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      this.#republishing = undefined
    }
  }

  async #fetchIdentities(did: string): Promise<FoundDocuments> {
    return this.knownPeers() === 0
      ? { records: [], shownBy: [], isAnswered: false }
      : getDocuments(this.#client, 'kid', did)
  }

  async #enter(mode: NetworkMode): Promise<void> {
    if (mode === 'offline') await this.#disconnect()
    else if (this.#connection === undefined) this.#connection = await this.#connect(mode)
    else await this.#connection.setMode(mode)
  }

  #connect(mode: Exclude<NetworkMode, 'offline'>): Promise<Connection> {
    const { profile, nodeSeed, listen, dialFrom, bootstrap, log, agent = 'chronym' } = this.#options
    return openConnection(
      {
        profile,
        nodeSeed,
        listen,
        dialFrom,
        bootstrap,
        metBefore: () => this.#contacts.addresses(),
        acquaintances: this.#acquaintances,
        agent,
        log,
        timers: this.#timers,
        onKnown: () => {
          this.#hasMet = true
        },
        handlers: this.#holder.handlers(),
        budget: this.#holder.budget,
        isBanned: (peer) => this.#penalties.isBanned(peer),
        penalise: (peer, reason) => {
          this.#penalise(peer, reason)
        },
        emit: (event) => {
          if (event.type === 'peer:connect' && this.#connection?.connectedPeers() === 1) this.#maintenance?.rejoined()
          this.#emit(event)
        }
      },
      mode
    )
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection
    this.#keepAcquaintances()
    await this.#keepContacts()
    this.#connection = undefined
    await connection?.close()
  }

  #keepAcquaintances(): void {
    try {
      this.#acquaintances.keep()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'since when peers are known could not be written down')
    }
  }

  async #keepContacts(): Promise<void> {
    this.#hasMet = false
    try {
      if (this.#connection !== undefined) this.#contacts.keep(await this.#connection.contacts())
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the peers known now could not be written down for the next start')
    }
  }

  #penalise(peer: PeerId, reason: string): void {
    const { log } = this.#options
    // A flood must not fill the log: each offence is for whoever looks closely, each peer that is kept away for
    // everybody.
    log.debug({ peer: peer.toString(), reason }, 'a peer sent what is not valid')
    if (!this.#penalties.add(peer)) return
    log.info({ peer: peer.toString(), reason }, 'a peer is kept away for a while')
    this.#connection?.hangUp(peer)
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
