/**
 * The network as the registry sees it. Records are the protocol's. Finding peers and storing, repairing and moving
 * records is the network's own business.
 */
import type { Claim, Equivocation } from '../protocol/claim/claim.ts'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import type { EntryState } from '../protocol/admission/entry.ts'
import type { ChangesHeld } from '../protocol/admission/key-changes.ts'
import { PartError } from '../protocol/errors.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'
import type { Logger } from 'pino'
import type { BeaconClient } from '../beacon/types.ts'
import type { DocumentJudge, NativePool } from '../native/types.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Store } from '../store/types.ts'
import type { Clock, RoundClock } from '../time/clock.ts'

/** The mode in force. */
export type NetworkMode = 'full' | 'light' | 'offline'

/** As configured. `auto`: full where peers of other prefixes reach the node, or all are in one hand; else light. */
export type ModeSetting = NetworkMode | 'auto'

export interface NetworkStatus {
  status: 'online' | 'connecting' | 'offline'
  peers: number
  mode: NetworkMode
  /** Where `auto` decides the mode: why it is that one, and the cure. */
  auto: string | null
  peer_id: string
  /** While `connecting`: what is missing, and the cure. */
  connecting: string | null
  /** Records held here for the network. */
  records: number
}

/** An address of this node. */
export interface OwnAddress {
  /** A multiaddr with the peer id, as bootstrap peers are named. */
  address: string
  /** `announced`: peers are told. `unconfirmed`: not before one has dialled it. `local`: never told. */
  state: 'announced' | 'unconfirmed' | 'local'
  /** Peers that dialled it, most recent first. */
  confirmedBy: readonly string[]
  /** Why it is not announced, and the cure. */
  message: string | null
}

/** A peer of the routing table, or a connected one. */
export interface KnownPeer {
  peer: string
  /** Its /24 or /48; null if it was never connected. */
  prefix: string | null
  /** From this node, as a share of the key space. */
  distance: number
  /** It can be asked: light peers cannot. */
  isInTable: boolean
  /** The program that it says it is; null before it said so, and while it is not connected. */
  agent: string | null
  /** Since when, milliseconds since the epoch. */
  connection: { direction: 'inbound' | 'outbound'; sinceMs: number } | null
}

/** What a peer's clock says, beside this machine's. */
export interface PeerClock {
  peer: string
  aheadMs: number
}

/** Where a peer lies, seen from the key of a name. */
export interface PeerPlace {
  /** As a share of the key space. */
  distance: number
  /** Null if it was never connected, and of this node itself. */
  prefix: string | null
}

export interface PublishOptions {
  /** Nothing is sent once it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** What must happen before the record is stored and sent; its holders are looked up meanwhile. */
  readonly first?: () => Promise<void>
  /** The record goes beside the one published before, which is still sent again: its change has one signature. */
  readonly isNotice?: boolean
}

/** How far a record got: holders that showed it when read back, and refusals with their reasons. */
export interface PutOutcome {
  storedBy: number
  of: number
  refusals: readonly { peer: string; code: string; detail: string }[]
}

/** A peer's receipt (src/protocol/claim/commitment.ts) with a verified signature. */
export interface VerifiedReceipt {
  peer: string
  /** The round in which the peer first saw the commitment. */
  seenRound: number
  signature: Uint8Array
}

export interface CommitOutcome {
  receipts: readonly VerifiedReceipt[]
  of: number
}

/** One peer's word about a name. A look-up has at most `answers_per_prefix` of one /24 (IPv6: /32). */
export interface RevealAnswer {
  peer: string
  self: boolean
  state: EntryState | 'none'
  /** Absent for state `none`. Verified if the record is here, else as the peer says. */
  claimId?: Uint8Array
  /**
   * The record, Valid by the profile. Missing for a stub of a settled claim, and in answers to `probe` while few list
   * the name.
   */
  reveal?: Reveal
  claim?: Claim
  /** As the peer says: the last change of the claim's keys, and from when all are final. */
  changes?: ChangesHeld
  /** A change of its keys with one signature that is not final there: its record, Valid, and what the peer says of it. */
  notice?: { reveal: Reveal; claim: Claim; changes: ChangesHeld }
}

/**
 * `majority`: a look-up ends once more than half of those asked agree. `everybody`: it waits for all. `punctual`: for all
 * but those that are late by a second, where they cannot change who the owner is.
 */
export type LookupBreadth = 'majority' | 'everybody' | 'punctual' | CodedLook

/** A look-up by code at one of its places. It ends by itself once all have answered. */
export interface CodedLook {
  /** Whether a record fits the code. */
  readonly shows: (reveal: Reveal) => boolean
  readonly heard: (answer: RevealAnswer) => void
  /** Called when more than half of those that should hold it have answered, and again with each further answer. */
  readonly halfAnswered: () => void
}

/**
 * A peer without an answer that counts. `no-answer`: not reached, too slow, or unreadable; `late`: not waited for;
 * `invalid`: a record that is not Valid.
 */
export interface SilentPeer {
  peer: string
  reason: 'no-answer' | 'late' | 'busy' | 'invalid'
}

export interface RevealLookup {
  answers: readonly RevealAnswer[]
  asked: number
  /** Without those still pending when a look-up ended early. */
  silent: readonly SilentPeer[]
  /** Estimated nodes in the network, this one included. */
  networkSize: number
  /** Further peers near the name that do not count: beyond the limit of their prefix, or not dialled by this node. */
  leftOut: number
}

export interface FoundDocuments {
  /** Distinct and unverified; this node's own first. */
  readonly records: readonly Uint8Array[]
  /** Diverse peers that show each record, this node included; 0 if only surplus peers of one prefix show it. */
  readonly shownBy: readonly number[]
  /** More than half of the diverse peers asked have answered. */
  readonly isAnswered: boolean
}

/** What this node's store holds of a name, whatever others say. */
export interface HeldEntry {
  state: EntryState
  claim: Claim
  /** v when the first claim of this tenure was entered. */
  tenureRound: number
  /** For a provisional entry: later claims of other keys. */
  rivals: number
  isStub: boolean
  /** The owner signed two payloads at one (p, serial). */
  equivocation?: Equivocation
}

export class OfflineError extends PartError<'network', 'offline'> {
  override readonly name = 'OfflineError'
  override readonly part = 'network'

  constructor(message: string) {
    super('offline', message)
  }
}

/** Raised by `start` and `setMode` for an address that cannot be listened on or that the network profile refuses. */
export class ListenError extends PartError<'network', 'listen'> {
  override readonly name = 'ListenError'
  override readonly part = 'network'

  constructor(message: string, options?: ErrorOptions) {
    super('listen', message, options)
  }
}

/** `address`: no address that this node dials. `unreached`: nobody answers there, or another peer. */
export class DialError extends PartError<'network', 'address' | 'unreached'> {
  override readonly name = 'DialError'
  override readonly part = 'network'
}

export interface NetworkEvent {
  type: 'peer:connect' | 'peer:disconnect' | 'record:stored' | 'mode'
  detail: Record<string, string | number>
}

export interface Network {
  start(): Promise<void>
  stop(): Promise<void>
  status(): NetworkStatus
  /**
   * Whether any peer can be asked now; otherwise look-ups and puts throw OfflineError. Those asked may still not
   * answer.
   */
  canAsk(): boolean
  /** The routing table's peers with prefixes, without those never connected. */
  origins(): Origin[]
  /** Estimated nodes, this one included; undefined while offline. */
  size(): number | undefined
  /** The routing table's and all connected peers, nearest to this node first. */
  peers(): KnownPeer[]
  /** Names held here for the network, drawn at random. */
  sampleNames(count: number): string[]
  /** Of the k nearest peers, those that tell. Rejects with OfflineError, or the signal's reason. */
  clocks(signal?: AbortSignal): Promise<PeerClock[]>
  /** Makes no requests. */
  placeOf(name: string, peer: string): PeerPlace
  setMode(mode: ModeSetting): Promise<void>
  /**
   * Dials a peer at a multiaddr; resolves with the one that answers. Throws DialError, and OfflineError in mode
   * offline.
   */
  dial(address: string): Promise<KnownPeer>
  /** Those that are announced first; none while offline. */
  addresses(): OwnAddress[]
  /**
   * Sends C with its stamp to the neighbourhood of K(name), never K(name) itself. Sends nothing once `signal` is
   * aborted.
   */
  commit(name: string, commitment: Uint8Array, nonce: Uint8Array, signal?: AbortSignal): Promise<CommitOutcome>
  /**
   * Stores at the peers closest to K(name), then reads back from the holders until more than half have it. Holders
   * include peers not written to, where there are any. Republishes the record from then on.
   */
  putReveal(reveal: Reveal, options?: PublishOptions): Promise<PutOutcome>
  /** Republishes `former` for the name from now on, or nothing; aborts a running republication. Throws StoreError. */
  withdrawReveal(name: string, former: Reveal | undefined): void
  /** `code`: those that hold the name at the place of this check code are asked instead. */
  getReveals(name: string, signal?: AbortSignal, breadth?: LookupBreadth, code?: string): Promise<RevealLookup>
  /**
   * The same for a name with a check code: asks those that should hold the name, and those that should hold that code.
   * Ends a second after a record that fits was shown and more than half of both places have answered, or ten are over.
   */
  getByCode(name: string, code: string, signal?: AbortSignal): Promise<RevealLookup>
  /** Undefined without an entry, and in modes that hold nothing. */
  heldHere(name: string): HeldEntry | undefined
  /**
   * The record of a name in this node's store, or of a name with a check code, in every mode; undefined without one. Asks
   * nobody.
   */
  storedRecord(name: string, code?: string): { state: EntryState; claim: Claim; reveal: Reveal } | undefined
  /**
   * Is the name taken? Lists the blinded prefix of K(name) and compares here, so that asking reveals nothing. If most
   * holders list it, requests its record among others of their listings. An answer with `claim` is proved; any other is
   * what the peer says.
   */
  probe(name: string, signal?: AbortSignal): Promise<RevealLookup>
  /** The record is the whole encoded identity log (protocol/identity). */
  putIdentity(did: string, log: Uint8Array): Promise<PutOutcome>
  getIdentity(did: string, signal?: AbortSignal): Promise<FoundDocuments>
  putManifest(did: string, manifest: Uint8Array): Promise<PutOutcome>
  getManifest(did: string, signal?: AbortSignal): Promise<FoundDocuments>
  subscribe(listener: (event: NetworkEvent) => void): () => void
}

export interface NetworkOptions {
  readonly profile: NetworkProfile
  readonly store: Store
  /** 32 bytes: the seed of the node's Ed25519 key, which determines the peer id. */
  readonly nodeSeed: Uint8Array
  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'>
  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge
  /** What a proof takes on one thread of this machine, in milliseconds: charged for each. */
  readonly proofMs?: () => number
  /** Multiaddrs to listen on, such as /ip4/127.0.0.1/tcp/7469; port 0 takes a free one. */
  readonly listen: readonly string[]
  /** Multiaddrs to announce once a peer has dialled them; empty: those of `listen`. */
  readonly announce?: readonly string[]
  /** Ask a home's router to let peers in, on public networks. */
  readonly mapPort?: boolean
  readonly dialFrom?: string
  /** Look for peers on this machine or link by mDNS, on networks that are not public. */
  readonly mdns?: boolean
  /** Multiaddrs, `/dnsaddr/NAME` too. */
  readonly bootstrap: readonly string[]
  /** Path of a file with more of them. */
  readonly bootstrapFile?: string | undefined
  /** Multikey that must have signed what names of bootstrap peers say; empty: none has to. */
  readonly bootstrapKey?: string | undefined
  /** Name servers that are asked for names of bootstrap peers, `ip:port`; empty: those of the system. */
  readonly resolvers?: readonly string[]
  readonly mode: ModeSetting
  readonly log: Logger
  /** The daemon's clock: the registry judges by it too. */
  readonly clock: RoundClock
  /** Database bytes from which new records of others need something less worthy to give way. Default: 2 GiB. */
  readonly storageBytes?: number
  /** Monotonic, milliseconds; budgets use it. */
  readonly elapsed?: () => number
  readonly timers?: Pick<Clock, 'every'>
  /** 0 <= x < 1: spreads work that neighbours would otherwise do simultaneously. */
  readonly random?: () => number
  /** Told to peers: program and version. */
  readonly agent?: string
}
