import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import { keyPairFromSeed } from '../protocol/crypto/ed25519.ts'
import { profileHash } from '../protocol/profile/profile.ts'
import { recordKey } from '../protocol/neighbourhood/key-space.ts'
import type { EntryState } from '../protocol/admission/entry.ts'
import type { Claim } from '../protocol/claim/claim.ts'
import { codedId } from '../protocol/claim/check-code.ts'
import { decodeReveal, encodeReveal, type Reveal } from '../protocol/claim/reveal.ts'
import { type RoundClock, systemClock, type Clock } from '../time/clock.ts'
import { Bootstrap } from './bootstrap/bootstrap.ts'
import { createBudget } from './budget/budget.ts'
import { commit, probe } from './client/blinded.ts'
import { askClocks } from './client/clocks.ts'
import { getDocuments, getByCode, getReveals } from './client/get.ts'
import {
  type FoundDocuments,
  DialError,
  OfflineError,
  type CommitOutcome,
  type HeldEntry,
  type KnownPeer,
  type LookupBreadth,
  type Network,
  type NetworkEvent,
  type ModeSetting,
  type NetworkMode,
  type NetworkStatus,
  type OwnAddress,
  type PeerClock,
  type PeerPlace,
  type PublishOptions,
  type PutOutcome,
  type RevealLookup,
  type NetworkOptions
} from './types.ts'
import { forgetOwnRecord, rememberOwnRecord, type OwnRecord, Republisher } from './client/own-records.ts'
import { type ClientParts, isReachable } from './client/holders.ts'
import { publish, send } from './client/publish.ts'
import { distanceOf, type Peers } from './peers.ts'
import { KnownPeers } from './routing/contacts.ts'
import { openConnection, type Connection } from './connection.ts'
import { Holder } from './holder/holder.ts'
import { DEFAULT_HOLDER_LIMITS } from './holder/capacity.ts'
import { startMaintenance, type Maintenance } from './upkeep/maintenance.ts'
import { createPenalties } from './budget/penalties.ts'
import { createVerifier } from './holder/verifier.ts'
import { keys } from '../store/keys.ts'

/** A network that also says how many peers its routing table holds: those that a look-up can begin with. */
export interface OpenableNetwork extends Network {
  knownPeers(): number
}

export function createNetwork(options: NetworkOptions): OpenableNetwork {
  return new RegistryNetwork(options)
}

class RegistryNetwork implements OpenableNetwork {
  readonly #options: NetworkOptions
  readonly #timers: Pick<Clock, 'every'>
  readonly #clock: RoundClock
  readonly #penalties
  readonly #holder: Holder
  readonly #known: KnownPeers
  readonly #bootstrap: Bootstrap
  readonly #republisher: Republisher
  readonly #client: ClientParts
  readonly #listeners = new Set<(event: NetworkEvent) => void>()
  #setting: ModeSetting
  /** In force. */
  #mode: NetworkMode
  #isRunning = false
  #connection: Connection | undefined
  #maintenance: Maintenance | undefined
  #transition: Promise<void> = Promise.resolve()

  constructor(options: NetworkOptions) {
    const { profile, store, beacon, pool, clock } = options
    const nodeKey = keyPairFromSeed(options.nodeSeed)
    this.#options = options
    this.#setting = options.mode
    this.#mode = this.#inForce()
    this.#timers = options.timers ?? systemClock
    this.#penalties = createPenalties(() => clock.nowMs())
    this.#known = new KnownPeers(store, () => clock.time().now, options.profile, options.log)
    this.#clock = clock
    this.#bootstrap = new Bootstrap(options)
    const verifier = createVerifier(profile, beacon, pool, options.proofMs)
    const peers = (): Peers | undefined => this.#connection?.peers
    this.#client = {
      profile,
      verifier,
      judge: pool,
      clock: this.#clock,
      peers,
      holder: () => this.#servingHolder(),
      ownPeerId: peerIdFromPublicKey(publicKeyFromRaw(nodeKey.publicKey)).toString(),
      expectsOthers: this.#bootstrap.expectsOthers
    }
    this.#republisher = new Republisher(store, this.#client)
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
      this.#known.start(this.#timers, () => this.#connection)
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
        republish: (record) => this.#republisher.send(record),
        send: (record) => send(this.#client, record)
      })
    })
  }

  stop(): Promise<void> {
    return this.#enqueue(async () => {
      this.#isRunning = false
      this.#known.stop()
      // The node first: it ends all pending requests to peers.
      await this.#disconnect()
      await this.#maintenance?.stop()
      this.#maintenance = undefined
    })
  }

  setMode(setting: ModeSetting): Promise<void> {
    return this.#enqueue(async () => {
      this.#setting = setting
      await this.#followSetting()
    })
  }

  status(): NetworkStatus {
    const { profile } = this.#options
    const peers = this.#connection?.connectedPeers() ?? 0
    // On a loopback network a single node suffices, unless it has bootstrap peers.
    const isEnoughAlone = profile.scope === 'loopback' && this.#mode === 'full' && !this.#bootstrap.expectsOthers
    // A connected peer may be of another network or light; a peer of the table can be asked.
    const canAsk = peers > 0 && this.#connection?.peers.knowsAny() === true
    const status = this.#connection === undefined ? 'offline' : canAsk || isEnoughAlone ? 'online' : 'connecting'
    return {
      status,
      peers,
      mode: this.#mode,
      auto: this.#why(),
      peer_id: this.#client.ownPeerId,
      connecting: status === 'connecting' ? this.#connection!.whyConnecting() : null,
      records: this.#holder.count()
    }
  }

  canAsk(): boolean {
    return isReachable(this.#client)
  }

  origins(): Origin[] {
    return this.#connection?.peers.origins() ?? []
  }

  size(): number | undefined {
    return this.#connection?.peers.networkSize()
  }

  peers(): KnownPeer[] {
    return this.#connection?.list() ?? []
  }

  sampleNames(count: number): string[] {
    const { entries } = this.#holder
    const keys = [...entries.all()]
    const drawn: string[] = []
    while (drawn.length < count && keys.length > 0) {
      const [key] = keys.splice(Math.floor((this.#options.random ?? Math.random)() * keys.length), 1)
      const held = entries.load(key!)
      if (held !== undefined) drawn.push(held.entry.claim.name)
    }
    return drawn
  }

  clocks(signal?: AbortSignal): Promise<PeerClock[]> {
    return askClocks(this.#client, this.#clock, signal)
  }

  placeOf(name: string, peer: string): PeerPlace {
    const key = recordKey('reveal', name, profileHash(this.#options.profile))
    return { distance: distanceOf(peer, key), prefix: this.#connection?.prefixOf(peer) ?? null }
  }

  knownPeers(): number {
    return this.#connection?.peers.known() ?? 0
  }

  async dial(address: string): Promise<KnownPeer> {
    const connection = this.#connection
    if (connection === undefined) throw new OfflineError('The daemon is in mode offline.')
    const dialled = await connection.dial(address)
    const known = connection.list().find(({ peer }) => peer === dialled)
    if (known === undefined) throw new DialError('unreached', `${dialled} hung up at once`)
    return known
  }

  addresses(): OwnAddress[] {
    return this.#connection?.addresses() ?? []
  }

  commit(name: string, commitment: Uint8Array, nonce: Uint8Array, signal?: AbortSignal): Promise<CommitOutcome> {
    return commit(this.#client, name, commitment, nonce, signal)
  }

  putReveal(reveal: Reveal, options?: PublishOptions): Promise<PutOutcome> {
    return this.#publish({ kind: 'reveal', id: reveal.name, bytes: encodeReveal(reveal) }, options)
  }

  withdrawReveal(name: string, former: Reveal | undefined): void {
    const { store } = this.#options
    if (former === undefined) forgetOwnRecord(store, 'reveal', name)
    else rememberOwnRecord(store, { kind: 'reveal', id: name, bytes: encodeReveal(former) })
    this.#republisher.withdraw(name)
  }

  getReveals(name: string, signal?: AbortSignal, breadth?: LookupBreadth, code?: string): Promise<RevealLookup> {
    const place = code === undefined ? undefined : ({ kind: 'coded', id: codedId(name, code) } as const)
    return getReveals(this.#client, name, signal, breadth, place)
  }

  getByCode(name: string, code: string, signal?: AbortSignal): Promise<RevealLookup> {
    return getByCode(this.#client, name, code, signal)
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

  storedRecord(name: string, code?: string): { state: EntryState; claim: Claim; reveal: Reveal } | undefined {
    const hash = profileHash(this.#options.profile)
    const held =
      code === undefined
        ? this.#holder.entries.load(recordKey('reveal', name, hash))
        : this.#holder.coded.entries.load(recordKey('coded', codedId(name, code), hash))
    if (held?.record === undefined) return undefined
    return { state: held.entry.state, claim: held.entry.claim, reveal: decodeReveal(held.record) }
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

  getManifest(did: string, signal?: AbortSignal): Promise<FoundDocuments> {
    return getDocuments(this.#client, 'manifest', did, signal)
  }

  subscribe(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #publish(record: OwnRecord, options?: PublishOptions): Promise<PutOutcome> {
    return publish(this.#client, { store: this.#options.store, clock: this.#clock }, record, options)
  }

  #servingHolder(): Holder | undefined {
    return this.#mode === 'full' ? this.#holder : undefined
  }

  async #fetchIdentities(did: string): Promise<FoundDocuments> {
    return this.knownPeers() === 0
      ? { records: [], shownBy: [], isAnswered: false }
      : getDocuments(this.#client, 'kid', did)
  }

  /** On networks of one machine or one hand, `auto` is full. */
  #decidesByReach(): boolean {
    return this.#setting === 'auto' && this.#options.profile.scope === 'public'
  }

  /** Of the mode in force: the role is decided before the node has taken it on. */
  #why(): string | null {
    const role = this.#decidesByReach() ? this.#connection?.role() : undefined
    if (role === undefined) return null
    return role.mode === this.#mode ? role.why : `Becoming ${role.mode}.`
  }

  #wasReached(): boolean {
    return this.#options.store.get(keys.reached()) !== undefined
  }

  #rememberRole(): void {
    const key = keys.reached()
    const isFull = this.#connection?.role().mode === 'full'
    this.#options.store.batchLater([isFull ? { put: key, value: new Uint8Array() } : { delete: key }])
  }

  #inForce(): NetworkMode {
    if (this.#decidesByReach()) return this.#connection?.role().mode ?? (this.#wasReached() ? 'full' : 'light')
    return this.#setting === 'auto' ? 'full' : this.#setting
  }

  async #followSetting(): Promise<void> {
    const mode = this.#inForce()
    if (mode === this.#mode) return
    if (this.#isRunning) await this.#enter(mode)
    this.#mode = mode
    // It has a vote from now on, and holds nothing of what came while it was light.
    if (mode === 'full') this.#maintenance?.soon()
    this.#emit({ type: 'mode', detail: { mode } })
  }

  async #enter(mode: NetworkMode): Promise<void> {
    if (mode === 'offline') await this.#disconnect()
    else if (this.#connection === undefined) this.#connection = await this.#connect(mode)
    else await this.#connection.setMode(mode)
  }

  #connect(mode: Exclude<NetworkMode, 'offline'>): Promise<Connection> {
    const { profile, nodeSeed, listen, announce = [], dialFrom, log, agent = 'chronym' } = this.#options
    return openConnection(
      {
        profile,
        nodeSeed,
        listen,
        announce,
        dialFrom,
        bootstrap: this.#bootstrap,
        metBefore: () => this.#known.addresses(),
        acquaintances: this.#known.acquaintances,
        agent,
        log,
        timers: this.#timers,
        onKnown: () => this.#known.noteNew(),
        mayMap: () => this.#options.mapPort === true && this.#setting !== 'light' && profile.scope === 'public',
        wasReached: this.#wasReached(),
        onRole: () => {
          this.#rememberRole()
          this.#enqueue(() => this.#followSetting()).catch((error: unknown) => {
            log.error({ err: error }, 'the mode could not follow what peers reach')
          })
        },
        handlers: this.#holder.handlers(),
        budget: this.#holder.budget,
        isBanned: (peer) => this.#penalties.isBanned(peer),
        penalise: (peer, reason) => {
          this.#penalise(peer, reason)
        },
        emit: (event) => {
          if (event.type === 'peer:connect' && this.#connection?.connectedPeers() === 1) this.#maintenance?.soon()
          this.#emit(event)
        }
      },
      mode
    )
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection
    await this.#known.keep(connection)
    this.#connection = undefined
    await connection?.close()
  }

  #penalise(peer: PeerId, reason: string): void {
    const { log } = this.#options
    // At debug level each offence, at a higher one each ban: a flood must not fill the log.
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
    // The queue survives a failure; the caller sees it.
    this.#transition = next.catch(() => undefined)
    return next
  }
}
